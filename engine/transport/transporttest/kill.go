package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/shell"
	"kinit/engine/transport"
)

// soon is how long a kill may take: two seconds for a polite end, the rest for a
// busy machine.
const soon = 10 * time.Second

func (s suite) kill(t *testing.T) {
	stubborn := `trap '' TERM INT HUP; echo $$ >>%[1]s; ` +
		`sh -c 'trap "" TERM; echo $$ >>%[1]s; while :; do sleep 0.1; done' & ` +
		`while :; do sleep 0.1; done`
	lines := map[string]string{
		"a program":                        `echo $$ >>%[1]s; echo $$ >>%[1]s; exec sleep 1000`,
		"a grandchild":                     `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; sleep 1000; :'; :`,
		"a background grandchild":          `sh -c 'echo $$ >>%[1]s; sleep 1000; :' & echo $$ >>%[1]s; wait`,
		"a group that ignores SIGTERM":     stubborn,
		"a child that outlives its leader": `(trap '' TERM; exec sh -c 'echo $$ >>%[1]s; exec sleep 1000') & echo $$ >>%[1]s; exec sleep 1000`,
		"a group of its own (timeout)":     `echo $$ >>%[1]s; timeout 900 sh -c 'echo $$ >>%[1]s; exec sleep 1000'; :`,
		"a stopped process":                `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; kill -STOP $$'`,
		"a command that fills its pipe":    `echo $$ >>%[1]s; echo $$ >>%[1]s; yes`,
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) { s.kills(t, line, nil) })
	}
	t.Run("while it waits for input", func(t *testing.T) {
		from, _ := io.Pipe()
		s.kills(t, `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; exec cat'`, from)
	})
	t.Run("while it does not read its input", func(t *testing.T) {
		s.kills(t, `echo $$ >>%[1]s; sh -c 'echo $$ >>%[1]s; exec sleep 1000'`, endless{})
	})
	t.Run("before it began", func(t *testing.T) {
		ctx, conn := s.conn(t)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := conn.Exec(ended, transport.Process{Line: "true"})
		wantIs(t, err, context.Canceled)
	})
	t.Run("a deadline", func(t *testing.T) {
		ctx, conn := s.conn(t)
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		_, err := conn.Exec(short, transport.Process{Line: "sleep 1000"})
		wantIs(t, err, context.DeadlineExceeded)
	})
	t.Run("at any moment", func(t *testing.T) { s.race(t) })
}

// kills runs a line that writes two lines to a file, cancels it and looks for
// processes that are left.
func (s suite) kills(t *testing.T, line string, in io.Reader) {
	t.Parallel()
	ctx, conn := s.conn(t)
	pids := folder(ctx, t, conn) + "/pids"
	short, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(short, transport.Process{Line: fmt.Sprintf(line, shell.POSIX(pids)), Stdin: in})
		ended <- err
	}()
	var started []string
	until(ctx, t, "the command begins", func() bool {
		started = strings.Fields(sh(ctx, t, conn, "cat "+shell.POSIX(pids)+" 2>/dev/null; :").stdout)
		return len(started) >= 2
	})
	begin := time.Now()
	cancel()
	wantIs(t, <-ended, context.Canceled)
	for _, pid := range started { // the kernel may take a moment to clear away what was killed
		until(ctx, t, "process "+pid+" is gone", func() bool { return !alive(ctx, t, conn, pid) })
	}
	if took := time.Since(begin); took > soon {
		t.Errorf("the kill took %v", took)
	}
	want(t, "the next command", sh(ctx, t, conn, "echo fine"), outcome{0, "fine\n", ""})
}

// alive tells whether a process runs. One that nobody has waited for yet does
// not.
func alive(ctx context.Context, t *testing.T, conn transport.Conn, pid string) bool {
	t.Helper()
	stat := sh(ctx, t, conn, "cat /proc/"+pid+"/stat 2>/dev/null; :").stdout
	_, state, found := strings.Cut(stat, ") ")
	return found && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// race cancels commands after ever longer times, so that every moment of their
// lives is hit.
func (s suite) race(t *testing.T) {
	ctx, conn := s.conn(t)
	for i := range 30 {
		short, cancel := context.WithTimeout(ctx, time.Duration(i)*400*time.Microsecond)
		code, err := conn.Exec(short, transport.Process{Line: "sleep 0.005; exit 3"})
		cancel()
		if err == nil && code == 3 {
			continue
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("try %d: code %d, error %v", i, code, err)
		}
	}
	want(t, "afterwards", sh(ctx, t, conn, "echo fine; exit 2"), outcome{2, "fine\n", ""})
}

func (s suite) parallel(t *testing.T) {
	ctx, conn := s.conn(t)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			var out strings.Builder
			line := fmt.Sprintf("sleep 0.01; echo %d; echo error >&2; exit %d", i, i)
			code, err := conn.Exec(ctx, transport.Process{Line: line, Stdout: &out})
			if err != nil || code != i || out.String() != fmt.Sprintf("%d\n", i) {
				t.Errorf("command %d: code %d, output %q, error %v", i, code, out.String(), err)
			}
		})
	}
	all.Wait()
	t.Run("waiting for a turn ends with the context", func(t *testing.T) {
		busy, cancel := context.WithCancel(ctx)
		for range 40 {
			all.Go(func() {
				_, err := conn.Exec(busy, transport.Process{Line: "sleep 1000"})
				wantIs(t, err, context.Canceled)
			})
		}
		time.AfterFunc(50*time.Millisecond, cancel)
		all.Wait()
		want(t, "afterwards", sh(ctx, t, conn, "echo fine"), outcome{0, "fine\n", ""})
	})
}

func (s suite) close(t *testing.T) {
	t.Run("ends what runs", func(t *testing.T) {
		ctx, watch := s.conn(t)
		_, conn := s.conn(t)
		pids := folder(ctx, t, watch) + "/pids"
		ended := make(chan error, 1)
		go func() {
			_, err := conn.Exec(ctx, transport.Process{Line: "echo $$ >" + pids + "; exec sleep 1000"})
			ended <- err
		}()
		var pid string
		until(ctx, t, "the command begins", func() bool {
			pid = strings.TrimSpace(sh(ctx, t, watch, "cat "+pids+" 2>/dev/null; :").stdout)
			return pid != ""
		})
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		wantIs(t, <-ended, net.ErrClosed)
		until(ctx, t, "the process is gone", func() bool { return !alive(ctx, t, watch, pid) })
	})
	t.Run("twice, and nothing works afterwards", func(t *testing.T) {
		ctx, conn := s.conn(t)
		sh(ctx, t, conn, "true")
		for range 2 {
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}
		_, err := conn.Exec(ctx, transport.Process{Line: "true"})
		wantIs(t, err, net.ErrClosed)
	})
}
