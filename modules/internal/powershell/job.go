package powershell

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
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

// patience is how long one look at a host may take that may have lost its network.
const patience = time.Minute

// Job is a script that goes on without the connection: one that cuts the network,
// restarts the host, or must not end half way. The host runs it as a scheduled task of
// the system.
//
// It is begun at most once. A job of the same name, script and arguments that is still
// there, since kinit was interrupted, is waited for instead of begun again. When it has
// ended, nothing of it is left.
type Job struct {
	Name   string // in messages, and part of the name of its folder: letters, digits and "-"
	Script string
	Args   any           // an object
	Within time.Duration // how long it may take, with the host being back
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
	var answer string
	wait := poll.Wait{For: j.Name, Within: j.Within}
	err = poll.Until(ctx, h, wait, poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) {
		done, text, err := running.look(ctx, h)
		answer = text
		return done, "it runs", err
	}))
	if err != nil {
		return err
	}
	forget := poll.Wait{For: "the end of " + j.Name, Within: j.Within}
	err = poll.Until(ctx, h, forget, poll.Tolerant(patience, func(ctx context.Context) (bool, string, error) {
		return true, "", Run(ctx, h, forgetScript, running, nil)
	}))
	if err != nil {
		return err
	}
	if answer == "" {
		return fmt.Errorf("%s: %w", j.Name, ErrLost)
	}
	return read(h, answer, nil, result)
}

// placed is a job with its place on the host, as the scripts know it.
type placed struct {
	ID     string `json:"id"`
	Folder string `json:"folder"`
	Script string `json:"script"`
	Input  string `json:"input"`
}

// place gives the job a name of its own: other arguments make another job.
func (j Job) place() (placed, error) {
	input, err := encode(j.Args)
	if err != nil {
		return placed{}, err
	}
	script := jobPrologue + whole(j.Script)
	sum := sha256.Sum256(append([]byte(script), input...))
	id := j.Name + "-" + hex.EncodeToString(sum[:6])
	return placed{ID: id, Folder: jobs + id, Script: script, Input: string(input)}, nil
}

// look begins the job where it has not begun, and tells whether it has ended. The
// answer of a job that has died is empty.
func (p placed) look(ctx context.Context, h module.Host) (done bool, answer string, err error) {
	var s struct {
		Begun, Alive bool
		Answer       string
	}
	if err := Run(ctx, h, lookScript, p.short(), &s); err != nil {
		return false, "", err
	}
	switch {
	case s.Answer != "":
		return true, s.Answer, nil
	case s.Begun:
		return !s.Alive, "", nil
	case s.Alive:
		return false, "", nil
	}
	return false, "", Run(ctx, h, startScript, p, nil)
}

// short is the job without what only its start needs.
func (p placed) short() placed { return placed{ID: p.ID, Folder: p.Folder} }
