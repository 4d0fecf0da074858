package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/runlog"
	"kinit/engine"
	"kinit/engine/event"
)

// phase is a finished phase.
type phase struct {
	Outcome
	name result.PhaseName
	run  *replay.Run // nil without a log
}

// replay returns the run of the phase, which is empty without a log.
func (p *phase) replay() *replay.Run {
	if p.run == nil {
		return &replay.Run{}
	}
	return p.run
}

// phase runs a phase and records its beginning and its end.
func (e *execution) phase(ctx context.Context, name result.PhaseName, attempt int, o engine.Options) *phase {
	p := result.Phase{Name: name, Attempt: attempt, Started: e.Now()}
	e.begin(p)
	done := &phase{Outcome: e.Do(ctx, Work{Job: e.job, Phase: name, Options: o}), name: name}
	done.run = e.replayed(done.Log)
	p.Ended, p.OK, p.Tasks = e.Now(), done.OK, done.Report.Tasks
	changed := done.Report.Changes()
	p.Changed = &changed
	if done.Log != "" {
		p.Run = filepath.Base(filepath.Dir(done.Log))
	}
	for _, s := range done.Report.Stages {
		p.Stages = append(p.Stages, result.Stage{Name: s.Stage, Duration: s.Duration})
	}
	if name == result.Again {
		p.OK = p.OK && changed == 0
	}
	if name == result.Cleanup {
		p.Leftovers = e.leftovers(ctx, done, o)
		p.OK = p.OK && p.Leftovers != nil && *p.Leftovers == 0
		done.OK = p.OK
	}
	e.finish(p)
	return done
}

// begin records that a phase begins. Without a record, it is only shown.
func (e *execution) begin(p result.Phase) {
	if e.record != nil {
		e.note(e.record.Begin(p))
	}
	e.Progress.Begins(e.job, p)
}

func (e *execution) finish(p result.Phase) {
	if e.record != nil {
		e.note(e.record.Finish(p))
	}
	e.Progress.Ended(e.job, p)
}

// replayed returns the run in a log, or nil. It reports a read error, which does not affect
// the verdict.
func (e *execution) replayed(path string) *replay.Run {
	if path == "" {
		return nil
	}
	log, err := runlog.Read(path)
	if err != nil {
		e.Progress.Notice(e.job, err.Error())
		return nil
	}
	return replay.Of(log)
}

// went reports whether a phase succeeded, and records the first that did not.
func (e *execution) went(ctx context.Context, p *phase) bool {
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		e.failure = slow(p, e.job.Timeout)
	case ctx.Err() != nil:
		e.failure = failed(result.Aborted, p, "Interrupted", "The program was interrupted, as by Ctrl-C or SIGTERM.")
	case !p.OK:
		e.failure = e.blamed(p)
	}
	return e.failure == nil
}

// leftoversOutput is the name of the playbook output with the number of objects left after clean-up.
const leftoversOutput = "leftovers"

// leftovers returns how much is left after a successful clean-up: the playbook's output,
// else how much another clean-up would change. It is nil if unknown.
func (e *execution) leftovers(ctx context.Context, done *phase, o engine.Options) *int {
	if !done.OK {
		return nil
	}
	for _, output := range done.Report.Outputs {
		if n, err := strconv.Atoi(output.Value); output.Name == leftoversOutput && err == nil {
			return &n
		}
	}
	look := e.Do(ctx, Work{Job: e.job, Phase: result.Cleanup, Check: true, Options: o})
	if !look.OK {
		return nil
	}
	n := look.Report.Changes()
	return &n
}

// readyAfter returns the time until the stage or the task with that name
// ended; the whole deployment's time without a name.
func readyAfter(p *phase, name string) time.Duration {
	for _, s := range p.Report.Stages {
		if s.Stage == name && p.run != nil {
			return s.Started.Add(s.Duration).Sub(p.run.Started)
		}
	}
	var ended time.Time
	for _, r := range p.Report.Results {
		block := event.WithoutKeys(r.Address)
		if end := r.Started.Add(r.Duration); name != "" && (block == name || r.Address == name) && end.After(ended) {
			ended = end
		}
	}
	if !ended.IsZero() && p.run != nil {
		return ended.Sub(p.run.Started)
	}
	return p.Report.Duration
}
