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

// Options is the input of Begin.
type Options struct {
	Owner string
	Token string       // the unique name of the run, without spaces
	Runs  Runs         // on this machine, so that locks of dead runs need no waiting
	Etcd  *etcd.Config // the team's lock; nil means none
	// Waits is called with the reason why the run waits, and the host or "etcd"; Took with
	// what it has taken over. Both may be nil.
	Waits, Took func(host, text string)
}

// Guard holds the locks of one run. It is safe for use by several goroutines.
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
	team  *held            // nil if it is not taken
}

// Begin records that a run is alive. The returned context also ends when the run has lost a
// lock or could not renew one; its cause is then ErrLost. Release must be called.
func Begin(ctx context.Context, o Options) (context.Context, *Guard, error) {
	return begin(ctx, o, around{clock: sinceBoot, proc: "/proc", folder: folder})
}

// around is the environment of a Guard; tests replace it.
type around struct {
	clock  func() time.Duration // of this machine
	proc   string               // the folder of a host's clock
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

// Token returns the run's token.
func (g *Guard) Token() string { return g.options.Token }

// Lasting returns a context that ends only when the run must stop completely, including
// tasks that are done always.
func (g *Guard) Lasting() context.Context { return g.lasting }

// Take takes the lock on each host, in an order that is the same for all runs, or on none.
// It waits until a lock that nobody renews expires. If a lock is renewed meanwhile, it
// returns ErrHeld with the holder, the place and the duration. It leaves out hosts where it
// cannot find that out; Admit decides about them later.
func (g *Guard) Take(ctx context.Context, hosts []module.Host) error {
	for _, h := range sorted(ctx, hosts) {
		if _, err := g.Admit(ctx, h, false); errors.Is(err, ErrHeld) {
			g.free(ctx)
			return err
		}
	}
	return ctx.Err()
}

// Admit takes the lock on one host, unless the run has it, and returns the path of a link
// that exists on the host while the run may work there. A run that holds the other locks
// also gets the lock on a host that the owner's playbook makes; that lock is not renewed.
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
		l.refused = err // another attempt would wait again
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

// decided reports whether a held lock decides about the hosts that the playbook makes. The
// caller holds the mutex.
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

// now reads this machine's clock.
func (g *Guard) now() time.Duration { return g.around.clock() }

func (g *Guard) lock(name string) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.locks[name]
}

// Fenced records that a host has refused a command of this run.
func (g *Guard) Fenced(name string) {
	g.lose(fmt.Errorf("%w: %s refuses what it is told, another run has taken over there", ErrLost, name))
}

// Away announces that a host will be away, for example for a restart, for at most within.
// It keeps its lock for that time. The caller calls the returned function when the host is
// back.
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

// Release gives all locks back, even after ctx has ended. A lock whose host does not answer
// within ten seconds, or three after ctx has ended, expires by itself. It may be called
// twice: the second call removes nothing.
func (g *Guard) Release(ctx context.Context) {
	g.stop()
	g.free(ctx)
	g.lose(nil)
	g.ended.Wait()
	g.alive.end()
}

// free gives the held locks back. A lock whose host does not answer expires by itself.
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

// The time limits for giving a lock back. A host that the playbook makes may no longer
// exist; after an interrupt the user waits.
const (
	freeTime        = 10 * time.Second
	freeMadeTime    = 2 * time.Second
	freeStoppedTime = 3 * time.Second
)
