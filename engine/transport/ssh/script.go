package ssh

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/powershell"
)

// mostScripts is the most scripts at the same time on one connection to a Windows
// machine. With the SFTP channel, and a session that ends a script, these are six
// sessions of the ten that OpenSSH allows by default (MaxSessions).
const mostScripts = 4

// script runs a PowerShell script on a Windows machine, in its own session: the server
// starts the bootstrap of package powershell, whose standard input is the script and then
// the command's input.
func (l *link) script(ctx context.Context, p transport.Process) (int, error) {
	header, err := powershell.Header(powershell.Fenced(p.Line, p.Fence))
	if err != nil {
		return 0, err
	}
	if !p.Urgent {
		select {
		case l.scripts <- struct{}{}:
			defer func() { <-l.scripts }()
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	line, err := l.shells.line(ctx, l)
	if err != nil {
		return 0, l.beforeScript(ctx, err)
	}
	s, err := l.openPatiently(ctx)
	if err != nil {
		return 0, l.beforeScript(ctx, err)
	}
	defer s.Close()
	if err := s.exec(line); err != nil {
		return 0, errNotStarted
	}
	r := newScripted(l, s, header, p)
	defer r.release()
	r.attend(ctx)
	code, err := r.result()
	if err == nil && powershell.IsFenced(code, p.Fence) {
		return 0, transport.ErrFenced
	}
	return code, err
}

// beforeScript distinguishes an error before the start of a script from the loss of the
// connection.
func (l *link) beforeScript(ctx context.Context, err error) error {
	if ctx.Err() == nil && l.gone(ctx) {
		return errNotStarted
	}
	return err
}

// scripted is one script in its session.
type scripted struct {
	link    *link
	session *session
	header  []byte
	stdin   io.Reader
	input   *input

	outSink, errSink *framing.Sink
	stdout           *powershell.Output
	stderr           *powershell.Errors

	outputs [2]*output

	began  chan int      // the process that runs the script, sent once
	ended  chan error    // of both outputs
	fed    chan error    // of the input
	exited chan struct{} // closed when the exit code is known, or never will be

	fate   atomic.Int32
	pid    int         // 0 until the script began
	status *int        // the exit code, valid once exited is closed
	err    error       // of the outputs
	cause  error       // why it is being killed
	alarm  *time.Timer // when to give up waiting
}

// The states of a script. While it is open, the script is incomplete, so no part of it has
// run and none of its input was read. An abandoned script remains so: it may be sent again.
const (
	fateOpen int32 = iota
	fateCommitted
	fateGivenUp
)

func newScripted(l *link, s *session, header []byte, p transport.Process) *scripted {
	r := &scripted{
		link: l, session: s, header: header, stdin: p.Stdin, input: &input{to: s},
		outSink: framing.NewSink(p.Stdout), errSink: framing.NewSink(p.Stderr),
		began: make(chan int, 1), ended: make(chan error, 2), fed: make(chan error, 1), exited: make(chan struct{}),
		alarm: time.NewTimer(0),
	}
	r.alarm.Stop()
	r.stdout = powershell.NewOutput(r.outSink, func(pid int) { r.began <- pid })
	r.stderr = powershell.NewErrors(r.errSink)
	return r
}

// attend feeds the script and copies its outputs until they end. It kills the script if ctx
// ends or the input fails.
func (r *scripted) attend(ctx context.Context) {
	r.outputs = [2]*output{{from: r.session}, {from: r.session.Stderr()}}
	r.copy(r.stdout, r.outputs[0])
	r.copy(r.stderr, r.outputs[1])
	r.link.spawn(r.watch)
	go func() { r.fed <- r.feed() }() // a Read in progress is not waited for
	cancelled, exited, closed := ctx.Done(), r.exited, false
	for waiting := 2; waiting > 0 || exited != nil; {
		select {
		case err := <-r.ended:
			waiting--
			r.err = errors.Join(r.err, err)
		case r.pid = <-r.began:
			if r.cause != nil {
				r.sweep(ctx)
			}
		case err := <-r.fed:
			r.stop(ctx, err)
		case <-cancelled:
			cancelled = nil
			r.stop(ctx, ctx.Err())
		case <-exited:
			// The rest of the outputs will arrive, unless remaining processes hold them
			// open.
			exited = nil
			for _, o := range r.outputs {
				o.afresh()
			}
			r.alarm.Reset(patience)
		case <-r.alarm.C:
			if closed {
				return
			}
			if left := r.expected(); left > 0 {
				r.alarm.Reset(left)
				continue
			}
			closed = true
			_ = r.session.Close() // this ends all three
			r.alarm.Reset(patience)
		}
	}
	_ = r.stderr.Close() // a sink keeps its error
}

// expected returns how much longer to wait for output. Only the time without output counts,
// not the time of the caller's writers. A script that is being killed has no writers.
func (r *scripted) expected() time.Duration {
	if r.cause != nil {
		return 0
	}
	return patience - min(r.outputs[0].silent(), r.outputs[1].silent())
}

func (r *scripted) copy(to io.Writer, from *output) {
	if !r.link.spawn(func() {
		_, err := io.Copy(to, from)
		from.end()
		r.ended <- err
	}) {
		from.end()
		r.ended <- errSilent
	}
}

// watch waits for the exit code, which the server sends as a request (RFC 4254, 6.10).
func (r *scripted) watch() {
	r.session.watch(r.exited, func(request *gossh.Request) bool {
		if request.Type != "exit-status" || len(request.Payload) != 4 {
			return false
		}
		code := int(int32(binary.BigEndian.Uint32(request.Payload)))
		r.status = &code
		return true
	})
}

// feed sends the script and then the input. It returns only errors of the reader: the
// script may end before it has read everything. If the reader fails, the input remains
// open, so that the script does not treat a part as the whole.
func (r *scripted) feed() error {
	if _, err := r.input.Write(r.header[:len(r.header)-1]); err != nil {
		return nil // the outputs report the lost connection
	}
	if !r.fate.CompareAndSwap(fateOpen, fateCommitted) {
		return nil
	}
	if _, err := r.input.Write(r.header[len(r.header)-1:]); err != nil {
		return nil
	}
	if r.stdin != nil {
		from := framing.NewSource(r.stdin)
		if _, _ = io.Copy(r.input, from); from.Err != nil {
			return from.Err
		}
	}
	r.input.end()
	return nil
}

// stop begins to kill the script because of cause. While its process is unknown, the script
// has not begun: closing its input then prevents the start, unless the line of the
// bootstrap was already sent.
func (r *scripted) stop(ctx context.Context, cause error) {
	if cause == nil || r.cause != nil {
		return
	}
	r.cause = cause
	r.outSink.Forget()
	r.errSink.Forget()
	r.alarm.Reset(patience)
	if r.pid != 0 {
		r.sweep(ctx)
		return
	}
	// A write in progress may wait for the server; the end follows it.
	r.link.spawn(r.input.end)
}

// input is the input of a script. A channel must not be written to and ended at once.
type input struct {
	mu sync.Mutex
	to *session
}

func (i *input) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.to.Write(p)
}

// end closes the script's input; later writes are refused.
func (i *input) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.to.CloseWrite()
}

