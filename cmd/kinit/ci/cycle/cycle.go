// Package cycle runs jobs: it deploys a spec, runs it again, which must change nothing,
// verifies it, keeps evidence of failures, and removes it in every case.
//
// The record of a run is written as it happens, so a program that dies loses nothing,
// and the next one first removes its leftovers. The caller provides the
// engine, the screen and the log: a phase is one use of the engine.
package cycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/engine"
	"kinit/engine/diag"
)

// Work is one use of the engine for a job.
type Work struct {
	Job     jobs.Job
	Phase   result.PhaseName
	Check   bool // dry run
	Options engine.Options
}

// Outcome is the result of one use of the engine.
type Outcome struct {
	OK     bool           // nothing went wrong
	Report *engine.Report // redacted
	Log    string         // the path of the run's log, empty without one
	Redact func(string) string
}

// Teller shows the progress to people. Many goroutines call it.
type Teller interface {
	Begins(j jobs.Job, p result.Phase)
	Ended(j jobs.Job, p result.Phase)
	Waits(j jobs.Job, host string) // for a host that another job works on
	Notice(j jobs.Job, text string)
	Done(j jobs.Job, r *result.Result)
}

// Runner runs jobs.
type Runner struct {
	Results string // the folder of results
	Keep    result.Limits
	Program string // the version of kinit
	Rerun   func(jobs.Job) string
	Commit  func(ctx context.Context, j jobs.Job) string
	Now     func() time.Time
	Options func(jobs.Job) (engine.Options, error)
	Hosts   func(ctx context.Context, o engine.Options) []string                   // the machines that a job works on
	Order   func(ctx context.Context, o engine.Options) ([]string, *engine.Report) // the stages of its playbook
	Do      func(ctx context.Context, w Work) Outcome
	Tell    Teller
}

// cycle is one run of a job.
type cycle struct {
	*Runner
	job     jobs.Job
	options engine.Options
	record  *result.Record
	stages  []string
	ready   time.Duration
	deploy  *phase // the last deployment that went well
	failure *failure
	files   []result.File
	errs    []error // of the record itself
}

// Run runs a job once and returns its result. An error means that the record is
// incomplete or could not be started.
func (r *Runner) Run(ctx context.Context, j jobs.Job) (*result.Result, error) {
	options, err := r.Options(j)
	if err != nil {
		return nil, err
	}
	orphans, err := r.orphans(j)
	if err != nil {
		return nil, err
	}
	record, err := result.Create(r.Results, r.header(ctx, j))
	if err != nil {
		return nil, err
	}
	c := &cycle{Runner: r, job: j, options: options, record: record}
	c.run(ctx, orphans)
	c.note(record.Close(c.end()))
	done, err := result.Read(record.Folder())
	if err != nil {
		return nil, errors.Join(append(c.errs, err)...)
	}
	r.Tell.Done(j, done)
	if _, err := result.Prune(r.Results, r.Keep, r.Now()); err != nil {
		c.note(fmt.Errorf("remove old results: %w", err))
	}
	return done, errors.Join(c.errs...)
}

func (r *Runner) header(ctx context.Context, j jobs.Job) result.Header {
	h := result.Header{
		Job: j.Address(), Name: j.Name, Spec: j.Spec, Hosts: j.Hosts, Started: r.Now(),
		Program: r.Program, Commit: r.Commit(ctx, j), Rerun: r.Rerun(j),
	}
	if s := j.Schedule; s != nil {
		h.Schedule, h.TimeZone, h.Period = s.Text, s.Zone, s.Period(h.Started)
	}
	return h
}

// run runs the phases, and repeats them as often as the job permits.
func (c *cycle) run(ctx context.Context, orphans []*result.Result) {
	if !c.prepare(ctx) || !c.settle(ctx, orphans) {
		return
	}
	for attempt := 1; ; attempt++ {
		c.failure, c.deploy, c.ready = nil, nil, 0
		c.attempt(ctx, attempt)
		c.keepDecisive(attempt)
		c.cleanup(ctx, attempt)
		if c.failure == nil || c.failure.verdict != result.Infrastructure || attempt > c.job.Retries || ctx.Err() != nil {
			return
		}
		c.Tell.Notice(c.job, fmt.Sprintf("begins anew after a failure of the infrastructure, attempt %d of %d", attempt+1, c.job.Retries+1))
	}
}

// prepare checks whether the spec can be run and removed at all. It touches no host, so
// there is nothing to remove if it fails.
func (c *cycle) prepare(ctx context.Context) bool {
	stages, report := c.Order(ctx, c.options)
	if report.Diagnostics.HasErrors() {
		c.failure = c.invalid(report)
		return false
	}
	c.stages = stages
	if !c.has(c.job.Cleanup) {
		c.failure = &failure{verdict: result.Failed, phase: result.Deploy, problem: signed(result.Problem{
			Summary: "No stage that removes",
			Detail: fmt.Sprintf("The playbook of %s has no stage %q, so what it deploys could not be removed.%s Name the stage by the job's argument cleanup.",
				c.job.Spec, c.job.Cleanup, diag.Near(c.job.Cleanup, stages)),
		})}
		return false
	}
	return true
}

func (c *cycle) has(stage string) bool {
	for _, s := range c.stages {
		if s == stage {
			return true
		}
	}
	return false
}

// errTimeout is the cause of a context that ended because the job took too long.
var errTimeout = errors.New("the job took too long")

// attempt deploys, runs again and verifies, until something fails.
func (c *cycle) attempt(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.job.Timeout, errTimeout)
	defer cancel()
	deployed := c.phase(ctx, result.Deploy, n, c.options)
	if !c.went(ctx, deployed) {
		return
	}
	c.deploy, c.ready = deployed, readyAfter(deployed, c.job.Ready)
	again := c.phase(ctx, result.Again, n, c.options)
	if !c.went(ctx, again) {
		return
	}
	if again.Report.Changes() > 0 {
		c.failure = changedAgain(again)
		return
	}
	if !c.has(c.job.Verify) {
		return
	}
	o := c.options
	o.StartAt, o.StopAfter = c.job.Verify, c.job.Verify
	c.went(ctx, c.phase(ctx, result.Verify, n, o))
}

// end is the last line of the record.
func (c *cycle) end() result.End {
	e := result.End{Time: c.Now(), Verdict: result.Passed, Ready: c.ready, Files: c.files}
	if f := c.failure; f != nil {
		e.Verdict, e.Phase, e.Stage, e.Error = f.verdict, f.phase, f.stage, f.masked()
	}
	return e
}

// note records an error of the record. The job continues: the deployment must be
// removed.
func (c *cycle) note(err error) {
	if err != nil {
		c.errs = append(c.errs, err)
		c.Tell.Notice(c.job, err.Error())
	}
}
