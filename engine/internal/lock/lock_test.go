package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
)

// nowhere is where locks of tests are, on a host with the real clock.
func nowhere(t *testing.T) around {
	return around{clock: sinceBoot, proc: "/proc", folder: filepath.Join(t.TempDir(), "kinit", "locks")}
}

func (a around) place(token string) place {
	return place{folder: a.folder, owner: "c1", token: token, proc: a.proc}
}

// do is one operation that must not fail.
func do(t *testing.T, p place, o operation) answer {
	t.Helper()
	a, err := p.do(t.Context(), moduletest.LocalHost(t, ""), o)
	if err != nil {
		t.Fatalf("%s by %s: %v", o.name, p.token, err)
	}
	return a
}

// ask is one operation that must not fail.
func ask(t *testing.T, at team, o operation) answer {
	t.Helper()
	a, err := at.do(t.Context(), o)
	if err != nil {
		t.Fatalf("%s: %v", o.name, err)
	}
	return a
}

func take() operation  { return operation{name: "take"} }
func renew() operation { return operation{name: "renew"} }

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestALiveLockIsHeldAndADeadOneIsTakenOver(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, b backend) {
		t.Parallel()
		first, second := b.lock(t, "a@x/1/FIRST"), b.lock(t, "b@y/2/SECOND")
		for _, whose := range []string{"a free lock", "one's own lock"} {
			if a := ask(t, first, take()); !a.taken || a.was != "" || a.ended != 0 {
				t.Errorf("%s: %+v", whose, a)
			}
		}
		for range 2 {
			if a := ask(t, second, take()); a.taken || a.holder != "a@x/1/FIRST" || a.since < 0 || a.since > time.Minute {
				t.Errorf("somebody else's lock: %+v", a)
			}
		}
		if a := ask(t, second, operation{name: "take", dead: "a@x/1/FIRST"}); !a.taken || a.was != "a@x/1/FIRST" {
			t.Errorf("the lock of a run that has died: %+v", a)
		}
		if a := ask(t, first, renew()); a != (answer{holder: "b@y/2/SECOND"}) {
			t.Errorf("a lock that was taken over: %+v", a)
		}
		if a := ask(t, second, renew()); !a.renewed {
			t.Errorf("the lock of the run that took it over: %+v", a)
		}
	})
}

func TestOthersSeeWhetherALockIsRenewed(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, b backend) {
		t.Parallel()
		first, second := b.lock(t, "a@x/1/FIRST"), b.lock(t, "b@y/2/SECOND")
		ask(t, first, take())
		before := ask(t, second, take()).until
		if again := ask(t, second, take()).until; again != before {
			t.Errorf("it looks renewed: %s and %s", before, again)
		}
		time.Sleep(20 * time.Millisecond) // clocks of hosts count in hundredths of a second
		ask(t, first, renew())
		if after := ask(t, second, take()).until; after == before {
			t.Error("it does not look renewed")
		}
	})
}

func TestTheLinkOnAHostIsThatOfTheRunWithTheLock(t *testing.T) {
	t.Parallel()
	w := nowhere(t)
	first, second := w.place("a@x/1/FIRST"), w.place("b@y/2/SECOND")
	if a := do(t, first, take()); a != (answer{taken: true, folder: w.folder}) {
		t.Errorf("a free lock: %+v", a)
	}
	do(t, second, operation{name: "take", dead: first.token})
	if there(first.link()) || !there(second.link()) {
		t.Error("the link is not that of the run that has taken over")
	}
}

