package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// How many histories a test run, one with KINIT_ALL and "make faults" go through.
const (
	fewHistories   = 40
	someHistories  = 100
	manyHistories  = 10_000
	historyWorkers = 2

	someTeamHistories = 16 // with an etcd
	manyTeamHistories = 1_000
)

// TestHistories lets three contenders work on the same two or three hosts, with the real
// script on real shells, while time is simulated: networks are cut and delayed, contenders
// are suspended and killed, hosts restart, their clocks step and their disks fill up. The
// seed is the number of a history.
//
// In none a change is made by a run after another one has taken its place, and every loss
// is noticed in time.
func TestHistories(t *testing.T) {
	histories(t, fewHistories, someHistories, manyHistories, nil)
}

// TestHistoriesOfATeam is the same with a real etcd, which contenders are cut off from too.
// Whether they share a host or not, none begins before the other has stopped.
func TestHistoriesOfATeam(t *testing.T) {
	histories(t, someTeamHistories, someTeamHistories, manyTeamHistories, newEtcdBackend(t))
}

func histories(t *testing.T, few, some, many int, etcd *etcdBackend) {
	count := few
	switch {
	case os.Getenv("KINIT_EVERY_FAULT") != "":
		count = many
	case os.Getenv("KINIT_ALL") != "":
		count = some
	}
	var sum tally
	t.Run("all", func(t *testing.T) {
		for worker := range historyWorkers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for seed := worker; seed < count && !t.Failed(); seed += historyWorkers {
					history(t, uint64(seed), &sum, etcd)
				}
			})
		}
	})
	t.Logf("%d histories, with the seeds from 0 on: %s", count, &sum)
	quiet := sum.overtaken.Load() == 0 || sum.held.Load() == 0
	if etcd == nil { // of a team's few, hosts may have refused none
		quiet = quiet || sum.refused.Load() == 0 || sum.noticed.Load() == 0
	}
	if quiet {
		t.Error("the histories are too quiet to show anything")
	}
}

// tally counts what histories had in them.
type tally struct {
	runs, held, overtaken, changes, refused, losses, noticed atomic.Int64
}

func (s *tally) String() string {
	return fmt.Sprintf("%d runs began, %d were refused, %d took over from another; %d changes were made, %d refused; %d of %d losses were noticed by runs that went on",
		s.runs.Load(), s.held.Load(), s.overtaken.Load(), s.changes.Load(), s.refused.Load(), s.noticed.Load(), s.losses.Load())
}

// How long a history lasts, and how long afterwards a run may take to get all locks.
const (
	historyTime = 110 * time.Second
	afterwards  = 2 * (lifetime + tryTime)
)

// history goes through one history.
func history(t *testing.T, seed uint64, sum *tally, etcd *etcdBackend) {
	dir := t.TempDir()
	defer os.RemoveAll(dir) // thousands of histories are one test
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, seed, dir, sum, etcd)
		for i := range 3 {
			c := &contender{world: w, name: fmt.Sprintf("c%d", i), rand: rand.New(rand.NewPCG(seed, uint64(i)+1))}
			w.contenders = append(w.contenders, c)
		}
		w.all.Go(w.direct)
		for _, c := range w.contenders {
			w.all.Go(c.live)
		}
		w.all.Wait()
		w.flights.Wait()
		w.calm.Store(true)
		time.Sleep(time.Minute) // until disks have room again
		w.afterwards()
		w.flights.Wait()
	})
	if t.Failed() {
		t.Errorf("in the history %d", seed)
	}
}

// afterwards looks whether a run gets all locks when all is well again, and leaves nothing.
func (w *world) afterwards() {
	last := &contender{world: w, name: "last", rand: rand.New(rand.NewPCG(w.seed, 99))}
	for until := time.Now().Add(afterwards); ; time.Sleep(time.Second) {
		ctx, g := last.begin("last")
		err := g.TakeTeam(ctx)
		if err == nil {
			err = g.Take(ctx, last.links(w.hosts))
		}
		if err == nil && len(g.locks) < len(w.hosts) {
			err = errors.New("not on all hosts")
		}
		g.Release(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrHeld) || time.Now().After(until) {
			w.t.Errorf("the locks cannot be taken any more: %v", err)
			return
		}
	}
	for _, h := range w.hosts {
		if there(filepath.Join(h.folder, "c1")) {
			w.t.Errorf("something is left of the locks on %s", h.name)
		}
	}
	if w.etcd != nil && w.etcd.left(w.t, "/"+w.owner()+"/") > 0 {
		w.t.Error("something is left of the lock in etcd")
	}
}

// contender is a person who starts runs of the same owner, one after the other.
type contender struct {
	world *world
	name  string
	rand  *rand.Rand // of live alone

	asleep atomic.Int64 // when the contender's machine wakes, ns since the start of the history
}

// pause is where a contender is that is suspended.
func (c *contender) pause() {
	for left := c.left(); left > 0; left = c.left() {
		time.Sleep(left)
	}
}

// left is for how long the contender is still suspended; below zero, for how long it is awake.
func (c *contender) left() time.Duration {
	return time.Duration(c.asleep.Load()) - time.Since(c.world.start)
}

func (c *contender) begin(id string) (context.Context, *Guard) {
	clock := func() time.Duration {
		c.pause()
		return time.Since(c.world.start)
	}
	token := c.name + "@sim/1/" + id
	ctx, g, err := begin(context.Background(), Options{Owner: "c1", Token: token,
		Took: func(string, string) { c.world.sum.overtaken.Add(1) }}, around{clock: clock, proc: "/proc", folder: folder, team: c.world.team(c, token)})
	if err != nil {
		c.world.t.Fatal(err)
	}
	return ctx, g
}

// live starts runs until the history is over.
func (c *contender) live() {
	for i := 0; time.Since(c.world.start) < historyTime; i++ {
		time.Sleep(time.Duration(c.rand.Int64N(int64(6 * time.Second))))
		hosts := c.world.some(c.rand)
		ctx, g := c.begin(fmt.Sprintf("%s-%d-%d", c.name, i, c.world.seed))
		err := g.TakeTeam(ctx)
		if err == nil {
			err = g.Take(ctx, c.links(hosts))
		}
		if errors.Is(err, ErrHeld) {
			c.world.sum.held.Add(1)
		}
		killed := err == nil && c.work(ctx, g)
		if killed {
			g.stop()
			g.lose(nil)
			g.ended.Wait()
			continue
		}
		g.Release(ctx)
	}
}

// work changes hosts for a while, and tells whether the run was killed meanwhile.
func (c *contender) work(ctx context.Context, g *Guard) bool {
	r := c.world.begins(c, ctx, g)
	defer c.world.ends(r)
	if len(r.links) == 0 {
		return false
	}
	killed := c.rand.IntN(3) == 0
	for until := time.Now().Add(time.Duration(c.rand.Int64N(int64(70 * time.Second)))); time.Now().Before(until); {
		time.Sleep(50*time.Millisecond + time.Duration(c.rand.Int64N(int64(3*time.Second))))
		c.pause()
		if ctx.Err() != nil {
			return killed
		}
		l := r.links[c.rand.IntN(len(r.links))]
		timed, cancel := context.WithTimeout(ctx, 10*time.Second)
		l.change(timed, r, g)
		cancel()
		c.world.late(r)
	}
	return killed
}
