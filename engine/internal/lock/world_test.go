package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// world is what one history happens to. Its time is that of the bubble it is in.
type world struct {
	t          *testing.T
	seed       uint64
	start      time.Time
	sum        *tally
	hosts      []*simulated
	etcd       *etcdBackend // of the contenders' team; nil means that they have none
	contenders []*contender
	all        sync.WaitGroup // contenders and the director
	flights    sync.WaitGroup // what is on its way in a network
	calm       atomic.Bool    // nothing bad happens any more

	mu    sync.Mutex
	epoch int
	runs  map[*simulatedRun]bool // at work
	cuts  map[[2]string]time.Time
	rand  *rand.Rand // of networks
}

// simulated is a host. Its clock and its locks are real files.
type simulated struct {
	name   string
	folder string // of locks
	proc   string

	mu       sync.Mutex
	booted   time.Time // when the clock began
	boots    int       // starts of the machine
	changed  time.Time // when its clock or its disk was last touched by the director
	full     time.Time // until when the disk is full
	down     time.Time // until when the machine restarts
	newest   int       // the last epoch of a run that has the lock here
	newestBy string
}

// simulatedRun is a run that believes it has locks.
type simulatedRun struct {
	contender *contender
	ctx       context.Context
	token     string
	epoch     int
	began     time.Time
	links     []*route
	lost      time.Time // when another run took over; zero when none did
	teamLost  time.Time // the same, of the team's lock
}

func newWorld(t *testing.T, seed uint64, dir string, sum *tally, etcd *etcdBackend) *world {
	w := &world{t: t, seed: seed, start: time.Now(), sum: sum, etcd: etcd, runs: map[*simulatedRun]bool{}, cuts: map[[2]string]time.Time{},
		rand: rand.New(rand.NewPCG(seed, 50))}
	count := 2 + int(seed%2)
	if etcd != nil {
		count = 3
	}
	for i := range count {
		h := &simulated{name: fmt.Sprintf("h%d", i), booted: w.start.Add(-time.Duration(100+i) * time.Hour)}
		h.folder, h.proc = filepath.Join(dir, h.name, "kinit", "locks"), filepath.Join(dir, h.name, "proc")
		if err := os.MkdirAll(filepath.Join(h.proc, "sys/kernel/random"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.hosts = append(w.hosts, h)
	}
	return w
}

// some is a part of the hosts in any order; of a team one, so that mostly etcd alone decides.
func (w *world) some(r *rand.Rand) []*simulated {
	if w.etcd != nil {
		return []*simulated{w.hosts[r.IntN(len(w.hosts))]}
	}
	var hosts []*simulated
	for _, i := range r.Perm(len(w.hosts))[:1+r.IntN(len(w.hosts))] {
		hosts = append(hosts, w.hosts[i])
	}
	return hosts
}

// direct is what happens to the world. All is well again before the history is over.
func (w *world) direct() {
	r := rand.New(rand.NewPCG(w.seed, 51))
	span := func(most time.Duration) time.Duration { return time.Second + time.Duration(r.Int64N(int64(most))) }
	for time.Since(w.start) < historyTime {
		time.Sleep(span(14 * time.Second))
		h, c := w.hosts[r.IntN(len(w.hosts))], w.contenders[r.IntN(len(w.contenders))]
		if w.etcd != nil && r.IntN(3) == 0 {
			w.cutFrom(w.working(c), teamName, 15*time.Second+span(45*time.Second))
			continue
		}
		switch r.IntN(6) {
		case 0, 1:
			w.cut(c, h, span(45*time.Second))
			if r.IntN(2) == 0 { // from all
				for _, h := range w.hosts {
					w.cut(c, h, span(45*time.Second))
				}
			}
		case 2:
			c.asleep.Store(max(c.asleep.Load(), int64(time.Since(w.start)+span(60*time.Second))))
		case 3:
			h.step(r)
		case 4:
			h.restart(r.IntN(2) == 0, span(4*time.Second))
		case 5:
			h.fill(span(40 * time.Second))
		}
	}
}

func (w *world) cut(c *contender, h *simulated, d time.Duration) { w.cutFrom(c, h.name, d) }

// working is a contender who has a run at work, or else the one that is given.
func (w *world) working(c *contender) *contender {
	w.mu.Lock()
	defer w.mu.Unlock()
	for r := range w.runs {
		if r.lost.IsZero() {
			c = r.contender
		}
	}
	return c
}

func (w *world) cutFrom(c *contender, name string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cuts[[2]string{c.name, name}] = time.Now().Add(d)
}

// step sets the host's clock: nothing but the times of files shows it.
func (h *simulated) step(r *rand.Rand) {
	there := time.Now().Add(time.Duration(r.Int64N(int64(1000*time.Hour))) - 500*time.Hour)
	files, _ := filepath.Glob(filepath.Join(h.folder, "c1", "*"))
	for _, file := range append(files, h.folder, filepath.Join(h.folder, "c1")) {
		_ = os.Chtimes(file, there, there) // it may have gone
	}
}

// restart reboots the host, or restarts only the container that it is.
func (h *simulated) restart(machine bool, d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed, h.booted, h.down = time.Now(), time.Now(), time.Now().Add(d)
	if machine {
		h.boots++
	}
}

func (h *simulated) fill(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.full = time.Now().Add(d)
}

var errDown = fmt.Errorf("%w: the host is down", transport.ErrUnreachable)

// exec runs an operation of the script on the host.
func (h *simulated) exec(c module.Command) (module.Output, error) {
	argv := append([]string{}, c.Argv...)
	h.mu.Lock()
	if time.Now().Before(h.down) {
		h.mu.Unlock()
		return module.Output{}, errDown
	}
	if len(argv) > 10 {
		argv[5], argv[10] = h.folder, h.proc
	}
	if time.Now().Before(h.full) {
		argv = append([]string{"sh", "-c", `trap '' XFSZ; ulimit -f 0; exec "$@"`, "sh"}, argv...)
	}
	up := time.Since(h.booted)
	h.put("uptime", fmt.Sprintf("%d.%02d 1.00\n", int(up.Seconds()), up.Milliseconds()/10%100))
	h.put("sys/kernel/random/boot_id", fmt.Sprintf("%s-%d\n", h.name, h.boots))
	h.mu.Unlock()
	var stdout, stderr strings.Builder
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = &module.ExitError{Code: exit.ExitCode(), Stderr: stderr.String()}
	}
	return module.Output{Stdout: stdout.String()}, err
}

// put replaces a file below /proc in one go.
func (h *simulated) put(name, text string) {
	file := filepath.Join(h.proc, name)
	if os.WriteFile(file+".new", []byte(text), 0o644) == nil {
		_ = os.Rename(file+".new", file) // a host without a clock fails all operations
	}
}

// route is the way from a contender to a host. Only what locks use of a host is there.
type route struct {
	module.Host
	contender *contender
	host      *simulated
}

func (c *contender) links(hosts []*simulated) []module.Host {
	var all []module.Host
	for _, h := range hosts {
		all = append(all, &route{contender: c, host: h})
	}
	return all
}

func (p *route) Name() string  { return p.host.name }
func (p *route) OS() module.OS { return module.Linux }

// Run runs a command of the lock on the host.
func (p *route) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if len(c.Argv) < 5 { // what the host is called
		return module.Output{Stdout: p.host.name}, ctx.Err()
	}
	return carry(ctx, p.contender, p.host.name, func() (module.Output, error) { return p.host.exec(c) })
}

