package process

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// Outcome is how a task's program ended the last time. Tasks that embed it have its
// outputs.
type Outcome struct{ last Result }

// Keep runs the program and keeps how it ended.
func (o *Outcome) Keep(ctx context.Context, h module.Host, p Process) (err error) {
	o.last, err = p.Run(ctx, h)
	return err
}

// OutputTypes names the outputs.
func (o *Outcome) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"stdout": cty.String, "stderr": cty.String, "code": cty.Number}
}

// Outputs returns what the last run printed.
func (o *Outcome) Outputs(context.Context, module.Host) (map[string]cty.Value, error) {
	return o.last.outputs(), nil
}

// Judged is an Outcome that the playbook may judge.
type Judged struct {
	Outcome
	judged bool
}

// Judge says that the playbook judges by code, stdout and stderr, in place of ok_codes
// and expect.
func (j *Judged) Judge() { j.judged = true }

// Keep runs the program, which may end in any way where the playbook judges.
func (j *Judged) Keep(ctx context.Context, h module.Host, p Process) error {
	p.Judged = j.judged
	return j.Outcome.Keep(ctx, h, p)
}
