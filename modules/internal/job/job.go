// Package job runs programs on a host that go on when the connection is lost: it starts them,
// looks what has become of them, and collects what they have printed.
//
// A job has a folder with its files that only its user can enter. A process on the host attends
// it: that process ends the job when its time is up, and is what a run that takes over finds
// and ends.
package job

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/transport"
)

//go:embed start.sh
var startScript string

//go:embed attend.sh
var attendScript string

//go:embed look.sh
var lookScript string

//go:embed stop.sh
var stopScript string

// collectScript prints what the job in the folder $1 has printed, and ends as it did.
const collectScript = `cat "$1/stdout"; cat "$1/stderr" >&2; read -r code <"$1/code"; exit "$code"`

// Job is a program that was started: the folder of its files on the host.
type Job string

// folder matches a job. The folder is removed later, so nothing else may be taken for one.
var folder = regexp.MustCompile(`^/var/tmp/kinit-job\.[A-Z2-7]{26}$`)

// Parse reads a job from the output of a task.
func Parse(text string) (Job, error) {
	if !folder.MatchString(text) {
		return "", fmt.Errorf("%.100q is no job: it is the output job of a task with async", text)
	}
	return Job(text), nil
}

// New returns a job that is not started yet. The name of its folder cannot be guessed.
func New() Job { return Job("/var/tmp/kinit-job." + rand.Text()) }

// Start starts a program, which the host ends after a time. After an error it may run
// nevertheless, until Stop.
func (j Job) Start(ctx context.Context, h module.Host, c module.Command, limit time.Duration) error {
	seconds := strconv.FormatFloat(limit.Seconds(), 'f', -1, 64)
	c.Argv = append([]string{"sh", "-c", startScript, "start", attendScript, string(j), seconds}, c.Argv...)
	c.Long, c.Line, c.Name = false, nil, "the script that starts a job"
	if _, err := h.Run(ctx, c); err != nil {
		return fmt.Errorf("start the job: %w", err)
	}
	return nil
}

// State is what has become of a job.
type State string

// The states of a job.
const (
	Running State = "running"
	Done    State = "done"
	Late    State = "late"    // its time was up, and the host has ended it
	Lost    State = "lost"    // it ended without a result
	Gone    State = "gone"    // its files were collected or removed
	Foreign State = "foreign" // another user has started it
)

// Look asks the host what has become of the job.
func (j Job) Look(ctx context.Context, h module.Host) (State, error) {
	out, err := h.Run(ctx, j.command(lookScript))
	if err != nil {
		return "", err
	}
	return State(strings.TrimSpace(out.Stdout)), nil
}

// The longest time for one look, how long a host may not answer after the time of a job is up,
// and the time between looks at a host that does not answer.
const (
	patience = 20 * time.Second
	grace    = 2 * time.Minute
	again    = time.Second
)

// Await looks at times until the job has ended. A host that does not answer is asked again, until
// the job cannot run any more.
func (j Job) Await(ctx context.Context, h module.Host, every, limit time.Duration) (State, error) {
	begin := time.Now()
	for {
		timed, cancel := context.WithTimeout(transport.AtOnce(ctx), patience)
		state, err := j.Look(timed, h)
		cancel()
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == nil && state != Running:
			return state, nil
		case err != nil && !Absent(err):
			return "", fmt.Errorf("look at the job: %w", err)
		case err != nil && time.Since(begin) > limit+grace:
			return "", fmt.Errorf("the host does not answer, and the job's time is up: %w", err)
		}
		pause, what := every, "the job runs"
		if err != nil {
			pause, what = again, "the host does not answer, the job goes on"
		}
		h.Report(event.Progress{Text: fmt.Sprintf("%s, %s", what, time.Since(begin).Truncate(time.Second))})
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Absent reports whether the host did not answer. A changed host key is an answer.
func Absent(err error) bool {
	return !errors.Is(err, transport.ErrHostKey) && !errors.Is(err, transport.ErrFenced) &&
		(errors.Is(err, transport.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded))
}

// Collect returns what a job has printed. It ends as the job did, with an *ExitError for another
// code than 0.
func (j Job) Collect(ctx context.Context, h module.Host) (module.Output, error) {
	c := j.command(collectScript)
	c.Long = true
	return h.Run(ctx, c)
}

// Remove removes the files of a job that has ended.
func (j Job) Remove(ctx context.Context, h module.Host) error {
	if _, err := h.Run(ctx, module.Command{Argv: []string{"rm", "-rf", string(j)}}); err != nil {
		return fmt.Errorf("remove the files of the job: %w", err)
	}
	return nil
}

// Stop ends the job and removes its files.
func (j Job) Stop(ctx context.Context, h module.Host) error {
	if _, err := h.Run(ctx, j.command(stopScript)); err != nil {
		return fmt.Errorf("end the job: %w", err)
	}
	return nil
}

func (j Job) command(script string) module.Command {
	return module.Command{Name: "the script of the job", Argv: []string{"sh", "-c", script, "job", string(j)}}
}