// carry brings something to a host or to etcd, and the answer back. What is on its way when
// a network is cut may arrive later, even when nothing waits for it any more.
func carry[T any](ctx context.Context, c *contender, to string, do func() (T, error)) (T, error) {
	type result struct {
		out T
		err error
	}
	c.pause()
	there, arrives, back := c.world.travel(c, to)
	results := make(chan result, 1)
	c.world.flights.Go(func() {
		time.Sleep(there)
		if !arrives {
			return
		}
		out, err := do()
		time.Sleep(back)
		results <- result{out, err}
	})
	select {
	case r := <-results:
		c.pause()
		return r.out, r.err
	case <-ctx.Done():
		c.pause()
		var none T
		return none, fmt.Errorf("%w: %w", transport.ErrUnreachable, ctx.Err())
	}
}

// travel is how long something takes there, whether it arrives, and how long the answer
// takes.
func (w *world) travel(c *contender, to string) (there time.Duration, arrives bool, back time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	there, arrives = time.Duration(w.rand.Int64N(int64(40*time.Millisecond))), true
	back = there
	if w.calm.Load() {
		return there, true, back
	}
	switch w.rand.IntN(60) {
	case 0:
		there = time.Duration(w.rand.Int64N(int64(45 * time.Second)))
	case 1:
		back = time.Duration(w.rand.Int64N(int64(45 * time.Second)))
	}
	if left := time.Until(w.cuts[[2]string{c.name, to}]); left > 0 {
		there += left
		arrives = w.rand.IntN(2) == 0
	}
	return there, arrives, back
}

// owner is whose lock in etcd the history is about.
func (w *world) owner() string { return fmt.Sprintf("h%d", w.seed) }

// team is the lock of the contender's team for a run, nil where it has none.
func (w *world) team(c *contender, token string) team {
	if w.etcd == nil {
		return nil
	}
	return &teamRoute{c, &leased{backend: w.etcd, owner: w.owner(), lock: w.etcd.owned(w.owner(), token)}}
}

