// Package winregistry is the module "win_registry": a value or a key of a Windows
// host's registry.
package winregistry

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

//go:embed remove.ps1
var removeScript string

// Task is a value of the registry, or a key. Missing keys are made. The task uses the
// registry of 64-bit programs.
//
// Errors:
//   - value does not fit type
//   - the login may not write the key
type Task struct {
	// Key is the key with its hive, such as "HKLM/SOFTWARE/kinit" or
	// "HKLM\\SOFTWARE\\kinit". If it contains a backslash, slashes are part of names. HKCU
	// is the registry of the login.
	Key string `hcl:"key"`
	// Name is the name of the value; "" is the key's default value. Without name the
	// task manages the key itself: it exists, or it is removed with all its content.
	Name *string `hcl:"name,optional"`
	// Type is the type of the value.
	Type string `hcl:"type,optional" enum:"string,expandstring,multistring,dword,qword,binary" default:"string"`
	// Value is the wanted data: a text, a list of texts for multistring, a
	// whole number for dword and qword, hex digits for binary.
	Value cty.Value `hcl:"value,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_registry", OS: []module.OS{module.Windows}, Elsewhere: "sysctl"})
}

func (t *Task) Validate() error {
	if _, err := parseKey(t.Key); err != nil {
		return err
	}
	given := t.Value != cty.NilVal && !t.Value.IsNull()
	switch {
	case given && (t.Name == nil || t.Absent()):
		return errors.New("value is of a value that is there, want it beside name and without state = \"absent\"")
	case !given && t.Name != nil && !t.Absent():
		return errors.New("value is missing, want what the value should be")
	case !given || !t.Value.IsWhollyKnown():
		return nil
	}
	_, err := t.data()
	return err
}

// wanted is the value in the scripts' form.
type wanted struct {
	place
	Name *string  `json:"name"`
	Kind string   `json:"kind"`
	Data []string `json:"data"`
}

func (t *Task) wanted() (wanted, error) {
	at, err := parseKey(t.Key)
	if err != nil {
		return wanted{}, err
	}
	w := wanted{place: at, Name: t.Name, Kind: kinds()[t.Type]}
	if t.Name != nil && !t.Absent() {
		w.Data, err = t.data()
	}
	return w, err
}

// state is the current value.
type state struct {
	Key   bool // the key is there
	There bool // the value is there
	Kind  string
	Data  []string
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	w, err := t.wanted()
	if err != nil {
		return nil, err
	}
	s, err := powershell.Read[state](ctx, h, readScript, w)
	if err != nil {
		return nil, err
	}
	text, script := t.decide(w, s)
	return powershell.OneStep(h.Redact(text), script, w), nil
}

// decide describes the change and returns its script; nothing for no change.
func (t *Task) decide(w wanted, s state) (text, script string) {
	shown := t.shown(w)
	switch {
	case t.Absent() && (t.Name == nil && s.Key || s.There):
		return "remove " + shown, removeScript
	case t.Absent(), t.Name == nil && s.Key:
		return "", ""
	case t.Name == nil:
		return "create key " + shown, setScript
	case !s.There:
		return fmt.Sprintf("create %s: %s", shown, show(w.Kind, w.Data)), setScript
	case s.Kind != w.Kind:
		return fmt.Sprintf("change %s: %s %s to %s %s", shown, s.Kind, show(s.Kind, s.Data), w.Kind, show(w.Kind, w.Data)), setScript
	case !slices.Equal(s.Data, w.Data):
		return fmt.Sprintf("change %s: %s to %s", shown, show(s.Kind, s.Data), show(w.Kind, w.Data)), setScript
	}
	return "", ""
}

func (t *Task) shown(w wanted) string {
	switch {
	case t.Name == nil:
		return w.full()
	case *t.Name == "":
		return "the default value of " + w.full()
	}
	return *t.Name + " of " + w.full()
}

type Outputs struct {
	Key string `cty:"key"` // the key with its hive's full name
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	at, err := parseKey(t.Key)
	return Outputs{Key: at.full()}, err
}
