// Package assert is the module assert: conditions that must hold before the run continues;
// one error reports all that do not hold.
package assert

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
)

// Task is a list of conditions. It touches no host and changes nothing.
//
// Errors:
//   - a condition does not hold; the error has the messages of all such conditions
//   - there is no condition block
type Task struct {
	// Early reports conditions that do not hold when the playbook is validated, as mistakes
	// in it, unless they read outputs of other tasks. Other mistakes are reported when all
	// these conditions hold, as they may be consequences.
	Early bool `hcl:"early,optional"`
	// Conditions are the conditions that must hold.
	Conditions []Condition `hcl:"condition,block"`
}

// Condition is one condition.
type Condition struct {
	// Holds is the condition's value.
	Holds bool `hcl:"holds"`
	// Message describes the mistake and its remedy if the condition does not hold.
	Message string `hcl:"message"`
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "assert", Reads: true, OS: []module.OS{module.Linux, module.Windows}})
}

func (t *Task) Validate() error {
	if len(t.Conditions) == 0 {
		return errors.New("there is nothing to assert, want at least one condition block")
	}
	if t.Early {
		return t.check()
	}
	return nil
}

// Plan returns an error that names every condition that does not hold.
func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	return nil, ctx.Err()
}

// check returns an error that names every condition that does not hold.
func (t *Task) check() error {
	var wrong []string
	for _, c := range t.Conditions {
		if !c.Holds {
			wrong = append(wrong, c.Message)
		}
	}
	if len(wrong) > 0 {
		return module.UnmetError(strings.Join(wrong, "\n"))
	}
	return nil
}
