package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/module"
)

// showArguments is a fake task's arguments on one line.
func showArguments(made module.Task) string {
	switch a := made.(type) {
	case *fakeFile:
		text := fmt.Sprintf("path=%q content=%q mode=%q", a.Path, a.Content, a.Mode)
		for _, name := range slices.Sorted(maps.Keys(a.Labels)) {
			text += fmt.Sprintf(" %s:%q", name, a.Labels[name])
		}
		return text
	case *fakeGuest:
		text := fmt.Sprintf("name=%q memory=%d disks=%q password=%v", a.Name, a.Memory, a.Disks, a.Password)
		if a.Tune != nil {
			text += fmt.Sprintf(" tune=%s", a.Tune.Kind)
			if a.Tune.Huge != nil {
				text += fmt.Sprintf(" huge=%v", *a.Tune.Huge)
			}
		}
		for _, nic := range a.NICs {
			text += fmt.Sprintf(" nic=%s/%d", nic.MAC, nic.MTU)
		}
		return text
	case *fakeSecret:
		return fmt.Sprintf("path=%q format=%q length=%d", a.Path, a.Format, a.Length)
	case *fakeKey:
		return fmt.Sprintf("path=%q", a.Path)
	case *fakeNote:
		text := fmt.Sprintf("text=%q", a.Text)
		if a.Data != cty.NilVal {
			text += " data=" + showValue(a.Data)
		}
		return text
	}
	return fmt.Sprintf("%T", made)
}

// showValue is a value as JSON.
func showValue(value cty.Value) string {
	if !value.IsWhollyKnown() {
		return "unknown"
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return err.Error()
	}
	return string(text)
}
