package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/pace"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/shells"
)

// link is one SSH connection and its sessions. A Conn replaces a lost link by a new one.
type link struct {
	config       Config
	client       *gossh.Client
	conn         *hearing      // under the client
	done         chan struct{} // closed once the connection is lost or closed
	lostAt       time.Time     // valid once done is closed
	hostKey      string        // the fingerprint of the key that the machine has shown
	workers      *shells.Set[*worker]
	urgent       *shells.Set[*worker] // of one worker, for urgent commands
	urgentShared atomic.Bool          // there is no session for that worker
	scripts      chan struct{}        // holds a token for each script that runs on a Windows machine
	shell        *life.Kept[string]   // the line for scripts on a Windows machine
	files        *life.Kept[*sftp.Client]
	hurried      sync.Once
	life         *life.Life // goroutines of the link are its work
}

// connect makes a connection, verifies the host and authenticates. If the server hangs up
// before the login, it tries again: the server may be restarting, as on a new guest, or
// have too many clients (MaxStartups).
func connect(ctx context.Context, c Config) (*link, error) {
	return c.connectAgain(ctx, func(err error) bool { return errors.Is(err, errHungUp) })
}

// reconnect is connect for a machine whose connection was lost at a time. It also tries again
// if the machine refuses, as one does whose network comes back, but only for a while after the
// loss: a machine that is gone does not delay every command. In a context of
// transport.AtOnce it does not wait for that.
func reconnect(ctx context.Context, c Config, lost time.Time) (*link, error) {
	return c.connectAgain(ctx, func(err error) bool {
		absent := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
		return errors.Is(err, errHungUp) || absent && !transport.IsAtOnce(ctx) && time.Since(lost) < absence
	})
}

// absence is how long after a loss a machine is expected back. A Windows node is away for
// some seconds while its network gets a virtual switch.
const absence = 15 * time.Second

// connectAgain connects, and tries again after errors that pass.
func (c Config) connectAgain(ctx context.Context, passes func(error) bool) (*link, error) {
	for attempt := 1; ; attempt++ {
		l, err := c.connect(ctx)
		if err == nil || ctx.Err() == nil && (attempt >= mostAttempts || !passes(err)) {
			return l, err
		}
		if err := pace.Wait(ctx, time.Duration(attempt)*firstDelay); err != nil {
			return nil, err
		}
	}
}

// The number of attempts after errors that pass, and the delay before the second one; each
// further delay is longer by the same time. Together 15 s.
const (
	mostAttempts = 6
	firstDelay   = time.Second
)

// errHungUp is the error if the server ended the connection during the handshake.
var errHungUp = errors.New("the server hung up")

func (c Config) connect(ctx context.Context) (*link, error) {
	verifier, err := newVerifier(ctx, c)
	if err != nil {
		return nil, err
	}
	var l *link
	err = c.Password.Try(ctx, func() error {
		l, err = c.logIn(ctx, verifier)
		return err
	})
	return l, err
}

// logIn connects and authenticates.
func (c Config) logIn(ctx context.Context, verifier *verifier) (*link, error) {
	keys := loadKeys(ctx, c)
	defer keys.Close()
	conn, err := c.dial(ctx)
	if errors.Is(err, syscall.ECONNRESET) { // accepted and hung up before the dialler noticed
		err = fmt.Errorf("%w: %w", errHungUp, err)
	}
	if err != nil {
		return nil, unreachable("connect to "+c.label(), err)
	}
	timed, cancel, hold := pausable(ctx, c.HandshakeTimeout)
	defer cancel()
	heard := newHearing(conn)
	keys.login = &login{config: c, keys: keys, ctx: timed, hold: hold}
	client, err := handshake(timed, c, heard, verifier, keys)
	if err != nil {
		return nil, handshakeError(timed, c, verifier, keys, heard, err)
	}
	l := newLink(c, client, heard)
	l.hostKey = verifier.key
	return l, nil
}

func (c Config) dial(ctx context.Context) (net.Conn, error) {
	timed, cancel := context.WithTimeout(ctx, c.ConnectTimeout)
	defer cancel()
	conn, err := c.Dial(timed, "tcp", c.address())
	if err != nil && timed.Err() != nil {
		return nil, fmt.Errorf("no answer within %s: %w", c.ConnectTimeout, timed.Err())
	}
	return conn, err
}

// handshake runs the handshake, which takes no context, until ctx ends.
func handshake(ctx context.Context, c Config, conn net.Conn, v *verifier, k *keys) (*gossh.Client, error) {
	stop := context.AfterFunc(ctx, func() {
		k.giveUp() // an agent may wait for a user
		_ = conn.Close()
	})
	defer stop()
	transport, channels, requests, err := gossh.NewClientConn(conn, c.address(), &gossh.ClientConfig{
		Config:            c.negotiable(),
		User:              c.User,
		Auth:              k.login.methods(),
		HostKeyCallback:   v.verify,
		HostKeyAlgorithms: v.algorithms(),
	})
	if err != nil {
		return nil, err
	}
	return gossh.NewClient(transport, channels, requests), nil
}

