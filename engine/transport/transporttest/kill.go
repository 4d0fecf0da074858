package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/transport"
)

// soon is how long a kill may take: two seconds for a polite end, the rest for a
// busy machine.
const soon = 30 * time.Second

func (s suite) kill(t *testing.T) {
	for _, name := range []string{
		"a program", "a grandchild", "a background grandchild", "a group that ignores SIGTERM", "a child that outlives its leader",
		"a group of its own (timeout)", "a stopped process", "a command that fills its pipe",
	} {
		s.behaviour(t, name, func(t *testing.T) { s.kills(t, s.dialect.kill[name], nil) })
	}
	s.behaviour(t, "while it waits for input", func(t *testing.T) {
		from, _ := io.Pipe()
		s.kills(t, s.dialect.kill["while it waits for input"], from)
	})
	s.behaviour(t, "while it does not read its input", func(t *testing.T) {
		s.kills(t, s.dialect.kill["while it does not read its input"], endless{})
	})
	s.behaviour(t, "before it began", func(t *testing.T) {
		ctx, conn := s.conn(t)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := conn.Exec(ended, transport.Process{Line: s.say("x", 0)})
		wantIs(t, err, context.Canceled)
	})
	s.behaviour(t, "a deadline", func(t *testing.T) {
		ctx, conn := s.conn(t)
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := conn.Exec(short, transport.Process{Line: s.sleep})
		wantIs(t, err, context.DeadlineExceeded)
	})
	s.behaviour(t, "at any moment", s.race)
}

// kills runs a line that writes two lines to a file, cancels it and looks for
// processes that are left.
func (s suite) kills(t *testing.T, line string, in io.Reader) {
	t.Parallel()
	ctx, conn := s.conn(t)
	if line == "" {
		t.Fatal("the dialect has no line for it, and no reason")
	}
	pids := s.folder(ctx, t, conn) + "/pids"
	short, cancel := context.WithCancel(ctx)
	ended := begin(short, conn, transport.Process{Line: fmt.Sprintf(line, pids), Stdin: in})
	var started []string
	until(ctx, t, "the command begins", func() bool {
		started = strings.Fields(sh(ctx, t, conn, s.readFile(pids)).stdout)
		return len(started) >= 2
	})
	killed := time.Now()
	cancel()
	wantIs(t, <-ended, context.Canceled)
	for _, pid := range started { // the kernel may take a moment to clear away what was killed
		until(ctx, t, "process "+pid+" is gone", func() bool { return !s.runs(ctx, t, conn, pid) })
	}
	if took := time.Since(killed); took > soon {
		t.Errorf("the kill took %v", took)
	}
	s.goesOn(ctx, t, conn)
}

func (s suite) runs(ctx context.Context, t *testing.T, conn transport.Conn, pid string) bool {
	t.Helper()
	return sh(ctx, t, conn, s.alive(pid)).stdout != ""
}

// race cancels commands after ever longer times, so that every moment of their
// lives is hit.
func (s suite) race(t *testing.T) {
	ctx, conn := s.conn(t)
	for i := range 30 {
		short, cancel := context.WithTimeout(ctx, time.Duration(i)*400*time.Microsecond)
		code, err := conn.Exec(short, transport.Process{Line: s.nap})
		cancel()
		if err == nil && code == 3 {
			continue
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("try %d: code %d, error %v", i, code, err)
		}
	}
	want(t, "afterwards", sh(ctx, t, conn, s.say("fine", 2)), outcome{2, "fine\n", ""})
}

func (s suite) parallel(t *testing.T) {
	ctx, conn := s.conn(t)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			var out strings.Builder
			line := s.sayBoth(strconv.Itoa(i), i)
			code, err := conn.Exec(ctx, transport.Process{Line: line, Stdout: &out})
			if err != nil || code != i || out.String() != fmt.Sprintf("%d\n", i) {
				t.Errorf("command %d: code %d, output %q, error %v", i, code, out.String(), err)
			}
		})
	}
	all.Wait()
	s.behaviour(t, "waiting for a turn ends with the context", func(t *testing.T) {
		busy, cancel := context.WithCancel(ctx)
		for range 40 {
			all.Go(func() {
				_, err := conn.Exec(busy, transport.Process{Line: s.sleep})
				wantIs(t, err, context.Canceled)
			})
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		all.Wait()
		s.goesOn(ctx, t, conn)
	})
}

func (s suite) close(t *testing.T) {
	s.behaviour(t, "ends what runs", func(t *testing.T) {
		ctx, watch := s.conn(t)
		_, conn := s.conn(t)
		pids := s.folder(ctx, t, watch) + "/pids"
		ended := begin(ctx, conn, transport.Process{Line: s.pidAndWait(pids)})
		var pid string
		until(ctx, t, "the command begins", func() bool {
			pid = strings.TrimSpace(sh(ctx, t, watch, s.readFile(pids)).stdout)
			return pid != ""
		})
		check(t, conn.Close())
		wantIs(t, <-ended, net.ErrClosed)
		until(ctx, t, "the process is gone", func() bool { return !s.runs(ctx, t, watch, pid) })
	})
	s.behaviour(t, "twice, and nothing works afterwards", func(t *testing.T) {
		ctx, conn := s.conn(t)
		s.goesOn(ctx, t, conn)
		for range 2 {
			check(t, conn.Close())
		}
		_, err := conn.Exec(ctx, transport.Process{Line: s.say("x", 0)})
		wantIs(t, err, net.ErrClosed)
	})
}