// teamRoute is the way from a contender to etcd.
type teamRoute struct {
	contender *contender
	lock      *leased
}

func (r *teamRoute) do(ctx context.Context, o operation) (answer, error) {
	timed, cancel := context.WithTimeout(ctx, etcdTime)
	defer cancel()
	return carry(timed, r.contender, teamName, func() (answer, error) { return r.lock.do(ctx, o) })
}

// begins notes that a run has its locks.
func (w *world) begins(c *contender, ctx context.Context, g *Guard) *simulatedRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
	w.sum.runs.Add(1)
	r := &simulatedRun{contender: c, ctx: ctx, token: g.Token(), epoch: w.epoch, began: time.Now()}
	for _, h := range w.hosts {
		if l := g.lock(h.name); l != nil && l.has() {
			r.links = append(r.links, &route{contender: c, host: h})
			if !there(l.place.link()) { // it was suspended, and does not know yet
				r.lost = time.Now()
				w.sum.losses.Add(1)
				continue
			}
			h.mu.Lock()
			h.newest, h.newestBy = r.epoch, r.token
			h.mu.Unlock()
			w.overtakes(r, h)
		}
	}
	if w.etcd != nil {
		w.overtakesTeam(r)
	}
	w.runs[r] = true
	return r
}

// overtakesTeam notes the loss of the team's lock of all others. They have stopped by
// themselves but for those who were suspended, and may not know yet.
func (w *world) overtakesTeam(by *simulatedRun) {
	if !w.etcd.holds(w.owner(), by.token) { // it was suspended, and may not know yet
		by.lost, by.teamLost = time.Now(), time.Now()
		w.sum.losses.Add(1)
		return
	}
	for r := range w.runs {
		if !r.teamLost.IsZero() {
			continue
		}
		r.teamLost = time.Now()
		if r.lost.IsZero() {
			r.lost = r.teamLost
			w.sum.losses.Add(1)
		}
		if r.ctx.Err() == nil && r.contender.left() < -time.Second {
			w.t.Errorf("%s took over from %s in etcd, which had not stopped by itself", by.token, r.token)
		}
	}
}

// overtakes notes the loss of all others that work on a host. Those whose time was up have
// stopped by themselves; only a run that was suspended, or whose host was rebooted, may not
// know yet.
func (w *world) overtakes(by *simulatedRun, h *simulated) {
	for r := range w.runs {
		for _, l := range r.links {
			if l.host != h || !r.lost.IsZero() {
				continue
			}
			r.lost = time.Now()
			w.sum.losses.Add(1)
			h.mu.Lock()
			restarted := h.changed.After(r.began.Add(-time.Minute))
			h.mu.Unlock()
			if r.ctx.Err() == nil && r.contender.left() < -time.Second && !restarted {
				w.t.Errorf("%s took over from %s on %s, which had not stopped by itself", by.token, r.token, h.name)
			}
		}
	}
}

// late looks whether a run goes on for too long after another has taken over.
func (w *world) late(r *simulatedRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := -r.contender.left() // for how long it is awake
	if r.ctx.Err() == nil && !r.lost.IsZero() && time.Since(r.lost) > patience+time.Second && known > patience+time.Second {
		w.t.Errorf("%s has not noticed after %s that it has lost its lock", r.token, time.Since(r.lost))
	}
}

// ends notes that a run does nothing more.
func (w *world) ends(r *simulatedRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runs, r)
	if !r.lost.IsZero() && errors.Is(context.Cause(r.ctx), ErrLost) {
		w.sum.noticed.Add(1)
	}
}

// change changes the host for a run, as commands and paths of files do: only if its link is
// there at that moment.
func (p *route) change(ctx context.Context, r *simulatedRun, g *Guard) {
	w := p.contender.world
	_, err := carry(ctx, p.contender, p.host.name, func() (module.Output, error) {
		p.host.mu.Lock()
		defer p.host.mu.Unlock()
		if time.Now().Before(p.host.down) {
			return module.Output{}, errDown
		}
		link := filepath.Join(p.host.folder, "c1", "run."+Name(r.token))
		if _, err := os.Lstat(link); err != nil {
			w.sum.refused.Add(1)
			return module.Output{}, transport.ErrFenced
		}
		w.sum.changes.Add(1)
		if p.host.newest > r.epoch {
			w.t.Errorf("%s changed %s although %s had taken over", r.token, p.host.name, p.host.newestBy)
		}
		return module.Output{}, nil
	})
	if errors.Is(err, transport.ErrFenced) {
		g.Fenced(p.host.name)
	}
}
