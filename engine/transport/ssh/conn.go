package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"github.com/pkg/sftp"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/sftpfs"
)

// Conn is one machine, over one connection that is made again after a loss. Make it with
// Dial.
type Conn struct {
	config  Config
	life    *life.Life    // commands count as its work
	dialing chan struct{} // holds a token while a new link is made
	files   module.Files
	sockets *sockets

	current atomic.Pointer[link]
}

var _ transport.Conn = (*Conn)(nil)

// Dial connects to a machine. Errors are transport.ErrUnreachable, ErrAuth or ErrHostKey,
// and contain advice.
func Dial(ctx context.Context, config Config) (*Conn, error) {
	config = config.complete()
	c := &Conn{config: config, life: life.New(config.label()), dialing: make(chan struct{}, 1)}
	if c.config.Windows && c.config.Become != "" {
		return nil, fmt.Errorf("%w: %s runs Windows, where kinit cannot become another user: log in as %s", transport.ErrAuth, c.config.label(), c.config.Become)
	}
	if c.config.Windows {
		c.files = newWindowsFiles(sftpfs.Windows(fileSource{c}), c.Exec)
	} else {
		c.files = sftpfs.New(fileSource{c}, c.Exec)
	}
	c.sockets = newSockets(c.Dial, c.life)
	if _, err := c.link(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// HostKey returns the fingerprint of the key that the machine has shown. Machines with different
// keys are different, unless one has several SSH servers.
func (c *Conn) HostKey() string {
	if l := c.current.Load(); l != nil {
		return l.hostKey
	}
	return ""
}

// link returns the connection, a new one if the old one was lost. Close ends the wait.
func (c *Conn) link(ctx context.Context) (*link, error) {
	if err := c.life.Enter(); err != nil {
		return nil, err
	}
	defer c.life.Leave()
	ctx, stop := c.life.During(ctx)
	defer stop()
	l, err := c.linkDuring(ctx)
	if err != nil {
		return nil, cmp.Or(c.life.Ended(), err)
	}
	return l, nil
}

func (c *Conn) linkDuring(ctx context.Context) (*link, error) {
	select {
	case c.dialing <- struct{}{}:
		defer func() { <-c.dialing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	old, err := c.linkNow()
	if err != nil || (old != nil && !old.lost()) {
		return old, err
	}
	var fresh *link
	if old == nil {
		fresh, err = connect(ctx, c.config)
	} else {
		old.close()
		fresh, err = reconnect(ctx, c.config, old.lostAt)
	}
	if err != nil {
		return nil, err
	}
	c.current.Store(fresh)
	return fresh, nil
}

func (c *Conn) linkNow() (*link, error) { return c.current.Load(), c.life.Ended() }

// Exec runs the line. If the connection was lost and the command certainly did not start,
// it is sent again once over a new connection.
//
// A command ends with its shell: processes that it left behind continue, and their later
// output is lost. Exec may return while a Read of Stdin is under way.
func (c *Conn) Exec(ctx context.Context, p transport.Process) (int, error) {
	return c.life.Do(ctx, func(ctx context.Context) (int, error) {
		code, err := c.exec(ctx, p)
		if err != nil && !errors.Is(err, transport.ErrBecome) { // which names the machine
			err = fmt.Errorf("%s: %w", c.config.label(), err)
		}
		return code, err
	})
}

func (c *Conn) exec(ctx context.Context, p transport.Process) (int, error) {
	once := func(l *link) (int, error) { return l.script(ctx, p) }
	if !c.config.Windows {
		j := newJob(p)
		if err := j.check(); err != nil {
			return 0, err
		}
		once = func(l *link) (int, error) { return l.exec(ctx, j) }
	}
	for again := false; ; again = true {
		l, err := c.link(ctx)
		if err != nil {
			return 0, err
		}
		code, err := once(l)
		if !errors.Is(err, errNotStarted) {
			return code, err
		}
		if again || !l.lost() {
			return 0, unreachable("run a command", err)
		}
	}
}

// Dial connects from the machine.
func (c *Conn) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "unix" {
		return nil, fmt.Errorf("dial %s %s: only tcp and unix are supported", network, address)
	}
	what := "dial " + address + " from " + c.config.label() + c.config.dialler(network)
	return onLink(ctx, c, what, func(l *link) (net.Conn, error) { return l.dial(ctx, network, address) })
}

// onLink does work over the connection, and once more over a new one if the old one was lost.
func onLink[T any](ctx context.Context, c *Conn, what string, work func(*link) (T, error)) (T, error) {
	var none T
	for again := false; ; again = true {
		l, err := c.link(ctx)
		if err != nil {
			return none, err
		}
		value, err := work(l)
		switch {
		case err == nil:
			return value, nil
		case ctx.Err() != nil:
			return none, ctx.Err()
		case errors.Is(err, transport.ErrBecome): // which names the machine
			return none, err
		case channelRefused(err) || !l.gone(ctx):
			return none, fmt.Errorf("%s: %w", what, err)
		case again:
			return none, unreachable(what, err)
		}
	}
}

// Watch returns a function that reports whether the connection was lost since.
func (c *Conn) Watch(ctx context.Context) (func(context.Context) bool, error) {
	first, err := c.link(ctx)
	return func(ctx context.Context) bool {
		now, err := c.linkNow()
		return err == nil && (now != first || first.gone(ctx))
	}, err
}

// Files opens the machine's file system over SFTP.
func (c *Conn) Files(ctx context.Context) (module.Files, error) {
	if _, _, err := (fileSource{c}).Client(ctx); err != nil {
		return nil, err
	}
	return c.files, nil
}

// fileSource provides a Conn's clients to the file system.
type fileSource struct{ conn *Conn }

func (s fileSource) Client(ctx context.Context) (*sftp.Client, sftpfs.Carrier, error) {
	var carrier *link
	client, err := onLink(ctx, s.conn, s.conn.config.label(), func(l *link) (*sftp.Client, error) {
		carrier = l
		return l.files.Get(ctx, func() (*sftp.Client, error) { return l.openFiles(ctx) })
	})
	return client, carrier, err
}

// Spawn is spawn, for the file system.
func (l *link) Spawn(work func()) bool { return l.spawn(work) }

// Cut drops a client whose channel has ended, and checks whether the connection has too.
func (l *link) Cut(ctx context.Context, client *sftp.Client) {
	l.files.Forget(ctx, client)
	l.gone(ctx)
}

// Socket forwards a unix socket of the machine to a private local one.
func (c *Conn) Socket(ctx context.Context, path string) (string, error) {
	return c.sockets.Socket(ctx, path)
}

// Close kills the commands that still run, then ends the connection.
func (c *Conn) Close() error {
	c.life.End()
	err := c.sockets.Close()
	if l := c.current.Swap(nil); l != nil {
		l.close()
	}
	return err
}
