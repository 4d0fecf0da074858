package lock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kinit/engine/internal/etcd"
	"kinit/engine/module"
)

// Options is what a Guard needs to know of its run.
type Options struct {
	Owner string
	Token string       // names the run and is unique; it has no spaces
	Runs  Runs         // of this machine, so that a dead one's locks need not be waited for
	Etcd  *etcd.Config // where the team's lock is; nil means that it has none
	// Waits is told why the run waits, on which host or that it is in "etcd"; Took of what it
	// has taken over. Both may be nil.
	Waits, Took func(host, text string)
}

// Guard is the locks of one run. It is safe for use by several goroutines.
type Guard struct {
	options Options
	around  around
	alive   *alive

	lasting context.Context
	lose    context.CancelCauseFunc
	keeping context.Context // while locks are renewed
	stop    context.CancelFunc
	ended   sync.WaitGroup

	mu    sync.Mutex
	locks map[string]*held // by the host's name
	team  *held            // nil where it is not taken
}

// Begin says that a run lives. The context returned also ends when the run has lost a lock
// or could not keep one; its cause is then ErrLost. Release must be called.
func Begin(ctx context.Context, o Options) (context.Context, *Guard, error) {
	return begin(ctx, o, around{clock: sinceBoot, proc: "/proc", folder: folder})
}

// around is what a Guard has around it; tests have their own.
type around struct {
	clock  func() time.Duration // of this machine
	proc   string               // where a host's clock is
	folder string               // of a host's locks
	team   team                 // nil means none
}

func begin(ctx context.Context, o Options, a around) (context.Context, *Guard, error) {
	alive, err := o.Runs.begin(o.Token)
	if err != nil {
		return ctx, nil, err
	}
	if o.Etcd != nil {
		a.team = inEtcd{etcd.New(*o.Etcd, folderName(o.Owner), o.Token, lifetime)}
	}
	g := &Guard{options: o, around: a, alive: alive, locks: map[string]*held{}}
	lasting, end := context.WithCancelCause(context.WithoutCancel(ctx))
	within, cancel := context.WithCancelCause(ctx)
	g.lasting, g.lose = lasting, func(cause error) {
		end(cause)
		cancel(cause)
	}
	g.keeping, g.stop = context.WithCancel(g.lasting)
	g.ended.Go(g.watch)
	return within, g, nil
}

// Token names the run.
func (g *Guard) Token() string { return g.options.Token }

// Lasting is a context that ends only when the run may do nothing more, not even what is
// done always.
func (g *Guard) Lasting() context.Context { return g.lasting }

// Take takes the lock on each host, in an order that is the same for all runs, or on none.
// A lock that nobody renews is waited for until it is dead; one that is renewed meanwhile is
// ErrHeld, with who holds it, where and for how long. Hosts on which that cannot be found
// out are left out: they are admitted later, or not.
func (g *Guard) Take(ctx context.Context, hosts []module.Host) error {
	for _, h := range sorted(ctx, hosts) {
		if _, err := g.Admit(ctx, h, false); errors.Is(err, ErrHeld) {
			g.free(ctx)
			return err
		}
	}
	return ctx.Err()
}

// Admit takes the lock on one host, if the run has it not yet, and returns the path of
// what is on the host for as long as the run may work there. The lock on a host that the
// owner's own playbook makes goes to whoever has those of the others, and is not renewed.
func (g *Guard) Admit(ctx context.Context, h module.Host, made bool) (string, error) {
	if g.keeping.Err() != nil {
		return "", fmt.Errorf("%w: it has given all of them back", ErrLost)
	}
	g.mu.Lock()
	l, known := g.locks[h.Name()]
	if !known {
		l = &held{host: h, made: made && g.decided(), taking: make(chan struct{}, 1)}
		l.place = place{folder: g.folderOf(h), owner: folderName(g.options.Owner), token: g.options.Token, proc: g.around.proc}
		g.locks[h.Name()] = l
	}
	g.mu.Unlock()
	select {
	case l.taking <- struct{}{}:
		defer func() { <-l.taking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if l.has() {
		return l.place.link(), nil
	}
	if l.refused != nil {
		return "", l.refused
	}
	sent, err := g.take(ctx, l)
	if errors.Is(err, ErrHeld) {
		l.refused = err // who asks again would wait again
	}
	if err != nil {
		return "", err
	}
	l.confirm(sent)
	if !l.made {
		g.ended.Go(func() { g.keep(l) })
	}
	return l.place.link(), nil
}

// decided tells whether there is a lock that says whose the hosts are that the playbook
// makes. The caller holds the mutex.
func (g *Guard) decided() bool {
	for _, l := range g.locks {
		if !l.made && l.has() {
			return true
		}
	}
	return false
}

func (g *Guard) folderOf(h module.Host) string {
	if h.OS() == module.Windows {
		return windowsFolder
	}
	return g.around.folder
}

// now is this machine's clock.
func (g *Guard) now() time.Duration { return g.around.clock() }

func (g *Guard) lock(name string) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.locks[name]
}

// Fenced says that a host has refused to do something for this run.
func (g *Guard) Fenced(name string) {
	g.lose(fmt.Errorf("%w: %s refuses what it is told, another run has taken over there", ErrLost, name))
}

// Away says that a host is about to be away, through a restart of it, for so long at most.
// It keeps its lock for that time. The function returned says that it is back.
func (g *Guard) Away(ctx context.Context, name string, within time.Duration) (back func(), err error) {
	l := g.lock(name)
	if l == nil || l.made {
		return func() {}, nil
	}
	l.leave(g.now() + within)
	sent := g.now()
	a, err := l.do(ctx, operation{name: "renew", away: within})
	if err != nil {
		l.leave(0)
		return nil, fmt.Errorf("keep the lock while %s restarts: %w", name, err)
	}
	if !a.renewed {
		return nil, g.taken(l, a)
	}
	l.confirm(sent)
	return func() {
		l.confirm(g.now())
		l.leave(0)
	}, nil
}

// Release gives all locks back, even after ctx has ended; what does not answer within ten
// seconds, or three when ctx has ended, is left to expire. Calling it twice is fine: the second call finds nothing of its
// own to remove.
func (g *Guard) Release(ctx context.Context) {
	g.stop()
	g.free(ctx)
	g.lose(nil)
	g.ended.Wait()
	g.alive.end()
}

// free gives the locks back that there are. What does not answer is left to expire.
func (g *Guard) free(ctx context.Context) {
	g.mu.Lock()
	locks := g.locks
	g.locks = map[string]*held{}
	g.mu.Unlock()
	var all sync.WaitGroup
	for _, l := range locks {
		limit := freeTime
		if l.made {
			limit = freeMadeTime
		}
		if ctx.Err() != nil {
			limit = min(limit, freeStoppedTime)
		}
		all.Go(func() {
			if l.give() {
				timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
				defer cancel()
				_, _ = l.do(timed, operation{name: "release"})
			}
		})
	}
	all.Wait()
	g.freeTeam(ctx)
}

// How long giving a lock back may take. A host that the playbook makes may be gone by now;
// for a run that was interrupted somebody waits.
const (
	freeTime        = 10 * time.Second
	freeMadeTime    = 2 * time.Second
	freeStoppedTime = 3 * time.Second
)