func handshakeError(ctx context.Context, c Config, v *verifier, k *keys, heard *hearing, err error) error {
	switch {
	case v.refusal != nil:
		return v.refusal
	case ctx.Err() != nil && k.stuck.Load():
		return fmt.Errorf("%w: log in to %s: %s: %w", transport.ErrAuth, c.label(), silentAgent(k.socket, "sign", c.HandshakeTimeout), context.Cause(ctx))
	case ctx.Err() != nil:
		return unreachable("connect to "+c.label(), fmt.Errorf("its SSH server did not let anybody in within %s, %s: %w", c.HandshakeTimeout, heard.said(), context.Cause(ctx)))
	}
	if login := k.login.problem(err); login != nil {
		return login
	}
	switch {
	case authRefused(err) && k.accepted.Load() != nil:
		return fmt.Errorf("%w: %s@%s accepts %s and then asks for a second factor: give a password by --ask-pass, run kinit on a terminal for a one-time code, or "+
			"let this user log in by key alone, by AuthenticationMethods publickey in a Match block of the server's sshd_config",
			transport.ErrAuth, c.User, c.label(), *k.accepted.Load())
	case tooManyKeys(err):
		return fmt.Errorf("%w: %s@%s ended the login after too many wrong keys (MaxAuthTries in its sshd_config), so the last of these may not have been tried: "+
			"name the right key by identity_file in the inventory, or by IdentityFile in ~/.ssh/config:\n%s", transport.ErrAuth, c.User, c.label(), k.listed("to be offered:"))
	case authRefused(err):
		return fmt.Errorf("%w: %s@%s accepts none of the keys:\n%s", transport.ErrAuth, c.User, c.label(), k.listed("tried"))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("%w: %w", errHungUp, err)
	}
	return unreachable("connect to "+c.label(), fmt.Errorf("%s: %w", heard.said(), err))
}

// newLink starts the goroutines that watch a connection.
func newLink(c Config, client *gossh.Client, conn *hearing) *link {
	l := &link{
		config: c, client: client, conn: conn, done: make(chan struct{}), life: life.New(c.label()),
		scripts: make(chan struct{}, mostScripts), shell: life.NewKept[string](), files: life.NewKept[*sftp.Client](),
	}
	l.workers, l.urgent = l.newWorkers(mostWorkers), l.newWorkers(1)
	// The library closes a connection that breaks the protocol, and then waits for ever if the
	// server goes on sending. So the link does not wait for the library: this goroutine may stay.
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.Wait() // users of the connection get the reason
	}()
	l.spawn(func() {
		select {
		case <-ended:
		case <-conn.closed:
		}
		l.lostAt = time.Now()
		close(l.done)
	})
	if c.KeepAlive > 0 {
		l.spawn(l.keepAlive)
	}
	return l
}

func (l *link) lost() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// dial opens a connection from the machine.
func (l *link) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.hurry(ctx)
	ctx, stop := life.Until(ctx, l.spawn, l.done, errCut)
	defer stop()
	channel, err := l.client.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return l.carry(channel)
}

// hurry makes the server send small packets at once. OpenSSH's server sets TCP_NODELAY only
// when a session starts a program; until then data through a Dial may wait for an
// acknowledgement, 40 ms on Linux. If no program can be started, the connection is slow,
// but that is no error. The server for Windows sets it itself.
func (l *link) hurry(ctx context.Context) {
	if l.config.Windows {
		return
	}
	l.hurried.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if w, err := l.workers.Take(ctx); err == nil {
			l.workers.Put(ctx, w, !w.broken)
		}
	})
}

// answers asks the server for a sign of life. It distinguishes an ended session from a lost
// connection, which look the same in a channel.
func (l *link) answers() bool {
	_, _, err := l.client.SendRequest(keepAliveRequest, true, nil)
	return err == nil
}

// spawn starts a goroutine that close waits for. It reports whether it did.
func (l *link) spawn(work func()) bool { return l.life.Go(work) }

// bounded makes a call that waits for the server and takes no context. If ctx ends first,
// the call continues in the background and ends with the link.
func bounded[T any](ctx context.Context, l *link, call func() (T, error)) (T, error) {
	return life.Await(ctx, l.spawn, errCut, call)
}

// outlasting returns a context that ends a while after ctx does.
func outlasting(ctx context.Context, while time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// gone checks, after a failure, whether the connection is lost. If it is, lost reports true
// from then on. If ctx ends first, the state remains unknown.
func (l *link) gone(ctx context.Context) bool {
	answers, _ := bounded(ctx, l, func() (bool, error) { return l.answers(), nil })
	switch {
	case answers:
		return false
	case ctx.Err() != nil:
		return l.lost()
	}
	_ = l.conn.Close() // an error means that it is already closed
	<-l.done
	return true
}

func (l *link) close() {
	l.life.Stop()
	_ = l.conn.Close() // an error means that it is already closed
	l.life.End()
}

const keepAliveRequest = "keepalive@openssh.com"

// keepAlive asks for a sign of life at every interval. After KeepAliveMisses
// intervals without an answer the connection counts as lost.
func (l *link) keepAlive() {
	ticker := time.NewTicker(l.config.KeepAlive)
	defer ticker.Stop()
	answered := make(chan struct{}, 1)
	waiting, misses := false, 0
	for {
		select {
		case <-l.done:
			return
		case <-answered:
			waiting, misses = false, 0
		case <-ticker.C:
			if waiting {
				misses++
			}
			if misses >= l.config.KeepAliveMisses {
				_ = l.conn.Close() // this closes l.done
				return
			}
			if !waiting {
				waiting = l.spawn(func() {
					if l.answers() {
						answered <- struct{}{}
					}
				})
			}
		}
	}
}
