// Package host gives tasks their machines: one connection for each machine and user, kept for
// the run, and module.Host on top of it. It does not know how connections work.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kinit/engine/secret"
	"kinit/engine/transport"
)

// Connections keeps one connection for each machine and user. It is safe for use by several goroutines.
type Connections struct {
	lookup   func(ctx context.Context, name string) (Settings, error)
	connect  Connect
	redactor *secret.Redactor
	changes  atomic.Uint64 // of marks, on all machines

	mu        sync.Mutex
	entries   map[entryKey]*entry
	made      []*Machine                 // in the order of connection
	passwords map[string]sharedPasswords // by the name of the machine
	closed    bool
	set       terms
}

// terms are what Mark, Once and Admit have set.
type terms struct {
	run    string
	once   bool
	within time.Duration
	admit  func(ctx context.Context, m *Machine) error
}

// entryKey identifies a connection: a machine, or a machine as another user than its
// settings say.
type entryKey struct {
	name  string
	as    Become
	other bool // used if other is set
}

// Connect makes the connection of a machine; via is the connection of the machine that
// Settings.Via names, or nil.
type Connect func(ctx context.Context, s Settings, via transport.Conn) (transport.Conn, error)

// entry is one machine, connected or about to be.
type entry struct {
	busy     chan struct{} // holds a token while the machine is checked or made
	machine  *Machine
	admitted bool
	failed   error // what the next Get returns without trying
}

// NewConnections returns connections that are made when they are needed. lookup returns how to reach a
// machine; it is called once for each connection.
func NewConnections(lookup func(ctx context.Context, name string) (Settings, error), redactor *secret.Redactor) *Connections {
	return NewConnectionsWith(lookup, redactor, Open)
}

// NewConnectionsWith is NewConnections with another way to connect.
func NewConnectionsWith(lookup func(ctx context.Context, name string) (Settings, error), redactor *secret.Redactor, connect Connect) *Connections {
	if redactor == nil {
		redactor = &secret.Redactor{}
	}
	return &Connections{lookup: lookup, connect: connect, redactor: redactor, entries: map[entryKey]*entry{}, passwords: map[string]sharedPasswords{}}
}

// Mark sets the run of later connections, so that the run's processes can be found on the
// machines.
func (c *Connections) Mark(run string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set.run = run
}

// Once caches the first failure to connect to a machine: later requests for it, or for a machine that
// is reached through it, fail at once. A machine that is reached directly has within to answer; 0 means
// as long as its settings say.
func (c *Connections) Once(within time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set.once, c.set.within = true, within
}

// Admit sets a check that each machine must pass once before Get and As return it.
func (c *Connections) Admit(admit func(ctx context.Context, m *Machine) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set.admit = admit
}

func (c *Connections) terms() terms {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set
}

// Get returns a machine and connects to it the first time. Callers that ask for
// the same machine at the same time share one connection. A failure is not kept:
// the next Get tries again.
func (c *Connections) Get(ctx context.Context, name string) (*Machine, error) {
	return c.As(ctx, name, nil)
}

// As is Get, with a user who has a connection of its own instead of the user of the
// machine's settings; nil means the latter.
func (c *Connections) As(ctx context.Context, name string, as *Become) (*Machine, error) {
	return c.get(ctx, keyOf(name, as), nil)
}

// Begin is As for callers that connect early. A failure is also what the next Get or As returns,
// at once and without trying again. as may be nil.
func (c *Connections) Begin(ctx context.Context, name string, as *Become) (*Machine, error) {
	key := keyOf(name, as)
	m, err := c.get(ctx, key, nil)
	if err == nil || ctx.Err() != nil {
		return m, err
	}
	e, closed := c.entry(key)
	if closed != nil {
		return nil, closed
	}
	e.busy <- struct{}{}
	defer func() { <-e.busy }()
	e.failed = err
	return nil, err
}

func keyOf(name string, as *Become) entryKey {
	if as == nil {
		return entryKey{name: name}
	}
	return entryKey{name: name, as: *as, other: true}
}

// Connected returns a machine that is connected and admitted, as the given user or the user
// of its settings, or nil. It does not wait.
func (c *Connections) Connected(name string, as *Become) *Machine {
	c.mu.Lock()
	e := c.entries[keyOf(name, as)]
	c.mu.Unlock()
	if e == nil {
		return nil
	}
	select {
	case e.busy <- struct{}{}:
		defer func() { <-e.busy }()
		if !e.admitted && c.terms().admit != nil {
			return nil
		}
		return e.machine
	default:
		return nil
	}
}

