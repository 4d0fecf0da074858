package ssh

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/sftpfs"
)

// openFiles opens a session for SFTP. If the server has none left, it ends a worker first.
func (l *link) openFiles(ctx context.Context) (*sftp.Client, error) {
	s, err := l.open(ctx)
	if errors.Is(err, errRefused) {
		l.shareUrgent(ctx)
		if err := l.workers.Yield(ctx); err != nil {
			return nil, err
		}
		s, err = l.openPatiently(ctx)
	}
	if errors.Is(err, errRefused) {
		return nil, fmt.Errorf("open the SFTP session: commands need one too, and MaxSessions in the server's sshd_config allows no second: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the SFTP session: %w", err)
	}
	timed, cancel := context.WithTimeout(ctx, l.config.HandshakeTimeout)
	defer cancel()
	stop := context.AfterFunc(timed, func() { _ = s.Close() })
	defer stop()
	said := framing.NewHead(mostHeard)
	client, err := bounded(timed, l, func() (*sftp.Client, error) { return l.greet(timed, s, said) })
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return nil, l.config.slow("start the SFTP server", said)
	}
	return client, err
}

// greet starts the SFTP server in the session and waits for its first message. said also
// gets the output.
func (l *link) greet(ctx context.Context, s *sessionChannel, said *framing.Head) (*sftp.Client, error) {
	s, from, err := l.startServer(ctx, s, said)
	if err != nil {
		return nil, err
	}
	l.spawn(func() { gossh.DiscardRequests(s.requests) })
	client, err := sftpfs.NewClient(from, s)
	if err != nil {
		return nil, l.noFiles(ctx, s, said, err)
	}
	// Unread packets would all stay in memory.
	l.spawn(func() { _, _ = io.Copy(io.Discard, s.Stderr()) })
	return client, nil
}

// startServer starts the SFTP server in the session: the subsystem, or as another
// user the program itself. It closes the session if that fails.
func (l *link) startServer(ctx context.Context, s *sessionChannel, said *framing.Head) (*sessionChannel, io.Reader, error) {
	if l.config.Become != "" {
		return l.startProgram(ctx, s, said)
	}
	ok, err := s.SendRequest("subsystem", true, gossh.Marshal(struct{ Name string }{"sftp"}))
	if err == nil && ok {
		return s, io.TeeReader(s, said), nil
	}
	_ = s.Close()
	if err != nil {
		return nil, nil, fmt.Errorf("open the SFTP session: %w", err)
	}
	return nil, nil, errors.New("the machine's SSH server has no sftp subsystem: " +
		"add \"Subsystem sftp internal-sftp\" to its sshd_config")
}

// startProgram starts the SFTP server as the other user, from the paths of the
// distributions, and skips the output of start-up files. A second try has a session of its own.
func (l *link) startProgram(ctx context.Context, s *sessionChannel, said *framing.Head) (*sessionChannel, io.Reader, error) {
	var from *bufio.Reader
	err := l.config.way.Start(ctx, func(e *become.Entry) (err error) {
		if s == nil {
			if s, err = l.openPatiently(ctx); err != nil {
				return err
			}
		}
		defer context.AfterFunc(ctx, func(s *sessionChannel) func() { return func() { _ = s.Close() } }(s))()
		from = bufio.NewReaderSize(s, 64<<10)
		if err = l.runServer(ctx, s, e, from, said); err != nil {
			_ = s.Close()
			s = nil
		}
		return err
	})
	if err != nil && s != nil { // it was not started at all
		_ = s.Close()
	}
	return s, from, err
}

func (l *link) runServer(ctx context.Context, s *sessionChannel, e *become.Entry, from *bufio.Reader, said *framing.Head) error {
	nonce, stderr := rand.Text(), bufio.NewReader(s.Stderr())
	program := framing.Mark(l.config.Run) + become.FileServer(nonce)
	err := s.start(ctx, l.config, e, from, stderr, said, l.config.shell, "-c", program)
	switch {
	case errors.Is(err, transport.ErrBecome):
		return err
	case err != nil:
		return fmt.Errorf("start the SFTP server: %w", err)
	}
	if err := framing.Until(from, nonce, framing.NewSink(said)); err != nil {
		return l.config.way.User.NoFileServer(sftpfs.Said(stderr, err))
	}
	return nil
}

// noFiles returns why SFTP did not begin, with the server's message if there is one.
func (l *link) noFiles(ctx context.Context, s *sessionChannel, said *framing.Head, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	soon, cancel := context.WithTimeout(ctx, briefly)
	defer cancel()
	_, _ = bounded(soon, l, func() (int64, error) { return io.Copy(said, s) })
	_ = s.Close()
	if strings.TrimSpace(said.String()) != "" {
		return fmt.Errorf("the machine's SFTP server does not answer; what came was %s", quoted(said))
	}
	return fmt.Errorf("the machine's SFTP server does not answer: %s", sftpfs.Said(s.Stderr(), err))
}
