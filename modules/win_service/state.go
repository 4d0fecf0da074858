package winservice

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine/lists"
)

// state is a service's state in the registry and the service control manager.
type state struct {
	There        bool
	Deleted      bool   // it is deleted when the last program closes its handle
	State        string // .NET's ServiceControllerStatus
	Path         string
	Start        int // SERVICE_AUTO_START and so on
	Delayed      bool
	Account      string
	DisplayName  string
	Description  string
	Dependencies []string
	Environment  []string
	Failure      []int // the bytes of FailureActions
	Fingerprint  string
}

// runs reports whether the service runs, or is starting.
func (s state) runs() bool {
	return slices.Contains([]string{"Running", "StartPending", "ContinuePending"}, s.State)
}

// start is a start type: the number in the registry, and the word of
// sc.exe.
type start struct {
	number  int
	delayed bool
	sc      string
}

// starts are the start types, by the words of the argument.
var starts = map[string]start{
	"auto": {2, false, "auto"}, "delayed-auto": {2, true, "delayed-auto"},
	"manual": {3, false, "demand"}, "disabled": {4, false, "disabled"},
}

// startWord returns the service's start type, in the words of the argument.
func (s state) startWord() string {
	for word, way := range starts {
		if s.There && way.number == s.Start && way.delayed == (s.Delayed && s.Start == 2) {
			return word
		}
	}
	return ""
}

// recovery is the reaction to failures: seconds until they are forgotten, and the
// actions in sc.exe's format.
type recovery struct {
	reset   int
	actions string
}

// recovery returns the wanted recovery, and whether one is given.
func (t *Task) recovery() (reset int, actions string, given bool) {
	if t.RestartAfter == nil {
		return 0, "", false
	}
	var words []string
	for _, pause := range *t.RestartAfter {
		if d, err := time.ParseDuration(pause); err == nil {
			words = append(words, fmt.Sprintf("restart/%d", d.Milliseconds()))
		}
	}
	if d, err := time.ParseDuration(t.FailuresForgotten); err == nil && len(words) > 0 {
		reset = int(d.Seconds())
	}
	return reset, strings.Join(words, "/"), true
}

// The layout of the value FailureActions: a SERVICE_FAILURE_ACTIONS of 32 bits, of
// which the reset period comes first and the number of actions fourth, and after it
// type and delay in milliseconds of each action.
const (
	resetAt   = 0
	countAt   = 12
	actionsAt = 20
	actionLen = 8
)

// recovery parses the value FailureActions. Actions that kinit does not use appear by
// their number and so never match.
func (s state) recovery() recovery {
	raw := lists.Map(s.Failure, func(b int) byte { return byte(b) })
	if len(raw) < actionsAt {
		return recovery{}
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(raw[at:])) }
	var words []string
	for i := range number(countAt) {
		at := actionsAt + i*actionLen
		if at+actionLen > len(raw) {
			break
		}
		kind := fmt.Sprint(number(at))
		if kind == "1" { // SC_ACTION_RESTART
			kind = "restart"
		}
		words = append(words, fmt.Sprintf("%s/%d", kind, number(at+4)))
	}
	if len(words) == 0 {
		return recovery{}
	}
	return recovery{number(resetAt), strings.Join(words, "/")}
}