// Renew gives later requests for a machine a new connection, as any user. Holders of
// the old one keep it until Close.
func (c *Connections) Renew(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.entries, func(key entryKey, _ *entry) bool { return key.name == name })
}

// get is Get for a machine that the machines in chain are reached through.
func (c *Connections) get(ctx context.Context, key entryKey, chain []string) (*Machine, error) {
	name := key.name
	chain = append(slices.Clone(chain), name)
	if slices.Index(chain, name) < len(chain)-1 {
		return nil, fmt.Errorf("hosts are reached through each other: %s", strings.Join(chain, " through "))
	}
	e, err := c.entry(key)
	if err != nil {
		return nil, err
	}
	select {
	case e.busy <- struct{}{}:
		defer func() { <-e.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := e.failed; err != nil {
		if !c.terms().once {
			e.failed = nil
		}
		return nil, err
	}
	if e.machine == nil {
		machine, err := c.reach(ctx, key, chain)
		if err == nil {
			err = c.keep(e, machine)
		}
		if err != nil {
			if c.terms().once && ctx.Err() == nil {
				e.failed = err
			}
			return nil, err
		}
	}
	return e.machine, c.admitOnce(ctx, e)
}

// admitOnce calls the check of Admit for a connected machine that has not passed it yet.
func (c *Connections) admitOnce(ctx context.Context, e *entry) error {
	admit := c.terms().admit
	if e.admitted || admit == nil {
		return nil
	}
	err := admit(ctx, e.machine)
	e.admitted = err == nil
	return err
}

func (c *Connections) entry(key entryKey) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("the connections to hosts are closed")
	}
	e, ok := c.entries[key]
	if !ok {
		e = &entry{busy: make(chan struct{}, 1)}
		c.entries[key] = e
	}
	return e, nil
}

// reach connects to a machine, through another one if the settings say so.
func (c *Connections) reach(ctx context.Context, key entryKey, chain []string) (*Machine, error) {
	name := key.name
	settings, err := c.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	if key.other {
		settings.Become = Become{User: key.as.User, Method: cmp.Or(key.as.Method, settings.Become.Method)}
	}
	settings.shared = c.share(name, settings)
	set := c.terms()
	settings.Run = set.run
	var via transport.Conn
	if settings.Via != "" {
		jump, err := c.get(ctx, entryKey{name: settings.Via}, chain)
		if err != nil {
			return nil, fmt.Errorf("reach %s through %s: %w", name, settings.Via, err)
		}
		via = jump.conn
	}
	if set.within > 0 && via == nil {
		limited, cancel := context.WithTimeout(ctx, set.within)
		defer cancel()
		m, err := c.open(limited, name, settings, nil)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: no answer within %s", transport.ErrUnreachable, set.within)
		}
		return m, err
	}
	return c.open(ctx, name, settings, via)
}

// share returns the passwords of a machine, the same ones for all its users: after one was refused, no connection gives it
// again.
func (c *Connections) share(name string, s Settings) sharedPasswords {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.passwords[name]
	if known.login.Value() != s.Password {
		known.login = transport.NewPassword(s.Password)
	}
	if known.become.Value() != s.BecomePassword {
		known.become = transport.NewPassword(s.BecomePassword)
	}
	c.passwords[name] = known
	return known
}

// open connects to a machine by its settings.
func (c *Connections) open(ctx context.Context, name string, settings Settings, via transport.Conn) (*Machine, error) {
	conn, err := c.connect(ctx, settings, via)
	if err != nil {
		return nil, err
	}
	files, err := conn.Files(ctx)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	m := newMachine(name, settings, conn, files, c.redactor)
	m.changes = &c.changes
	return m, nil
}

// keep records a machine, unless Close was called meanwhile.
func (c *Connections) keep(e *entry, m *Machine) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errors.Join(errors.New("the connections to hosts are closed"), m.conn.Close())
	}
	e.machine = m
	c.made = append(c.made, m)
	return nil
}

// Close ends all connections, the latest first, because they may lead through earlier ones.
// It may be called twice.
func (c *Connections) Close() error {
	c.mu.Lock()
	made := c.made
	c.made, c.closed = nil, true
	c.mu.Unlock()
	var err error
	for _, m := range slices.Backward(made) {
		err = errors.Join(err, m.conn.Close())
	}
	return err
}
