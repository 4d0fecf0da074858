package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"

	"kinit/engine/shell"
	"kinit/engine/transport"
)

// worker is a long-lived shell on the machine; script.go says how it works. One
// command uses it at a time; only order may be called by others.
type worker struct {
	session *session
	mark    string
	stdout  *bufio.Reader
	stderr  *bufio.Reader
	exited  chan struct{} // closed when the shell has ended
	last    int           // the process group of the command before
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
	if err := w.boot(ctx, l.config.Become); err != nil {
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

// boot sends the bootstrap and waits for the mark.
func (w *worker) boot(ctx context.Context, become string) error {
	if err := w.session.exec(asUser(become, "/bin/sh")); err != nil {
		return err
	}
	if err := w.send(bootstrap(w.mark)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	err := until(w.stdout, w.mark, nil)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.refusal(become, err)
}

// refusal says why a shell ended before it had begun, in its own words.
func (w *worker) refusal(become string, err error) error {
	said, _ := io.ReadAll(io.LimitReader(w.stderr, 4<<10))
	text := strings.TrimSpace(string(said))
	if text == "" {
		return fmt.Errorf("start a shell: %w", err)
	}
	if become != "" {
		return fmt.Errorf("%w: become %s with sudo: %s", transport.ErrAuth, become, text)
	}
	return fmt.Errorf("start a shell: %s", text)
}

// asUser puts a command line under sudo when there is somebody to become.
func asUser(user string, argv ...string) string {
	if user != "" {
		argv = append([]string{"sudo", "-n", "-H", "-u", user, "--"}, argv...)
	}
	return "exec " + shell.POSIX(argv...)
}

// send writes to the shell in one go.
func (w *worker) send(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.session, text)
	return err
}

// order writes a line to the worker's reader, which acts on it at once. It fails
// when the session's input belongs to a command.
func (w *worker) order(letter rune, args string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.streams {
		return errStreams
	}
	w.streams = letter == orderStream
	_, err := fmt.Fprintf(w.session, "%s%c%s\n", w.mark, letter, args)
	return err
}

// settle waits until the shell has done all that was asked of it before.
func (w *worker) settle(ctx context.Context) error {
	nonce := rand.Text()
	if err := w.send(ping(nonce)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	return until(w.stdout, nonce, nil)
}

// close ends the session; the shell ends with its input.
func (w *worker) close() { _ = w.session.Close() }
