// Package refs finds what the expressions of instances, hosts and bindings refer to, and
// returns the values of these references: before the run, and with the values that tasks
// returned. It evaluates the engine's own arguments of each task.
package refs

import (
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// Values holds what finished tasks returned. It is safe for use by several
// goroutines; the zero value is empty.
type Values struct {
	mu      sync.RWMutex
	known   map[string]map[string]cty.Value
	unknown map[string]map[string]cty.Value // of tasks with values that are not known: those that are
	ended   map[string]Outcome
}

// Outcome is how a task ended.
type Outcome struct {
	Changed bool // it changed something, or would in a dry run
	Failed  bool // it failed, or was left out because of a failure
}

// SetOutcome records how a task ended.
func (v *Values) SetOutcome(address string, o Outcome) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended == nil {
		v.ended = map[string]Outcome{}
	}
	v.ended[address] = o
}

// Outcome returns how a task ended, and whether it has.
func (v *Values) Outcome(address string) (Outcome, bool) {
	if v == nil {
		return Outcome{}, false
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	o, ok := v.ended[address]
	return o, ok
}

// Set stores the values of a task, nil for a task without values. The values of a skipped
// task are null without Set.
func (v *Values) Set(address string, values map[string]cty.Value) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[string]map[string]cty.Value{}
	}
	v.known[address] = values
	delete(v.unknown, address)
}

// Get returns the values of a task, nil when there are none.
func (v *Values) Get(address string) map[string]cty.Value {
	values, _ := v.get(address)
	return values
}

// SetUnknown records, in a dry run, that a task's values are known only after it changes
// something, except those that are foretold.
func (v *Values) SetUnknown(address string, foretold map[string]cty.Value) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.unknown == nil {
		v.unknown = map[string]map[string]cty.Value{}
	}
	v.unknown[address] = foretold
	delete(v.known, address)
}

// foretells reports whether a value of a task is known although the task has still to change
// something.
func (v *Values) foretells(address, output string) bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	_, ok := v.unknown[address][output]
	return ok
}

// State is whether a task's values are known.
type State int

const (
	Missing State = iota // it did not run
	Unknown              // it would change something, in a dry run
	Known
)

// get returns a task's values: of an unknown one those that are foretold. Before the run there
// are no Values and all are unknown.
func (v *Values) get(address string) (map[string]cty.Value, State) {
	if v == nil {
		return nil, Unknown
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	if foretold, ok := v.unknown[address]; ok {
		return foretold, Unknown
	}
	values, ok := v.known[address]
	if !ok {
		return nil, Missing
	}
	return values, Known
}

// Typed converts a value to a declared type. It returns a value that cannot be converted
// unchanged: the module is wrong, and the user of the value reports it.
func Typed(value cty.Value, kind cty.Type) cty.Value {
	if value == cty.NilVal {
		return cty.NullVal(kind)
	}
	if converted, err := convert.Convert(value, kind); err == nil {
		return converted
	}
	return value
}
