package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/shells"
)

// mostWorkers is the most shells on one connection. With the SFTP channel and a shell for
// urgent commands, these are five sessions of the ten that OpenSSH allows by default
// (MaxSessions).
const mostWorkers = 3

// mostTries is how often a session is tried to be opened again if none of ours can become
// free; with backoff that is about five seconds.
const mostTries = 30

func (l *link) newWorkers(most int) *shells.Set[*worker] {
	return shells.New(shells.Kind[*worker]{
		Most: most, Start: l.startListening,
		Full: func(err error) bool { return errors.Is(err, errRefused) }, Tries: mostTries, Backoff: backoff,
		End: func(_ context.Context, w *worker) { w.close() }, Spawn: l.spawn,
	})
}

// worker is a long-lived shell on the machine; package framing defines its protocol. One
// command uses it at a time; only kill may be called by others.
type worker struct {
	link    *link
	session *sessionChannel
	mark    string
	stdout  *bufio.Reader
	stderr  *bufio.Reader
	exited  chan struct{} // closed when the shell has ended
	nonce   string        // of the next command
	heard   [2]chan error // get a value when the nonce has come on each output
	last    int           // the session of the previous command, or 0
	broken  bool          // it cannot run a further command

	mu      sync.Mutex // of writes to the session
	streams bool       // its input belongs to a command
}

// startWorker opens a session and starts a shell in it. Output of the login's start-up
// files comes before the mark and is skipped.
func (l *link) startWorker(ctx context.Context) (*worker, error) {
	var started *worker
	err := l.config.way.Start(ctx, func(e *become.Entry) error {
		s, err := l.open(ctx)
		if err != nil {
			return err
		}
		w := &worker{
			link: l, session: s, mark: rand.Text(), exited: make(chan struct{}),
			stdout: bufio.NewReaderSize(s, 64<<10),
			stderr: bufio.NewReaderSize(s.Stderr(), 64<<10),
		}
		l.spawn(w.watch)
		if err := w.boot(ctx, e); err != nil {
			w.close()
			return err
		}
		started = w
		return nil
	})
	return started, err
}

func (l *link) startListening(ctx context.Context) (*worker, error) {
	w, err := l.startWorker(ctx)
	if err == nil {
		w.listen()
	}
	return w, err
}

// listen begins to read both outputs up to the nonce of the next command. What comes before it belongs to no command
// and is dropped at once: unread, single bytes take a hundred times their size in the queue of the library.
func (w *worker) listen() {
	nonce := rand.Text()
	w.nonce = nonce
	for i, from := range []*bufio.Reader{w.stdout, w.stderr} {
		heard := make(chan error, 1)
		w.heard[i] = heard
		if !w.link.spawn(func() { heard <- framing.Until(from, nonce, nil) }) {
			heard <- errSilent
		}
	}
}

// watch waits for the end of the shell. The server signals it with a request, which comes
// even while remaining processes hold the outputs open.
func (w *worker) watch() {
	w.session.watch(w.exited, func(request *gossh.Request) bool { return strings.HasPrefix(request.Type, "exit-") })
}

func (w *worker) ended() bool {
	select {
	case <-w.exited:
		return true
	default:
		return false
	}
}

// boot starts the shell, by an entry if there is one, sends the bootstrap and waits for the mark.
func (w *worker) boot(ctx context.Context, e *become.Entry) error {
	c, said := w.link.config, framing.NewHead(mostHeard)
	timed, cancel := context.WithTimeout(ctx, c.HandshakeTimeout)
	defer cancel()
	_, err := bounded(timed, w.link, func() (none struct{}, err error) {
		if err := w.session.start(timed, c, e, w.stdout, w.stderr, said, c.shell); err != nil {
			return none, err
		}
		// A refusing shell may end before anything is sent to it; its output is the reason.
		if err := w.send(framing.Bootstrap(w.mark, c.shell, c.Run)); err != nil {
			return none, err
		}
		return none, framing.Until(w.stdout, w.mark, framing.NewSink(said))
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil && e != nil:
		return c.slow("become "+c.Become+" with "+c.way.User.By(), said)
	case timed.Err() != nil:
		soon, cancel := context.WithTimeout(context.Background(), briefly)
		defer cancel()
		_, _ = bounded(soon, w.link, func() (int64, error) { return io.Copy(said, w.stderr) })
		return c.slow("start a shell", said)
	}
	if e != nil {
		return err
	}
	return w.refusal(c, err)
}

// briefly is the time to read output that has already arrived.
const briefly = 100 * time.Millisecond

// refusal returns why a shell ended before it began, with its output.
func (w *worker) refusal(c Config, err error) error {
	said, _ := io.ReadAll(io.LimitReader(w.stderr, 4<<10))
	text := strings.TrimSpace(string(said))
	if text == "" && errors.Is(err, io.EOF) {
		return fmt.Errorf("start a shell: the server ended it without a word: kinit needs a POSIX shell. "+
			"If ForceCommand in its sshd_config, or command= in authorized_keys, runs another program for %s, make an exception there: %w", c.User, err)
	}
	if text == "" {
		return fmt.Errorf("start a shell: %w", err)
	}
	if c.Become != "" {
		return c.way.User.Ended(false, text)
	}
	return fmt.Errorf("start a shell: %s", text)
}

// send writes to the shell in one call.
func (w *worker) send(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.session, text)
	return err
}

// sendSoon is send over a connection that may be blocked. If ctx ends during the write, the
// text gets some more time to arrive, so that its command can be ended.
func (w *worker) sendSoon(ctx context.Context, text string) error {
	longer, stop := outlasting(ctx, grace)
	defer stop()
	_, err := bounded(longer, w.link, func() (none struct{}, err error) { return none, w.send(text) })
	return err
}

// kill orders a signal for all processes of a command's session. If the worker accepts no
// orders, the error is errDeaf.
func (w *worker) kill(signal string, session int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.streams || w.ended() {
		return errDeaf
	}
	_, err := io.WriteString(w.session, framing.Kill(w.mark, signal, session))
	return err
}

// stream gives the worker's input to the running command permanently.
func (w *worker) stream() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.streams = true
	_, err := io.WriteString(w.session, framing.Stream(w.mark))
	return err
}

// settle waits until the shell has done all earlier orders.
func (w *worker) settle(ctx context.Context) error {
	nonce := rand.Text()
	_, err := bounded(ctx, w.link, func() (none struct{}, err error) {
		if err := w.send(framing.Ping(nonce)); err != nil {
			return none, err
		}
		return none, framing.Until(w.stdout, nonce, nil)
	})
	return err
}

// close ends the session; the shell ends with its input.
func (w *worker) close() { _ = w.session.Close() }
