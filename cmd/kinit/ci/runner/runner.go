// Package runner runs jobs: it deploys a spec, runs it again, which must change nothing,
// verifies it, keeps evidence of failures, and removes it in every case.
//
// The record of a run is written as it happens, so a program that dies loses nothing,
// and the next one first removes its leftovers. The caller provides the
// engine, the screen and the log: a phase is one use of the engine.
package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Progress shows the progress to people. Many goroutines call it.
type Progress interface {
	Begins(j jobs.Job, p result.Phase)
	Ended(j jobs.Job, p result.Phase)
	Waits(j jobs.Job, host string) // for a host that another job works on
	Notice(j jobs.Job, text string)
	Done(j jobs.Job, r *result.Result)
}

// Runner runs jobs.
type Runner struct {
	Results  string // the folder of results
	Keep     result.Limits
	Program  string // the version of kinit
	Rerun    func(jobs.Job) string
	Commit   func(ctx context.Context, j jobs.Job) string
	Now      func() time.Time
	Options  func(jobs.Job) (engine.Options, error)
	Hosts    func(ctx context.Context, o engine.Options) []string                   // the machines that a job works on
	Order    func(ctx context.Context, o engine.Options) ([]string, *engine.Report) // the stages of its playbook
	Do       func(ctx context.Context, w Work) Outcome
	Progress Progress
}

// execution is one run of a job.
type execution struct {
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
	earlier, err := r.earlier(j.Name)
	if err != nil {
		return nil, err
	}
	record, err := result.Create(r.Results, r.header(ctx, j))
	if err != nil {
		return nil, err
	}
	e := &execution{Runner: r, job: j, options: options, record: record}
	var left []*result.Result
	if j.Backup == nil {
		e.options, left = own(options, j.Name, record.Folder(), earlier), orphans(earlier)
	}
	e.run(ctx, left)
	e.note(record.Close(e.end()))
	done, err := result.Read(record.Folder())
	if err != nil {
		return nil, errors.Join(append(e.errs, err)...)
	}
	r.Progress.Done(j, done)
	if _, err := result.Prune(r.Results, r.Keep, r.Now()); err != nil {
		e.note(fmt.Errorf("remove old results: %w", err))
	}
	return done, errors.Join(e.errs...)
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
func (e *execution) run(ctx context.Context, orphans []*result.Result) {
	if !e.prepare(ctx) || !e.settle(ctx, orphans) {
		return
	}
	for attempt := 1; ; attempt++ {
		e.failure, e.deploy, e.ready = nil, nil, 0
		if e.job.Backup != nil {
			e.backUp(ctx, attempt)
			e.keepDecisive(attempt)
		} else {
			e.attempt(ctx, attempt)
			e.keepDecisive(attempt)
			e.cleanup(ctx, attempt)
		}
		if e.failure == nil || e.failure.verdict != result.Infrastructure || attempt > e.job.Retries || ctx.Err() != nil {
			return
		}
		e.Progress.Notice(e.job, fmt.Sprintf("starts again after a failure of the infrastructure, attempt %d of %d", attempt+1, e.job.Retries+1))
	}
}

// prepare checks whether the spec can be run and removed at all. It touches no host, so
// there is nothing to remove if it fails.
func (e *execution) prepare(ctx context.Context) bool {
	stages, report := e.Order(ctx, e.options)
	if report.Diagnostics.HasErrors() {
		e.failure = e.invalid(report)
		return false
	}
	e.stages = stages
	if e.job.Backup == nil && !slices.Contains(stages, e.job.Cleanup) {
		e.failure = &failure{verdict: result.Failed, phase: result.Deploy, problem: signed(result.Problem{
			Summary: "No stage that removes",
			Detail: fmt.Sprintf("The playbook of %s has no stage %q, so what it deploys could not be removed.%s Name the stage by the job's argument cleanup.",
				e.job.Spec, e.job.Cleanup, diag.Near(e.job.Cleanup, stages)),
		})}
		return false
	}
	return true
}

// errTimeout is the cause of a context that ended because the job took too long.
var errTimeout = errors.New("the job took too long")

// attempt deploys, runs again and verifies, until something fails.
func (e *execution) attempt(ctx context.Context, n int) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.job.Timeout, errTimeout)
	defer cancel()
	deployed := e.phase(ctx, result.Deploy, n, e.options)
	if !e.went(ctx, deployed) {
		return
	}
	e.deploy, e.ready = deployed, readyAfter(deployed, e.job.Ready)
	again := e.phase(ctx, result.Again, n, e.options)
	if !e.went(ctx, again) {
		return
	}
	if again.Report.Changes() > 0 {
		e.failure = changedAgain(again)
		return
	}
	if !slices.Contains(e.stages, e.job.Verify) {
		return
	}
	o := e.options
	o.StartAt, o.StopAfter = e.job.Verify, e.job.Verify
	e.went(ctx, e.phase(ctx, result.Verify, n, o))
}

// end is the last line of the record.
func (e *execution) end() result.End {
	last := result.End{Time: e.Now(), Verdict: result.Passed, Ready: e.ready, Files: e.files}
	if f := e.failure; f != nil {
		last.Verdict, last.Phase, last.Stage, last.Error = f.verdict, f.phase, f.stage, f.masked()
	}
	return last
}

// note records an error of the record. The job continues: the deployment must be
// removed.
func (e *execution) note(err error) {
	if err != nil {
		e.errs = append(e.errs, err)
		e.Progress.Notice(e.job, err.Error())
	}
}
