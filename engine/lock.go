package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/run"
)

// ErrLocked is the cause of the problem of a run that found another one at work on what
// its owner has.
var ErrLocked = lock.ErrHeld

// unlockTime is how long giving a lock back may take after an interrupt.
const unlockTime = 10 * time.Second

// locked calls f while this run alone works on what the plan's owner has. The lock
// is on the first host, where all runs of the owner look for it.
func (l *loaded) locked(ctx context.Context, pool *host.Pool, f func(ctx context.Context)) diag.List {
	if l.plan.Owner == "" || l.check {
		f(ctx)
		return nil
	}
	name := inventory.Localhost
	if len(l.hosts) > 0 {
		name = l.hosts[0].Name
	}
	within, held, err := l.acquire(ctx, pool, name)
	if err != nil {
		return lockProblem(name, l.options.Redactor.Redact(err.Error()), err)
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTime)
		defer cancel()
		_ = held.Release(last) // it expires by itself
	}()
	f(within)
	if cause := context.Cause(within); errors.Is(cause, lock.ErrHeld) {
		return lockProblem(name, cause.Error(), cause)
	}
	return nil
}

// acquire takes the lock on a host, and returns a context that lasts as long as it.
func (l *loaded) acquire(ctx context.Context, pool *host.Pool, name string) (context.Context, *lock.Lock, error) {
	machine, err := pool.Get(ctx, name)
	if err != nil {
		return ctx, nil, err
	}
	waits := func(p event.Progress) {
		sink(l.options.Events).Emit(event.Event{Time: time.Now(), Kind: event.RunWaits, Host: name, Message: l.options.Redactor.Redact(p.Text)})
	}
	runs := lock.Runs{}
	if l.options.StateDir != "" {
		runs.Folder = filepath.Join(l.options.StateDir, "at-work")
	}
	return lock.Acquire(ctx, machine.Bind("", waits), runs, l.plan.Owner, token())
}

// token names a run: who, where, and what makes it unique.
func token() string {
	who, where := "somebody", "somewhere"
	if u, err := user.Current(); err == nil {
		who = u.Username
	}
	if name, err := os.Hostname(); err == nil {
		where = name
	}
	return fmt.Sprintf("%s@%s/%d/%s", who, where, os.Getpid(), rand.Text()[:8])
}

func lockProblem(name, text string, err error) diag.List {
	summary := run.Summary(err)
	if errors.Is(err, lock.ErrHeld) {
		summary = "Another run is at work"
		text += ". Wait for it to end; a run that has died gives its lock up within half a minute."
	}
	return diag.List{{Summary: summary, Detail: text, Host: name, Cause: err}}
}
