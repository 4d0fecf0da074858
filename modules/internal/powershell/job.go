package powershell

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/poll"
)

//go:embed job.ps1
var jobPrologue string

//go:embed start.ps1
var startScript string

//go:embed look.ps1
var lookScript string

//go:embed forget.ps1
var forgetScript string

// jobs is the folder of all jobs.
const jobs = `C:\ProgramData\kinit\jobs\`

// patience is how long one look can take at a host that may have lost its network.
const patience = time.Minute

// Job is a script that continues without the connection: one that cuts the network,
// restarts the host, or must not end half way. The host runs it as a scheduled task of
// the system.
//
// It starts at most once. If kinit was interrupted and a job with the same name, script and
// arguments still runs, Run waits for it instead. A finished one is
// discarded: the caller has found that the work is still to do. After the job's end
// it is removed completely.
type Job struct {
	Name   string // in messages, and part of the name of its folder: letters, digits and "-"
	Script string
	Args   any           // an object
	Within time.Duration // its time limit, including the return of the host
}

// ErrLost is the error of a job that has ended without an answer.
var ErrLost = errors.New("it ended without an answer, as when the host restarts or the process is killed: what it did is not known")

// Run starts the job, waits for its end over as many connections as that takes, and
// decodes its value into result.
func (j Job) Run(ctx context.Context, h module.Host, result any) error {
	running, err := j.place()
	if err != nil {
		return err
	}
	w := &watch{placed: running}
	err = poll.Until(ctx, h, poll.Wait{For: j.Name, Within: j.Within}, poll.Tolerant(patience,
		func(ctx context.Context) (bool, string, error) { return w.look(ctx, h) }))
	if err != nil {
		return err
	}
	err = poll.Until(ctx, h, poll.Wait{For: "the end of " + j.Name, Within: j.Within}, poll.Tolerant(patience,
		func(ctx context.Context) (bool, string, error) { return true, "", running.forget(ctx, h) }))
	if err != nil {
		return err
	}
	if w.refused != nil {
		return w.refused
	}
	if w.answer == "" {
		return fmt.Errorf("%s: %w", j.Name, ErrLost)
	}
	return read(h, w.answer, nil, result)
}

// placed is a job with its folder on the host, in the scripts' form.
type placed struct {
	ID     string `json:"id"`
	Folder string `json:"folder"`
	Script string `json:"script"`
	Input  string `json:"input"`
}

// place derives the job's name: other arguments make another job.
func (j Job) place() (placed, error) {
	input, err := encode(j.Args)
	if err != nil {
		return placed{}, err
	}
	script := jobPrologue + whole(j.Script) + "exit $LASTEXITCODE\n"
	id := fmt.Sprintf("%s-%.6x", j.Name, sha256.Sum256(append([]byte(script), input...)))
	return placed{ID: id, Folder: jobs + id, Script: script, Input: string(input)}, nil
}

// short is the job without the fields that only its start needs.
func (p placed) short() placed { return placed{ID: p.ID, Folder: p.Folder} }

func (p placed) forget(ctx context.Context, h module.Host) error {
	return Run(ctx, h, forgetScript, p.short(), nil)
}

// watch is a job during the wait for it.
type watch struct {
	placed
	known   bool   // the host's job is of this run, or was running when it was found
	answer  string // of a finished job; empty for one that died
	refused *Error // why it cannot be started
}

// status is the host's data about a job.
type status struct {
	Begun, Alive bool
	Answer       string
}

// ended reports whether a job has ended, with an answer or without.
func (s status) ended() bool { return s.Answer != "" || s.Begun && !s.Alive }

// look starts the job if the host has none, and reports whether the job has ended.
func (w *watch) look(ctx context.Context, h module.Host) (done bool, why string, err error) {
	var s status
	if err := Run(ctx, h, lookScript, w.short(), &s); err != nil {
		return false, "", err
	}
	if s.ended() && !w.known {
		if err := w.forget(ctx, h); err != nil {
			return false, "", err
		}
		s = status{}
	}
	w.known, w.answer = true, s.Answer
	if !s.Begun && !s.Alive && !s.ended() {
		err := Run(ctx, h, startScript, w.placed, nil)
		if errors.As(err, &w.refused) {
			return true, "", nil
		}
		return false, "it starts", err
	}
	return s.ended(), "it runs", nil
}

//go:embed boot.ps1
var bootScript string

// Boot identifies one start of a host.
type Boot struct {
	Time string `json:"time"` // LastBootUpTime in UTC, RFC 3339; it moves when the clock is set
	ID   string `json:"id"`   // creation time of the first process; it does not change
}

// LastBoot reads the start time of the host.
func LastBoot(ctx context.Context, h module.Host) (Boot, error) {
	return Read[Boot](ctx, h, bootScript, nil)
}

// WaitForBoot waits until the host has started again and ready, which can be nil, reports
// that it is usable. The error of a host that is not back in time is a *poll.Late.
func WaitForBoot(ctx context.Context, h module.Host, before Boot, within time.Duration, ready poll.Look) error {
	wait := poll.Wait{For: "the restart of " + h.Name(), Within: within}
	return poll.Until(ctx, h, wait, poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) {
		now, err := LastBoot(ctx, h)
		switch {
		case err != nil:
			return false, "", err
		case now.ID == before.ID:
			return false, fmt.Sprintf("it has not gone down yet: it runs since %s", before.Time), nil
		case ready == nil:
			return true, "", nil
		}
		return ready(ctx)
	}))
}
