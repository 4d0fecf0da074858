package become

import (
	"context"
	"errors"
	"sync/atomic"

	"kinit/engine/transport"
)

// Way is how a user is become on one machine. It learns from failures what the machine wants.
type Way struct {
	User     User
	password *transport.Password // nil without one

	terminal atomic.Bool // sudo wants a terminal
	silent   atomic.Bool // doas asks for nothing
}

// NewWay returns how to become a user, with a password that may be nil.
func NewWay(u User, password *transport.Password) *Way {
	return &Way{User: u, password: password}
}

// Password returns the password, or nil if there is none or it is not needed.
func (w *Way) Password() *transport.Password {
	if w.User.Name == "" || w.silent.Load() {
		return nil
	}
	return w.password
}

// errIdle is the error if the program began without a question that it was to be asked on the terminal.
var errIdle = errors.New("no password was asked for")

// early is an error of sudo, doas or su before it asked for anything.
type early struct{ error }

func (e early) Unwrap() error { return e.error }

// Early marks an error of a program that ended before it asked for anything.
func Early(err error) error { return early{err} }

// Start calls a function that starts a program by an entry, or by User.Line if that is nil. It calls the function again,
// once, if the machine wants another way: sudo refuses to run without a terminal where its sudoers file has requiretty, and
// doas may ask for no password.
func (w *Way) Start(ctx context.Context, start func(*Entry) error) error {
	once := func() error {
		return w.Password().Try(ctx, func() error { return start(w.entry()) })
	}
	had := w.terminal.Load()
	first := once()
	if errors.Is(first, errIdle) {
		w.silent.Store(true)
		return once()
	}
	if _, isEarly := errors.AsType[early](first); !isEarly || had || w.User.By() != Sudo {
		return first
	}
	w.terminal.Store(true)
	second := once()
	if second == nil {
		return nil
	}
	w.terminal.Store(false)
	if _, isEarly := errors.AsType[early](second); isEarly {
		return first
	}
	return second
}

// entry returns how to start the next program, nil if nothing is asked.
func (w *Way) entry() *Entry {
	password, terminal := w.Password().Value(), w.terminal.Load()
	if w.User.Name == "" || w.User.By() == Other || password == "" && !terminal {
		return nil
	}
	return NewEntry(w.User, password, terminal)
}
