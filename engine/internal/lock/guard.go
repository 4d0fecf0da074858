package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"kinit/engine/internal/etcd"
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

// now reads this machine's clock.
func (g *Guard) now() time.Duration { return g.around.clock() }

func (g *Guard) lock(name string) *held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.locks[name]
}

// Fenced records that a host has refused a command of this run.
func (g *Guard) Fenced(name string) {
	g.lose(fmt.Errorf("%w: %s refuses commands, another run has taken over there", ErrLost, name))
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

// taken returns the error for a lock that another run took over.
func (g *Guard) taken(l *held, a answer) error {
	err := fmt.Errorf("%w: that %s was taken over by %s", ErrLost, l.where(), cmp.Or(a.holder, "somebody"))
	if l.has() {
		g.lose(err)
	}
	return err
}

// keep renews a lock until it is given back or lost. A host that does not answer is asked
// again.
func (g *Guard) keep(l *held) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-g.keeping.Done():
			return
		}
		g.alive.renew()
		timed, cancel := context.WithTimeout(g.keeping, patience/2)
		sent := g.now()
		a, err := l.do(timed, operation{name: "renew", away: l.absence(sent)})
		cancel()
		switch {
		case err != nil: // watch measures the time
			l.failed(err)
		case a.renewed:
			l.confirm(sent)
		default:
			_ = g.taken(l, a)
			return
		}
	}
}

// watch ends the run if a lock was not renewed in time, so that it stops before others may
// take over. The cause may be that this machine or process slept.
func (g *Guard) watch() {
	ticker := time.NewTicker(watching)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-g.keeping.Done():
			return
		}
		if err := g.overdue(); err != nil {
			g.lose(err)
			return
		}
	}
}

func (g *Guard) overdue() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := slices.Collect(maps.Values(g.locks))
	if g.team != nil {
		all = append(all, g.team)
	}
	var err error
	for _, l := range all {
		if l.overdue(g.now()) {
			err = errors.Join(err, fmt.Errorf("%w: that %s could not be renewed for %s%s", ErrLost, l.where(), patience, l.reason()))
		}
	}
	return err
}
