package transport

import (
	"context"
	"errors"
	"sync"

	"kinit/engine/secret"
)

// ErrPassword is the error if a machine did not accept a password.
var ErrPassword = errors.New("the password was refused")

// Password is a password for one machine: to log in, or for sudo, doas and su. All connections to the machine share it:
// it is tried once at first, and not again after it was refused, because several wrong passwords may
// lock the account.
type Password struct {
	value  secret.Value
	trying chan struct{} // holds a token while it is tried for the first time

	mu      sync.Mutex
	right   bool
	refused error
}

// NewPassword returns a password that was not tried yet, or nil for an empty one.
func NewPassword(value secret.Value) *Password {
	if value == "" {
		return nil
	}
	return &Password{value: value, trying: make(chan struct{}, 1)}
}

// Value returns the password, or "" for nil.
func (p *Password) Value() secret.Value {
	if p == nil {
		return ""
	}
	return p.value
}

// Try calls a function that may use the password. Until one call has succeeded, others wait for it. After an ErrPassword,
// later calls get the same error at once.
func (p *Password) Try(ctx context.Context, use func() error) error {
	if p == nil {
		return use()
	}
	if right, err := p.known(); right || err != nil {
		return p.note(err, use)
	}
	select {
	case p.trying <- struct{}{}:
		defer func() { <-p.trying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := p.known()
	return p.note(err, use)
}

// Proven reports whether there is nothing to try: the password was accepted, or there is none.
func (p *Password) Proven() bool {
	if p == nil {
		return true
	}
	right, _ := p.known()
	return right
}

func (p *Password) known() (right bool, refused error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.right, p.refused
}

// note calls the function, unless there is an error already, and keeps what is learned of the password.
func (p *Password) note(err error, use func() error) error {
	if err != nil {
		return err
	}
	err = use()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.right = true
	case errors.Is(err, ErrPassword):
		p.refused = err
	}
	return err
}
