package process

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/winpath"
)

// Task is embedded in the tasks that run a program: their common arguments, and the result
// of the last run, which it returns as outputs.
type Task struct {
	// Creates is a path that the run makes. If it exists, nothing is run.
	Creates string `hcl:"creates,optional" path:"own"`
	// Removes is a path that the run removes. If it does not exist, nothing is run.
	Removes string `hcl:"removes,optional" path:"own"`
	// Env is added to the environment.
	Env map[string]string `hcl:"env,optional"`
	// Dir is the working directory, an absolute path. Default: the login's home folder.
	Dir string `hcl:"dir,optional" path:"own"`
	// OKCodes are the exit codes that mean success.
	OKCodes []int `hcl:"ok_codes,optional" default:"0" nonempty:"want at least one exit code"`
	// Expect is a text or regular expression that standard output must contain. With the
	// task's retry it is run again until it does.
	Expect string `hcl:"expect,optional"`

	judged bool // the playbook evaluates the program's result
	last   Result
	async  Detachable
	job    string // of a program that goes on after the task
}

// Check finds mistakes in the common arguments, for a Linux host.
func (t *Task) Check() error {
	if t.Dir != "" && !strings.HasPrefix(t.Dir, "/") && !module.InHome(t.Dir) {
		return fmt.Errorf("dir is %q, want an absolute path", t.Dir)
	}
	return nil
}

// CheckWindows finds them for a Windows host.
func (t *Task) CheckWindows() error {
	return cmp.Or(winpath.CheckGiven("dir", t.Dir), winpath.CheckGiven("creates", t.Creates), winpath.CheckGiven("removes", t.Removes))
}

// With returns a process with the task's environment, folder and conditions of success.
func (t *Task) With(p Process) Process {
	p.Env, p.Dir, p.OKCodes, p.Expect = t.Env, t.Dir, t.OKCodes, t.Expect
	return p
}

// Conditions returns the task's conditions, two of which are processes.
func (t *Task) Conditions(unless, onlyIf Process) Conditions {
	return Conditions{Creates: t.Creates, Removes: t.Removes, Unless: t.With(unless), OnlyIf: t.With(onlyIf)}
}

// Judge makes the playbook evaluate code, stdout and stderr, instead of
// ok_codes and expect.
func (t *Task) Judge() { t.judged = true }

// Run runs the task's program.
func (t *Task) Run(ctx context.Context, h module.Host, p Process) (err error) {
	p.Judged = t.judged
	if t.async.Async != "" {
		return t.detached(ctx, h, p)
	}
	t.last, err = p.Run(ctx, h)
	return err
}

// Outputs are the results of the last run.
type Outputs struct {
	Stdout module.Exact `cty:"stdout"` // standard output of the last run; empty if the conditions made it unneeded
	Stderr module.Exact `cty:"stderr"` // standard error of the last run; empty if the conditions made it unneeded
	Code   int          `cty:"code"`   // the exit code of the last run; 0 if the conditions made it unneeded
}

// Outputs returns the output of the last run.
func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Stdout: module.Exact(t.last.Stdout), Stderr: module.Exact(t.last.Stderr), Code: t.last.Code}, nil
}
