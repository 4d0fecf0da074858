package ssh

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
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
	line, err := l.shell.Get(ctx, func() (string, error) { return l.scriptLine(ctx) })
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
	command
	process *powershell.Process
	session *sessionChannel
	header  []byte
	stdin   io.Reader
	input   *input
	outputs [2]*output

	exited chan struct{} // closed when the exit code is known, or never will be
	pid    int           // 0 until the script began
	status *int          // the exit code, valid once exited is closed
}

func newScripted(l *link, s *sessionChannel, header []byte, p transport.Process) *scripted {
	r := &scripted{session: s, header: header, stdin: p.Stdin, input: &input{to: s}, exited: make(chan struct{})}
	r.process = powershell.NewProcess(p.Stdout, p.Stderr, func(pid int) { r.began <- pid })
	r.command = newCommand(l, r.process.Outputs)
	return r
}

// attend feeds the script and copies its outputs until they end. It kills the script if ctx
// ends or the input fails.
func (r *scripted) attend(ctx context.Context) {
	r.outputs = [2]*output{{from: r.session}, {from: r.session.Stderr()}}
	r.copy(r.process.Stdout, r.outputs[0])
	r.copy(r.process.Stderr, r.outputs[1])
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
	_ = r.process.Stderr.Close() // a sink keeps its error
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
	r.read(func() error {
		defer from.end()
		_, err := io.Copy(to, from)
		return err
	})
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
	if !r.process.Commit() {
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
	if !r.markForKill(cause) {
		return
	}
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
	to *sessionChannel
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

// sweep kills the process that runs the script and all its children, by taskkill.exe, which both
// cmd.exe and PowerShell can start.
func (r *scripted) sweep(ctx context.Context) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.link.onLinkOrNew(timed, func(l *link) error {
		_, err := l.ask(timed, fmt.Sprintf("taskkill.exe /F /T /PID %d", r.pid))
		return err
	})
}

func (r *scripted) result() (int, error) {
	code, reported := r.exitCode()
	switch {
	case r.cause != nil:
		return 0, r.cause
	case reported && r.process.Stdout.Begun():
		return code, r.Copied()
	case reported:
		return 0, r.process.NeverBegan(code, "it printed nothing: is the machine's operating system Windows?")
	case r.process.GiveUp():
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

// echoed is a line for which cmd.exe prints a path, and PowerShell the line's own text.
const echoed = "echo %ComSpec%"

// scriptLine returns the line that starts the bootstrap. It finds out which shell a Windows
// machine's server uses for lines: cmd.exe, or PowerShell if DefaultShell in
// HKLM\SOFTWARE\OpenSSH is set so. cmd.exe ends with the code of the program; PowerShell ends
// with 1 for any code but 0 unless the line says otherwise.
func (l *link) scriptLine(ctx context.Context) (string, error) {
	said, err := l.ask(ctx, echoed)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(said) == "" {
		return "", errors.New("the machine's shell does not answer: is its operating system Windows?")
	}
	line := powershell.CommandLine()
	if strings.Contains(said, "%ComSpec%") {
		line += "; exit $LASTEXITCODE"
	}
	return line, nil
}
