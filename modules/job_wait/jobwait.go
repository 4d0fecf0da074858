// Package jobwait is the module "job_wait": it waits for a program that another task has
// started.
package jobwait

import (
	"context"
	"errors"

	"kinit/engine/module"
	"kinit/modules/internal/job"
	"kinit/modules/internal/process"
)

// Task waits for a job that a task with async and poll = "0s" has started. It
// collects what the job has printed and removes its files on the host. It works as the user who
// has started the job.
//
// Errors:
//   - the job ended with a code that is not in ok_codes; the error has its last lines
//   - the host has ended the job because its time was up
//   - the job has ended without a result, as after a restart of the host
//   - the job's result was collected before, or another user has started it
//   - the job does not end within the time; it goes on
type Task struct {
	// Job is the output job of the task that has started it.
	Job string `hcl:"job" nonempty:"want the output job of a task with async and poll = \"0s\""`
	// Within is how long to wait, such as "2h".
	Within module.Duration `hcl:"within,optional" default:"30m" like:"2h"`
	// Poll is how often to look whether the job has ended, such as "10s".
	Poll module.Duration `hcl:"poll,optional" default:"5s" like:"10s"`
	// OKCodes are the exit codes that mean success.
	OKCodes []int `hcl:"ok_codes,optional" default:"0" nonempty:"want at least one exit code"`

	judged bool // the playbook evaluates the program's result
	result *process.Result
}

// Outputs are what the job has printed, and how it ended.
type Outputs struct {
	Stdout module.Exact `cty:"stdout"` // standard output of the job
	Stderr module.Exact `cty:"stderr"` // standard error of the job
	Code   int          `cty:"code"`   // the exit code of the job
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "job_wait"})
}

func (t *Task) Validate() error {
	if _, err := job.Parse(t.Job); err != nil {
		return errors.New("job: " + err.Error())
	}
	return nil
}

// Judge announces that the playbook decides about failure.
func (t *Task) Judge() { t.judged = true }

// Plan returns a step that waits, until it has been done.
func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	if t.result != nil {
		return nil, ctx.Err()
	}
	return []module.Step{module.NewWait("wait for the job", t.wait)}, ctx.Err()
}

func (t *Task) wait(ctx context.Context, h module.Host) error {
	j, err := job.Parse(t.Job)
	if err != nil {
		return err
	}
	p := process.Process{OKCodes: t.OKCodes, Judged: t.judged, Shown: "the job"}
	within := t.Within.Time()
	timed, cancel := context.WithTimeoutCause(ctx, within, errLate)
	defer cancel()
	result, err := p.Collect(timed, h, j, t.Poll.Time(), within)
	if err != nil && ctx.Err() == nil && context.Cause(timed) == errLate {
		return errors.New("the job does not end within " + string(t.Within) + "; it goes on until its own time is up")
	}
	t.result = &result
	return err
}

// errLate ends the wait for a job.
var errLate = errors.New("the job does not end")

// Outputs returns what the job has printed.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	if t.result == nil {
		return Outputs{}, nil
	}
	return Outputs{Stdout: module.Exact(t.result.Stdout), Stderr: module.Exact(t.result.Stderr), Code: t.result.Code}, nil
}
