package faults

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kinit/engine/event"
)

// Over SSH messages are not visible from outside: the machine restarts at each piece of data that
// the client sends for the task's work.
func TestRestartAtEveryPieceOverSSH(t *testing.T) {
	t.Parallel()
	for _, c := range tasks("") {
		if c.module != "win_powershell" && c.module != "win_copy" && c.module != "win_registry" {
			continue
		}
		t.Run(c.module, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, ssh)
			restarts, finished := again(t, c, func(n int) (event.Status, bool) { return s.interruptSSH(t, c, n) })
			t.Logf("%d restarts: %d runs finished, the others named the step", restarts, finished)
		})
	}
}

// interruptSSH is interrupt over SSH, at the piece after n others.
func (s *site) interruptSSH(t *testing.T, c task, n int) (event.Status, bool) {
	t.Helper()
	restart := &restart{site: s, ended: make(chan error, 1)}
	var armed atomic.Bool
	var seen atomic.Int64
	relay := newRelay(t, s.node.Endpoint.Addr(22).String(), func() {
		if armed.Load() && seen.Add(1) == int64(n)+1 {
			restart.begin(t.Context())
		}
	})
	through := *s
	through.folder = newFolder(t, s.node, ssh)
	rewrite(t, through.folder, s.node.SSH, relay.port())
	got := through.run(t, c.module, c.do, func(e event.Event) {
		armed.Store(e.Kind == event.StepStarted || armed.Load() && e.Kind != event.TaskFinished)
	})
	relay.close()
	fired := restart.wait(t)
	what := fmt.Sprintf("restart at piece %d", n)
	switch {
	case got.Status == event.Changed:
	case !fired || got.Status != event.Unreachable || !strings.Contains(event.FirstLine(got.Message), "unreachable: "):
		t.Errorf("%s: %s: %s", what, got.Status, got.Message)
	}
	s.countRuns(t, what, c)
	s.finish(t, c)
	return got.Status, fired
}

// relay passes connections on and tells of each piece that clients send.
type relay struct {
	listener net.Listener
	workers  sync.WaitGroup
}

func newRelay(t *testing.T, to string, seen func()) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l}
	r.workers.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			r.workers.Go(func() { pass(out, in, seen) })
			r.workers.Go(func() { pass(in, out, func() {}) })
		}
	})
	return r
}

func (r *relay) port() int { return r.listener.Addr().(*net.TCPAddr).Port }

// close waits for the connections to end, which the run has closed.
func (r *relay) close() {
	_ = r.listener.Close()
	r.workers.Wait()
}

// pass passes on what one side sends until either ends, and ends both.
func pass(to, from net.Conn, seen func()) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			seen()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// rewrite changes the port in the inventory.
func rewrite(t *testing.T, folder string, from, to int) {
	t.Helper()
	path := filepath.Join(folder, "inventory.hcl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "inventory.hcl", strings.Replace(string(text), fmt.Sprintf("port = %d", from), fmt.Sprintf("port = %d", to), 1))
}
