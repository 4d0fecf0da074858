// Package lock lets one run at a time work on what an owner has.
//
// The lock is a small file on a host. Whoever holds it renews it; a lock that was
// not renewed for a while belongs to a run that has died, and is taken over without
// anybody's help. Only the host's own clock counts. One of a run that began on the same
// machine and has died there is taken over as soon as what it had begun on hosts has had a
// moment to end.
package lock

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
)

// Times of a lock.
const (
	lifetime = 20 * time.Second // without a renewal a lock is dead
	renewal  = 5 * time.Second  // between two renewals
	pollTime = time.Second      // between two looks at somebody else's lock
	busyTime = 5 * time.Second  // more than enough for one look
	graceful = 3 * time.Second  // what a run that has died had begun on hosts gets to end
)

// Where locks are on a host.
const (
	folder        = "/var/lib/kinit/locks"
	windowsFolder = "C:/ProgramData/kinit/locks"
)

// ErrHeld says that another run holds the lock.
var ErrHeld = errors.New("another run is at work")

// Lock is held until Release.
type Lock struct {
	host  module.Host
	file  string
	token string
	alive *alive
	lost  context.CancelCauseFunc
	stop  context.CancelFunc
	ended sync.WaitGroup
}

// Acquire takes the owner's lock on a host. A lock that nobody renews is waited for
// until it is dead; one that is renewed meanwhile is ErrHeld, with who holds it. The
// token names this run and is unique. Waiting is reported to the host. The context
// returned ends when the lock is lost.
func Acquire(ctx context.Context, h module.Host, runs Runs, owner, token string) (context.Context, *Lock, error) {
	file := path.Join(folderOf(h), owner)
	alive, err := runs.begin(token)
	if err != nil {
		return ctx, nil, err
	}
	if err := take(ctx, h, runs, file, token); err != nil {
		alive.end()
		return ctx, nil, err
	}
	ctx, lost := context.WithCancelCause(ctx)
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lock{host: h, file: file, token: token, alive: alive, lost: lost, stop: stop}
	l.ended.Go(func() { l.renew(renewing) })
	return ctx, l, nil
}

func folderOf(h module.Host) string {
	if h.OS() == module.Windows {
		return windowsFolder
	}
	return folder
}

// take tries until it has the lock or sees that its holder is alive.
func take(ctx context.Context, h module.Host, runs Runs, file, token string) error {
	first, dead := "", ""
	for {
		answer, err := try(ctx, h, file, token, dead)
		if err != nil {
			return fmt.Errorf("take the lock %s: %w", file, err)
		}
		if answer == "taken" {
			return nil
		}
		pause := pollTime
		switch who := holder(answer); {
		case who != dead && runs.died(who):
			dead, pause = who, graceful
		case first == "":
			first = answer
			h.Report(event.Progress{Text: "for the run of " + who + ", which is at work or has died; a dead one's lock is taken over within " + lifetime.String()})
		case answer != first:
			return fmt.Errorf("%w: %s holds the lock %s on %s and renews it", ErrHeld, who, file, h.Name())
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// holder is who holds a lock, from what is in it.
func holder(content string) string {
	who, _, _ := strings.Cut(content, " ")
	return who
}

// script takes the lock $1 for $2 when there is none, when it is $2's already, when it is
// older than $3 seconds or when it is $5's, who has died, and prints "taken"; else it
// prints what is in it. The folder of a name is made in one step by the kernel, so that
// two runs at the same moment do not both win. One that is $4 seconds old is that of a
// run that was killed in between.
const script = `
mkdir -p "${1%/*}"
until mkdir "$1.busy" 2>/dev/null; do
	age=$(($(date +%s) - $(stat -c %Y "$1.busy" 2>/dev/null || date +%s)))
	[ "$age" -gt "$4" ] && rmdir "$1.busy" 2>/dev/null
	sleep 0.1
done
trap 'rmdir "$1.busy" 2>/dev/null' EXIT
trap 'exit 1' HUP INT TERM
now=$(date +%s)
if [ -f "$1" ] && read -r holder at <"$1" && [ "$holder" != "$2" ] && [ "$holder" != "$5" ] && [ $((now - at)) -le "$3" ]; then
	echo "$holder $at"
	exit 0
fi
echo "$2 $now" >"$1.new" && mv "$1.new" "$1" && echo taken
`

// try looks at the lock once. dead names a run that has died, or nobody.
func try(ctx context.Context, h module.Host, file, token, dead string) (string, error) {
	c := module.Command{Argv: []string{"sh", "-c", script, "lock", file, token, seconds(lifetime), seconds(busyTime), dead}}
	if h.OS() == module.Windows {
		c = windowsCommand(windowsTake, file, token, dead)
	}
	out, err := h.Run(ctx, c)
	return strings.TrimSpace(out.Stdout), err
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// renew keeps the lock alive until it is released or was taken by somebody else. A
// host that does not answer for a moment is asked again.
func (l *Lock) renew(ctx context.Context) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		l.alive.renew()
		answer, err := try(ctx, l.host, l.file, l.token, "")
		if err == nil && answer != "taken" {
			l.lost(fmt.Errorf("%w: the lock %s on %s was taken over", ErrHeld, l.file, l.host.Name()))
			return
		}
	}
}

// release removes the lock $1 if it is $2's, and folders that are empty then.
const release = `
[ -f "$1" ] && read -r holder at <"$1" && [ "$holder" = "$2" ] && rm -f "$1"
rmdir "${1%/*}" 2>/dev/null && rmdir /var/lib/kinit 2>/dev/null
exit 0
`

// Release gives the lock back. Calling it twice is fine: the second call finds
// nothing of its own to remove.
func (l *Lock) Release(ctx context.Context) error {
	l.stop()
	l.ended.Wait()
	l.lost(nil)
	defer l.alive.end()
	c := module.Command{Argv: []string{"sh", "-c", release, "unlock", l.file, l.token}}
	if l.host.OS() == module.Windows {
		c = windowsCommand(windowsRelease, l.file, l.token, "")
	}
	_, err := l.host.Run(ctx, c)
	return err
}
