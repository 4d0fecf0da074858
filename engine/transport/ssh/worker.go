package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
)

// worker is a long-lived shell on the machine; package framing says how it works.
// One command uses it at a time; only kill may be called by others.
type worker struct {
	session *session
	mark    string
	stdout  *bufio.Reader
	stderr  *bufio.Reader
	exited  chan struct{} // closed when the shell has ended
	last    int           // the session of the command before, or 0
	broken  bool          // it cannot run a further command

	mu      sync.Mutex // of writes to the session
	streams bool       // its input belongs to a command
}

// startWorker opens a session and starts a shell in it. What the login's start-up
// files print comes before the mark and is skipped.
func (l *link) startWorker(ctx context.Context) (*worker, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	w := &worker{
		session: s, mark: rand.Text(), exited: make(chan struct{}),
		stdout: bufio.NewReaderSize(s, 64<<10),
		stderr: bufio.NewReaderSize(s.Stderr(), 64<<10),
	}
	l.spawn(w.watch)
	if err := w.boot(ctx, l.config); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// watch waits for the end of the shell. The server says it by a request, which
// comes even while left-over processes hold the outputs open.
func (w *worker) watch() {
	ended := false
	for request := range w.session.requests {
		if request.WantReply {
			_ = request.Reply(false, nil)
		}
		if !ended && strings.HasPrefix(request.Type, "exit-") {
			ended = true
			close(w.exited)
		}
	}
	if !ended {
		close(w.exited)
	}
}

// ended tells whether the shell has ended.
func (w *worker) ended() bool {
	select {
	case <-w.exited:
		return true
	default:
		return false
	}
}

// boot sends the bootstrap and waits for the mark.
func (w *worker) boot(ctx context.Context, c Config) error {
	if err := w.session.exec(c.user().Line(c.shell)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	// A shell that refuses may be gone before it is sent anything: what it said counts.
	err := w.send(framing.Bootstrap(w.mark, c.shell, c.Run))
	if err == nil {
		err = framing.Until(w.stdout, w.mark, nil)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.refusal(c, err)
}

// refusal says why a shell ended before it had begun, in its own words.
func (w *worker) refusal(c Config, err error) error {
	said, _ := io.ReadAll(io.LimitReader(w.stderr, 4<<10))
	text := strings.TrimSpace(string(said))
	if text == "" {
		return fmt.Errorf("start a shell: %w", err)
	}
	if c.Become != "" {
		return fmt.Errorf("%w: become %s with %s: %s", transport.ErrAuth, c.Become, c.user().By(), text)
	}
	return fmt.Errorf("start a shell: %s", text)
}

// send writes to the shell in one go.
func (w *worker) send(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.session, text)
	return err
}

// kill orders a signal for all processes of a command's session. A worker that
// takes no orders is errDeaf.
func (w *worker) kill(signal string, session int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.streams || w.ended() {
		return errDeaf
	}
	_, err := io.WriteString(w.session, framing.Kill(w.mark, signal, session))
	return err
}

// stream gives the worker's input to the command that runs, for good.
func (w *worker) stream() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.streams = true
	_, err := io.WriteString(w.session, framing.Stream(w.mark))
	return err
}

// settle waits until the shell has done all that was asked of it before.
func (w *worker) settle(ctx context.Context) error {
	nonce := rand.Text()
	if err := w.send(framing.Ping(nonce)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	return framing.Until(w.stdout, nonce, nil)
}

// close ends the session; the shell ends with its input.
func (w *worker) close() { _ = w.session.Close() }
