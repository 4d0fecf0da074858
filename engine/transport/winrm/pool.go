package winrm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
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

// pool holds the shells of one machine. Callers wait for an idle one.
type pool struct {
	client *client

	mu      sync.Mutex
	idle    []*shell
	count   int           // idle, busy, and being made
	limit   int           // the most that the machine allows, as far as known
	changed chan struct{} // closed and replaced when something becomes free
	closed  bool
	owned   sync.WaitGroup // deletions; only close waits for all of them
}

func newPool(c *client) *pool {
	return &pool{client: c, limit: mostShells, changed: make(chan struct{})}
}

// take returns an idle shell, a new one, or waits for one to become idle. If the machine
// refuses a further shell, the limit is lowered; it is an error only if there is no shell
// at all.
func (p *pool) take(ctx context.Context) (*shell, error) {
	for {
		s, fresh, changed, err := p.next()
		if s != nil || err != nil {
			return s, err
		}
		if !fresh {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		id, err := p.make(ctx)
		if err == nil {
			return &shell{id: id}, nil
		}
		if others := p.failed(err); others == 0 || !overQuota(err) {
			return nil, err
		}
	}
}

// overQuota reports whether the machine refused a shell or a command because there are too
// many.
func overQuota(err error) bool {
	f := asFault(err)
	return f != nil && f.is(codeTooManyShells, codeTooManyCommands)
}

// next returns an idle shell, or reports that one may be made, or returns the channel to
// wait for.
func (p *pool) next() (s *shell, fresh bool, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nil, net.ErrClosed
	}
	if n := len(p.idle); n > 0 {
		s, p.idle = p.idle[n-1], p.idle[:n-1]
		return s, false, nil, nil
	}
	if p.count < p.limit {
		p.count++
		return nil, true, nil, nil
	}
	return nil, false, p.changed, nil
}

// failed records that no shell was made, and returns how many others there are.
func (p *pool) failed(err error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count--
	if overQuota(err) && p.count > 0 {
		p.limit = p.count
	}
	p.wake()
	return p.count
}

// refused records that the machine lets no command start in a shell. If not even one did,
// deleting the shell frees nothing; so the limit is lowered, and callers wait for the others.
func (p *pool) refused(s *shell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.commands == 1 && p.count > 1 {
		p.limit = max(min(p.limit, p.count)-1, 1)
	}
}

// mostMakes is the number of attempts to make a shell if the answer is lost or the machine
// is not ready yet; with pause that is half a minute.
const mostMakes = 15

// make makes a shell. A shell whose id was lost ends by itself after its idle time.
func (p *pool) make(ctx context.Context) (string, error) {
	for try := 1; ; try++ {
		id, err := p.client.create(ctx)
		if err == nil || try == mostMakes || !p.worthwhile(err, try) {
			return id, err
		}
		if err := pause(ctx, try); err != nil {
			return "", err
		}
	}
}

// worthwhile reports whether another attempt may help.
func (p *pool) worthwhile(err error, try int) bool {
	if lost, ok := errors.AsType[*lostError](err); ok {
		return lost.sent && try == 1
	}
	f := asFault(err)
	return f != nil && f.passing()
}

// put gives a shell back. A broken or used-up shell is deleted.
func (p *pool) put(ctx context.Context, s *shell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.broken && s.commands < mostCommands && !p.closed {
		p.idle = append(p.idle, s)
		p.wake()
		return
	}
	p.remove(ctx, s)
}

// remove deletes a shell that is not idle, in the background, and closes the channel
// afterwards. The caller holds the lock.
func (p *pool) remove(ctx context.Context, s *shell) <-chan struct{} {
	done := make(chan struct{})
	p.owned.Go(func() {
		defer close(done)
		timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
		defer cancel()
		_ = p.client.deleteShell(timed, s.id) // otherwise it ends after its idle time
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count--
		p.wake()
	})
	return done
}

// renew deletes the idle shells, which frees their part of the quota of operations.
func (p *pool) renew(ctx context.Context) {
	for _, done := range p.removeIdle(ctx) {
		<-done
	}
}

func (p *pool) removeIdle(ctx context.Context) []<-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []<-chan struct{}
	for _, s := range p.idle {
		all = append(all, p.remove(ctx, s))
	}
	p.idle = nil
	return all
}

// wake makes all waiting callers check again. The caller holds the lock.
func (p *pool) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// close deletes the shells. All commands must have ended.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.removeIdle(ctx)
	p.owned.Wait()
}

// pause waits between two tries, longer each time, from 50 ms to 3 s.
func pause(ctx context.Context, try int) error {
	return life.Wait(ctx, min(50*time.Millisecond<<min(try-1, 10), 3*time.Second))
}

// gone returns the error for a command whose shell has vanished.
func gone(err error) error {
	return fmt.Errorf("%w: the command's shell is gone, so it is unknown how far it came: the machine or its WinRM service was started anew: %w", transport.ErrUnreachable, err)
}
