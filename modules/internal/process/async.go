package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/job"
)

// Detachable holds the arguments of programs that go on when the connection is lost.
type Detachable struct {
	// Async is how long the program may last, such as "2h". With it the program goes on if
	// the connection is lost; the host ends it when the time is up. Its outputs are collected
	// at its end. Default: the program ends with the connection.
	Async string `hcl:"async,optional"`
	// Poll is how often to look whether the program has ended, such as "10s". With "0s" the
	// task does not wait: a later one with the module job_wait does.
	Poll string `hcl:"poll,optional" default:"5s"`
}

// CheckAsync finds mistakes in the arguments.
func (a Detachable) CheckAsync() error {
	every, err := time.ParseDuration(a.Poll)
	switch {
	case err != nil || every < 0:
		return fmt.Errorf("poll is %q, want a time such as \"10s\", or \"0s\" not to wait", a.Poll)
	case a.Async != "" && a.limit() <= 0:
		return fmt.Errorf("async is %q, want the longest time that the program may last, such as \"2h\"", a.Async)
	case a.Async == "" && every == 0:
		return errors.New("poll is \"0s\", want async beside it: the longest time that the program may last")
	}
	return nil
}

// every is the time between two looks, 0 if the task does not wait.
func (a Detachable) every() time.Duration { return module.Duration(a.Poll).Time() }

// limit is the longest time of the program.
func (a Detachable) limit() time.Duration { return module.Duration(a.Async).Time() }

// Left reports whether the task ends before its program does.
func (a Detachable) Left() bool { return a.Async != "" && a.every() == 0 }

// Detach lets the programs of the task go on when the connection is lost, if the arguments say
// so.
func (t *Task) Detach(a Detachable) { t.async = a }

// JobOutputs are the outputs of a program that may go on without the task.
type JobOutputs struct {
	Stdout module.Exact `cty:"stdout"` // standard output of the last run; empty if the conditions made it unneeded
	Stderr module.Exact `cty:"stderr"` // standard error of the last run; empty if the conditions made it unneeded
	Code   int          `cty:"code"`   // the exit code of the last run; 0 if the conditions made it unneeded
	Job    string       `cty:"job"`    // with poll "0s" the job, for job_wait; else empty
}

// JobOutputs returns the outputs with the job.
func (t *Task) JobOutputs() JobOutputs {
	return JobOutputs{Stdout: module.Exact(t.last.Stdout), Stderr: module.Exact(t.last.Stderr), Code: t.last.Code, Job: t.job}
}

// longestAbsence is how long a host may be out of reach while a job runs without losing the
// run's lock there.
const longestAbsence = 10 * time.Minute

// detached starts the process as a job, and waits for it unless the task does not.
func (t *Task) detached(ctx context.Context, h module.Host, p Process) error {
	j, limit := job.New(), t.async.limit()
	err := j.Start(ctx, h, p.command(), limit)
	if err == nil && t.async.Left() {
		t.job = string(j)
		return nil
	}
	if started := err; err == nil || job.Absent(err) {
		if t.last, err = p.Collect(ctx, h, j, t.async.every(), limit); errors.Is(err, errGone) && started != nil {
			err = started // it has not begun
		}
	}
	if ctx.Err() == nil {
		return err
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, j.Stop(short, h))
}

// stopLimit is how long it may take to end a job after an interrupt.
const stopLimit = 20 * time.Second

// errGone is the error of a job that is not on the host.
var errGone = errors.New("the job's files are gone: its result was collected before")

// Collect waits for a job and returns its result, judged as that of the process. Then it removes
// the job's files.
func (p Process) Collect(ctx context.Context, h module.Host, j job.Job, every, limit time.Duration) (Result, error) {
	back, err := module.Away(ctx, h, min(limit, longestAbsence))
	if err != nil {
		return Result{}, err
	}
	defer back()
	state, err := j.Await(ctx, h, every, limit)
	if err != nil {
		return Result{}, err
	}
	switch state {
	case job.Gone:
		return Result{}, errGone
	case job.Foreign:
		return Result{}, errors.New("another user has started the job: wait for it as that user")
	case job.Lost:
		return Result{}, errors.Join(errors.New("the job has ended without a result: the host was restarted, or another run took over"), j.Remove(ctx, h))
	}
	out, err := j.Collect(ctx, h)
	result, err := p.result(h, out, err)
	if state == job.Late {
		err = fmt.Errorf("it did not end within its time and was ended by the host; its output ends with:\n%s", h.Redact(module.Tail(result.Stdout+result.Stderr, 10)))
	}
	if removing := j.Remove(ctx, h); err == nil {
		err = removing
	}
	return result, err
}
