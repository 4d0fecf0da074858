package transport

import (
	"context"
	"errors"
	"sync"

	"kinit/engine/secret"
)

// ErrPassword is the error if sudo, doas or su did not accept the password.
var ErrPassword = errors.New("the password was refused")

// BecomePassword is the password that sudo, doas or su asks for on one machine. All connections to the machine share it:
// one program tries it first, and no further program gets it after it was refused, because several wrong passwords may
// lock the account.
type BecomePassword struct {
	value  secret.Value
	trying chan struct{} // holds a token while it is tried for the first time

	mu      sync.Mutex
	right   bool
	refused error
}

// NewBecomePassword returns a password that was not tried yet, or nil for an empty one.
func NewBecomePassword(value secret.Value) *BecomePassword {
	if value == "" {
		return nil
	}
	return &BecomePassword{value: value, trying: make(chan struct{}, 1)}
}

// Value returns the password, or "" for nil.
func (p *BecomePassword) Value() secret.Value {
	if p == nil {
		return ""
	}
	return p.value
}

// Try calls a function that may use the password. Until one call has succeeded, others wait for it. After an ErrPassword,
// later calls get the same error at once.
func (p *BecomePassword) Try(ctx context.Context, use func() error) error {
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
func (p *BecomePassword) Proven() bool {
	if p == nil {
		return true
	}
	right, _ := p.known()
	return right
}

func (p *BecomePassword) known() (right bool, refused error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.right, p.refused
}

// note calls the function, unless there is an error already, and keeps what is learned of the password.
func (p *BecomePassword) note(err error, use func() error) error {
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