// machine is what a host's clock shows.
func machine(t *testing.T, w around, boot string, uptime string) around {
	t.Helper()
	w.proc = filepath.Join(filepath.Dir(filepath.Dir(w.folder)), "proc")
	random := filepath.Join(w.proc, "sys/kernel/random")
	if err := errors.Join(os.MkdirAll(random, 0o755), os.WriteFile(filepath.Join(random, "boot_id"), []byte(boot+"\n"), 0o644),
		os.WriteFile(filepath.Join(w.proc, "uptime"), []byte(uptime+" 1.00\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTheTimeOfALockIsTheHostsSinceItsStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, boot, uptime string
		away               time.Duration
		taken              bool
	}{
		{"a moment before its time is up", "one", "1029.08", 0, false},
		{"when its time is up", "one", "1029.09", 0, true},
		{"after a restart", "two", "3.00", 0, true},
		{"when a container has started again", "one", "3.00", 0, true},
		{"after a restart that was announced", "two", "299.99", 5 * time.Minute, false},
		{"too long after a restart that was announced", "two", "300.00", 5 * time.Minute, true},
		{"while the host may be away", "one", "1299.08", 5 * time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := machine(t, nowhere(t), "one", "999.09")
			do(t, w.place("FIRST"), take())
			do(t, w.place("FIRST"), operation{name: "renew", away: c.away})
			w = machine(t, w, c.boot, c.uptime)
			if err := os.Chtimes(filepath.Join(w.folder, "c1", "holder"), time.Unix(0, 0), time.Now().Add(24*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if a := do(t, w.place("SECOND"), take()); a.taken != c.taken {
				t.Errorf("got %+v, want taken %v", a, c.taken)
			}
		})
	}
}

func TestARunKeepsItsLockThroughARestartUnlessAnotherOneTookIt(t *testing.T) {
	t.Parallel()
	w := machine(t, nowhere(t), "one", "50.00")
	do(t, w.place("FIRST"), take())
	w = machine(t, w, "two", "1.00")
	if a := do(t, w.place("FIRST"), renew()); !a.renewed {
		t.Errorf("after a restart: %+v", a)
	}
	if a := do(t, w.place("SECOND"), take()); a.taken {
		t.Errorf("it was taken from a run that has renewed it: %+v", a)
	}
	w = machine(t, w, "three", "1.00")
	do(t, w.place("SECOND"), take())
	if a := do(t, w.place("FIRST"), renew()); a.renewed || a.holder != "SECOND" {
		t.Errorf("after another run took it: %+v", a)
	}
}

func TestALockThatSomebodyRemovedIsLost(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, b backend) {
		t.Parallel()
		first := b.lock(t, "FIRST")
		ask(t, first, take())
		b.remove(t)
		if a := ask(t, first, renew()); a.renewed {
			t.Error("it was renewed")
		}
		if a := ask(t, b.lock(t, "SECOND"), take()); !a.taken {
			t.Errorf("the next run does not get it: %+v", a)
		}
	})
}

func TestALockThatSomebodyRemovedInPartIsLost(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"holder", "run.FIRST", ""} {
		w := nowhere(t)
		do(t, w.place("FIRST"), take())
		if err := os.RemoveAll(filepath.Join(w.folder, "c1", what)); err != nil {
			t.Fatal(err)
		}
		if a := do(t, w.place("FIRST"), renew()); a.renewed {
			t.Errorf("it was renewed without %q", what)
		}
	}
	// Without the file, the link of a run that still believes in it goes with the takeover.
	w := nowhere(t)
	do(t, w.place("FIRST"), take())
	if err := os.Remove(filepath.Join(w.folder, "c1", "holder")); err != nil {
		t.Fatal(err)
	}
	if do(t, w.place("SECOND"), take()); there(w.place("FIRST").link()) {
		t.Error("the first run may go on beside the second")
	}
}

func TestALockIsGivenBackAndLeavesNothing(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, b backend) {
		t.Parallel()
		first, second := b.lock(t, "FIRST"), b.lock(t, "SECOND")
		ask(t, first, take())
		ask(t, second, operation{name: "release"})
		if a := ask(t, first, renew()); !a.renewed {
			t.Errorf("somebody else's release removed the lock: %+v", a)
		}
		for range 2 {
			ask(t, first, operation{name: "release"})
		}
		if !b.empty(t) {
			t.Error("something is left of the lock")
		}
	})
}

func TestWhatCannotBeWrittenIsAnErrorAndNoLoop(t *testing.T) {
	t.Parallel()
	w := nowhere(t)
	h := moduletest.LocalHost(t, "")
	if err := errors.Join(os.MkdirAll(filepath.Dir(w.folder), 0o755), os.WriteFile(w.folder, []byte("a file"), 0o644)); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_, err := w.place("FIRST").do(t.Context(), h, take())
	var exit *module.ExitError
	if !errors.As(err, &exit) || exit.Code != 1 || !strings.Contains(exit.Stderr, "cannot make ") || time.Since(begin) > 5*time.Second {
		t.Errorf("after %s: %v", time.Since(begin), err)
	}
}

func TestARunWithoutRoomForItsLockLeavesThatOfTheOther(t *testing.T) {
	t.Parallel()
	w := nowhere(t)
	do(t, w.place("FIRST"), take())
	full := fullHost{moduletest.LocalHost(t, "")}
	if a, err := w.place("FIRST").do(t.Context(), full, renew()); err == nil {
		t.Errorf("it was renewed on a full disk: %+v", a)
	}
	if a := do(t, w.place("FIRST"), renew()); !a.renewed {
		t.Errorf("once there is room: %+v", a)
	}
}

// fullHost is a host on which no file can grow.
type fullHost struct{ module.Host }