// sweep kills the process that runs the script and all its children.
func (r *scripted) sweep(ctx context.Context) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.link.killTree(timed, r.pid)
}

func (r *scripted) result() (int, error) {
	code, reported := r.exitCode()
	switch {
	case r.cause != nil:
		return 0, r.cause
	case reported && r.stdout.Begun():
		return code, framing.Copied(r.outSink, r.errSink)
	case reported:
		return 0, r.neverBegan(code)
	case r.fate.CompareAndSwap(fateOpen, fateGivenUp):
		return 0, errNotStarted
	}
	return 0, lost(errors.Join(r.err, errors.New("the session ended without an exit code")))
}

// exitCode returns the exit code, if the session has sent it.
func (r *scripted) exitCode() (code int, reported bool) {
	select {
	case <-r.exited:
	default:
		return 0, false
	}
	if r.status == nil {
		return 0, false
	}
	return *r.status, true
}

// neverBegan returns why a script did not run, with the machine's message.
func (r *scripted) neverBegan(code int) error {
	text := cmp.Or(strings.TrimSpace(r.stdout.Before()), "it printed nothing: is the machine's operating system Windows?")
	return fmt.Errorf("PowerShell ended with code %d before the script began: %s", code, text)
}

// release stops all writes to the caller's writers.
func (r *scripted) release() {
	r.alarm.Stop()
	r.outSink.Release()
	r.errSink.Release()
}

// killTree ends a process of a Windows machine and all its children, in a new session, or
// on a new connection if the server allows no further session. It drops its errors.
func (l *link) killTree(ctx context.Context, pid int) {
	if l.taskkill(ctx, pid) == nil {
		return
	}
	fresh, err := connect(ctx, l.config)
	if err != nil {
		return
	}
	defer fresh.close()
	_ = fresh.taskkill(ctx, pid)
}

// taskkill waits for taskkill.exe, which both cmd.exe and PowerShell can start.
func (l *link) taskkill(ctx context.Context, pid int) error {
	_, err := l.ask(ctx, fmt.Sprintf("taskkill.exe /F /T /PID %d", pid))
	return err
}

// ask runs a line of the login's shell in its own session, and returns its output.
func (l *link) ask(ctx context.Context, line string) (string, error) {
	s, err := l.openPatiently(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.exec(line); err != nil {
		return "", err
	}
	l.spawn(func() { gossh.DiscardRequests(s.requests) })
	text, err := bounded(ctx, l, func() ([]byte, error) { return io.ReadAll(io.LimitReader(s, 64<<10)) })
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return string(text), err
}
