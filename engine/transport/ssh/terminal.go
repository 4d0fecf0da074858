package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
)

var _ transport.Interactive = (*Conn)(nil)

// Interact runs a line, or the login shell, with the user's terminal.
func (c *Conn) Interact(ctx context.Context, line string, t transport.Terminal) (int, error) {
	l, err := c.link(ctx)
	if err != nil {
		return 0, err
	}
	// The library waits for the server at every step, even for one that has vanished.
	return bounded(ctx, l, func() (int, error) { return c.interact(ctx, l, line, t) })
}

func (c *Conn) interact(ctx context.Context, l *link, line string, t transport.Terminal) (int, error) {
	session, err := l.client.NewSession()
	if err != nil {
		return 0, fmt.Errorf("open a session on %s: %w", c.config.label(), err)
	}
	defer session.Close()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()

	session.Stdin, session.Stdout, session.Stderr = t.In, t.Out, t.Err
	if t.Name != "" {
		if err := session.RequestPty(t.Name, t.Size.Rows, t.Size.Columns, gossh.TerminalModes{}); err != nil {
			return 0, fmt.Errorf("ask %s for a terminal: %w", c.config.label(), err)
		}
	}
	start := session.Shell
	if line != "" {
		start = func() error { return session.Start(line) }
	}
	if err := start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	defer close(ended)
	l.spawn(func() { follow(session, t.Resized, ended) })
	return exitCode(ctx, session.Wait())
}

// follow passes on new sizes until the session ends.
func follow(session *gossh.Session, sizes <-chan transport.Size, ended <-chan struct{}) {
	for {
		select {
		case size := <-sizes:
			_ = session.WindowChange(size.Rows, size.Columns) // Wait reports a lost session
		case <-ended:
			return
		}
	}
}

// exitCode classifies how a session ended.
func exitCode(ctx context.Context, err error) (int, error) {
	var exit *gossh.ExitError
	switch {
	case err == nil, err == io.EOF: // the latter if the line ended well before it had read all its input
		return 0, nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case errors.As(err, &exit) && exit.Signal() == "":
		return exit.ExitStatus(), nil
	}
	return 0, err
}
