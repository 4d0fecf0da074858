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
func (l *link) greet(ctx context.Context, s *session, said *framing.Head) (*sftp.Client, error) {
	from, err := l.startServer(s, said)
	if err != nil {
		_ = s.Close()
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
// user the program itself.
func (l *link) startServer(s *session, said *framing.Head) (io.Reader, error) {
	if l.config.Become != "" {
		return l.startProgram(s, said)
	}
	ok, err := s.SendRequest("subsystem", true, gossh.Marshal(struct{ Name string }{"sftp"}))
	if err != nil {
		return nil, fmt.Errorf("open the SFTP session: %w", err)
	}
	if !ok {
		return nil, errors.New("the machine's SSH server has no sftp subsystem: " +
			"add \"Subsystem sftp internal-sftp\" to its sshd_config")
	}
	return io.TeeReader(s, said), nil
}

// startProgram starts the SFTP server as the other user, from the paths of the
// distributions, and skips the output of start-up files.
func (l *link) startProgram(s *session, said *framing.Head) (io.Reader, error) {
	nonce := rand.Text()
	if err := s.exec(l.config.user().Line(l.config.shell, "-c", framing.Mark(l.config.Run)+become.FileServer(nonce))); err != nil {
		return nil, fmt.Errorf("start the SFTP server: %w", err)
	}
	from := bufio.NewReaderSize(s, 64<<10)
	if err := framing.Until(from, nonce, framing.NewSink(said)); err != nil {
		return nil, fmt.Errorf("start the SFTP server as %s: %s", l.config.Become, sftpfs.Said(s.Stderr(), err))
	}
	return from, nil
}

// noFiles returns why SFTP did not begin, with the server's message if there is one.
func (l *link) noFiles(ctx context.Context, s *session, said *framing.Head, err error) error {
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
