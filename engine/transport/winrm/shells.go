package winrm

import (
	"context"
	"errors"
	"time"

	"kinit/engine/pace"
	"kinit/engine/transport/internal/shells"
)

// mostShells is the most shells, and so commands at the same time, on one machine, of
// the 30 that a user may have (MaxShellsPerUser).
const mostShells = 3

// mostCommands is how many commands run in a shell before it is deleted. An ended command
// counts against the quota of operations until then ([MS-WSMV] appendix A, note 118), which
// is 1500 for all shells of a user.
const mostCommands = 400

// clearing is how long ending a shell or a command may take.
const clearing = 5 * time.Second

// shell is a shell on the machine. One command at a time uses it.
type shell struct {
	id       string
	commands int  // commands started in it
	broken   bool // no further command can run in it
}

// usable reports whether a further command can run in the shell.
func (s *shell) usable() bool { return !s.broken && s.commands < mostCommands }

// newShells returns the shells of a machine. A shell that cannot be deleted ends after its
// idle time.
func newShells(c *client, spawn func(work func()) bool) *shells.Set[*shell] {
	return shells.New(shells.Kind[*shell]{
		Most: mostShells, Start: c.newShell, Full: overQuota, Spawn: spawn,
		End: func(ctx context.Context, s *shell) {
			timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
			defer cancel()
			_ = c.deleteShell(timed, s.id)
		},
	})
}

// overQuota reports whether the machine refused a shell or a command because there are too
// many.
func overQuota(err error) bool {
	f := asFault(err)
	return f != nil && f.is(codeTooManyShells, codeTooManyCommands)
}

// mostMakes is the number of attempts to make a shell if the answer is lost or the machine
// is not ready yet; with pause that is half a minute.
const mostMakes = 15

// newShell makes a shell. A shell whose id was lost ends by itself after its idle time.
func (c *client) newShell(ctx context.Context) (*shell, error) {
	for try := 1; ; try++ {
		id, err := c.create(ctx)
		if err == nil {
			return &shell{id: id}, nil
		}
		if try == mostMakes || !worthwhile(err, try) {
			return nil, err
		}
		if err := pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

// worthwhile reports whether another attempt may help.
func worthwhile(err error, try int) bool {
	if lost, ok := errors.AsType[*lostError](err); ok {
		return lost.sent && try == 1
	}
	f := asFault(err)
	return f != nil && f.passing()
}

// pause waits between two tries, longer each time, from 50 ms to 3 s.
func pause(ctx context.Context, try int) error {
	return pace.Wait(ctx, min(50*time.Millisecond<<min(try-1, 10), 3*time.Second))
}