func (f fullHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	c.Argv = append([]string{"sh", "-c", `trap '' XFSZ; ulimit -f 0; exec "$@"`, "sh"}, c.Argv...)
	return f.Host.Run(ctx, c)
}

// cutHost is a host whose network can be cut.
type cutHost struct {
	module.Host
	name string
	cut  *atomic.Bool // nil means never
}

func (c *cutHost) Name() string { return c.name }

func (c *cutHost) Run(ctx context.Context, cmd module.Command) (module.Output, error) {
	if c.cut != nil && c.cut.Load() {
		return module.Output{}, fmt.Errorf("%w: the network is cut", transport.ErrUnreachable)
	}
	return c.Host.Run(ctx, cmd)
}

// guard is a run that has begun, with a clock that time in a test moves.
func guard(t *testing.T, w around, token string, told *[]string) (context.Context, *Guard) {
	t.Helper()
	start := time.Now()
	w.clock = func() time.Duration { return time.Since(start) }
	tell := func(host, text string) {
		if told != nil {
			*told = append(*told, host+": "+text)
		}
	}
	ctx, g, err := begin(t.Context(), Options{Owner: "c1", Token: token, Waits: tell, Took: tell}, w)
	if err != nil {
		t.Fatal(err)
	}
	return ctx, g
}

// locked is a host whose network can be cut, and a run that has its lock.
func locked(t *testing.T, w around) (*cutHost, context.Context, *Guard) {
	t.Helper()
	h := &cutHost{Host: moduletest.LocalHost(t, ""), name: "h1", cut: &atomic.Bool{}}
	ctx, g := guard(t, w, "me@here/1/FIRST", nil)
	if err := g.Take(ctx, []module.Host{h}); err != nil {
		t.Fatal(err)
	}
	return h, ctx, g
}

// holding is a run that has the lock of a backend, from which it can be cut off.
func holding(t *testing.T, b backend, cut *atomic.Bool) (context.Context, *Guard) {
	t.Helper()
	ctx, g := b.guard(t, "me@here/1/FIRST", nil)
	if err := b.take(t, ctx, g, cut); err != nil {
		t.Fatal(err)
	}
	return ctx, g
}

func TestARunThatCannotRenewStopsBeforeItsTimeIsUp(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		synctest.Test(t, func(t *testing.T) {
			var cut atomic.Bool
			ctx, g := holding(t, b, &cut)
			defer g.Release(t.Context())
			time.Sleep(time.Minute)
			if ctx.Err() != nil {
				t.Fatalf("it stopped although it could renew: %v", context.Cause(ctx))
			}
			cut.Store(true)
			begin := time.Now()
			<-ctx.Done()
			if after := time.Since(begin); after >= lifetime || after < patience-2*renewal {
				t.Errorf("it stopped after %s", after)
			}
			_, where := b.called()
			if cause := context.Cause(ctx); !errors.Is(cause, ErrLost) || cause.Error() != "the run has lost its lock: that "+where+" could not be renewed for 22s" {
				t.Errorf("because %v", cause)
			}
			if g.Lasting().Err() == nil {
				t.Error("what is done always goes on")
			}
		})
	})
}

func TestTheLockOfARunThatIsCutOffIsTakenOverAfterItHasStopped(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		synctest.Test(t, func(t *testing.T) {
			var cut atomic.Bool
			first, g := holding(t, b, &cut)
			defer g.Release(t.Context())
			cut.Store(true)
			var told []string
			ctx, second := b.guard(t, "you@there/2/SECOND", &told)
			defer second.Release(t.Context())
			begin := time.Now()
			if err := b.take(t, ctx, second, nil); err != nil || time.Since(begin) > lifetime+2*pollTime {
				t.Fatalf("after %s: %v", time.Since(begin), err)
			}
			if cause := context.Cause(first); !errors.Is(cause, ErrLost) {
				t.Errorf("the first run has not stopped: %v", cause)
			}
			name, _ := b.called()
			for i, want := range []string{": for the run of me@here/1/FIRST, which is at work or has died; a dead one's lock is taken over within 30s", ": the lock of me@here/1/FIRST"} {
				if len(told) != 2 || !strings.HasPrefix(told[i], name+want) {
					t.Errorf("told %q, want %q", told, name+want)
				}
			}
		})
	})
}

func TestARunWhoseHostRestartsKeepsItsLock(t *testing.T) {
	w := nowhere(t)
	synctest.Test(t, func(t *testing.T) {
		h, ctx, g := locked(t, w)
		defer g.Release(t.Context())
		back, err := g.Away(ctx, "h1", 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		h.cut.Store(true)
		time.Sleep(9 * time.Minute)
		h.cut.Store(false)
		back()
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Errorf("it stopped: %v", context.Cause(ctx))
		}
	})
}

