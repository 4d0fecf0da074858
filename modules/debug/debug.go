// Package debug is the module "debug": it shows a text or a value in the run's
// output.
package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/module"
)

// Task shows a message or a value in the run's output when it runs. It touches
// no host and changes nothing. Known secrets are masked.
//
// Errors:
//   - neither message nor value is given, or both are
type Task struct {
	// Message is the text to show, of one line or several.
	Message string `hcl:"message,optional"`
	// Value is a value of any type, shown as JSON.
	Value cty.Value `hcl:"value,optional"`

	shown string
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "debug", Reads: true, OS: []module.OS{module.Linux, module.Windows}})
}

func (t *Task) Validate() error {
	if (t.Message == "") == (t.Value == cty.NilVal) {
		return errors.New("want exactly one of message and value")
	}
	return nil
}

// Plan builds the text, and never returns a step.
func (t *Task) Plan(ctx context.Context, h module.Host) (_ []module.Step, err error) {
	t.shown = h.Redact(t.Message)
	if t.Value != cty.NilVal {
		t.shown, err = format(h, t.Value)
	}
	return nil, errors.Join(ctx.Err(), err)
}

// MessageText returns the text to show.
func (t *Task) MessageText() string { return t.shown }

// format formats a value as indented JSON. Secrets are masked
// before quoting could hide them from the redactor.
func format(h module.Host, value cty.Value) (string, error) {
	if value.ContainsMarked() {
		return "(sensitive)", nil
	}
	value, err := cty.Transform(value, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
			return v, nil
		}
		return cty.StringVal(h.Redact(v.AsString())), nil
	})
	if err != nil {
		return "", fmt.Errorf("show the value: %w", err)
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return "", fmt.Errorf("show the value: %w", err)
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	return h.Redact(b.String()), err
}