func TestALockThatIsRenewedIsAnErrorThatNamesItsHolderAndThePlace(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		synctest.Test(t, func(t *testing.T) {
			_, first := holding(t, b, nil)
			defer first.Release(t.Context())
			time.Sleep(2 * time.Second)
			var told []string
			ctx, second := b.guard(t, "you@there/2/SECOND", &told)
			defer second.Release(t.Context())
			err := b.take(t, ctx, second, nil)
			name, where := b.called()
			if !errors.Is(err, ErrHeld) || !strings.HasPrefix(err.Error(), "another run is at work: me@here/1/FIRST holds the lock of c1 "+where+", for ") {
				t.Errorf("got %v", err)
			}
			if want := name + ": for the run of me@here/1/FIRST, which is at work or has died; a dead one's lock is taken over within 30s"; len(told) != 1 || told[0] != want {
				t.Errorf("told %q", told)
			}
		})
	})
}

func TestRunsOfATeamExcludeEachOtherWithoutASharedHost(t *testing.T) {
	w, b := [2]around{nowhere(t), nowhere(t)}, newEtcdBackend(t)
	synctest.Test(t, func(t *testing.T) {
		host := func(i int) []module.Host {
			return []module.Host{&placedHost{cutHost: cutHost{Host: moduletest.LocalHost(t, ""), name: fmt.Sprintf("h%d", i)}, folder: w[i].folder}}
		}
		ctx, first := b.guard(t, "me@here/1/FIRST", nil)
		if err := errors.Join(first.TakeTeam(ctx), first.Take(ctx, host(0))); err != nil {
			t.Fatal(err)
		}
		ctx, second := b.guard(t, "you@there/2/SECOND", nil)
		if err := second.TakeTeam(ctx); !errors.Is(err, ErrHeld) {
			t.Errorf("got %v", err)
		}
		second.Release(ctx)
		first.Release(ctx)
		ctx, third := b.guard(t, "you@there/2/THIRD", nil)
		if err := errors.Join(third.TakeTeam(ctx), third.Take(ctx, host(1))); err != nil {
			t.Errorf("after the first run: %v", err)
		}
		third.Release(ctx)
		if !b.empty(t) {
			t.Error("a run that has ended has kept its lock")
		}
	})
}

func TestRunsThatShareAHostExcludeEachOtherWhateverTheOrder(t *testing.T) {
	w := [3]around{nowhere(t), nowhere(t), nowhere(t)}
	synctest.Test(t, func(t *testing.T) {
		host := func(i int) module.Host {
			return &placedHost{cutHost: cutHost{Host: moduletest.LocalHost(t, ""), name: fmt.Sprintf("h%d", i)}, folder: w[i].folder}
		}
		ctx, first := guard(t, around{proc: "/proc"}, "me@here/1/FIRST", nil)
		if err := first.Take(ctx, []module.Host{host(0), host(1)}); err != nil {
			t.Fatal(err)
		}
		ctx, second := guard(t, around{proc: "/proc"}, "you@there/2/SECOND", nil)
		defer second.Release(t.Context())
		err := second.Take(ctx, []module.Host{host(2), host(1)})
		if !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), " on h1, ") {
			t.Errorf("got %v", err)
		}
		if there(filepath.Join(w[2].folder, "c1")) {
			t.Error("a run that has not got all locks has kept one")
		}
		first.Release(t.Context())
		for _, w := range w {
			if there(filepath.Join(w.folder, "c1")) {
				t.Error("a run that has ended has kept a lock")
			}
		}
	})
}

// placedHost is a host with a folder of locks of its own.
type placedHost struct {
	cutHost
	folder string
}

func (p *placedHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if len(c.Argv) > 5 && c.Argv[3] == "lock" {
		c.Argv[5] = p.folder
	}
	return p.cutHost.Run(ctx, c)
}

func TestAHostThatDoesNotAnswerIsLockedWhenItDoes(t *testing.T) {
	w := nowhere(t)
	synctest.Test(t, func(t *testing.T) {
		h := &cutHost{Host: moduletest.LocalHost(t, ""), name: "h1", cut: &atomic.Bool{}}
		h.cut.Store(true)
		ctx, g := guard(t, w, "me@here/1/FIRST", nil)
		defer g.Release(t.Context())
		if err := g.Take(ctx, []module.Host{h}); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Admit(ctx, h, false); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("it was admitted: %v", err)
		}
		h.cut.Store(false)
		if link, err := g.Admit(ctx, h, false); err != nil || !there(link) {
			t.Errorf("link %q, error %v", link, err)
		}
	})
}
