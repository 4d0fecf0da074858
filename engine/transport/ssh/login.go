package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/secret"
	"kinit/engine/transport"
)

// Prompter asks the user who runs kinit. Its connections share the keys that were unlocked. nil asks nothing.
type Prompter struct {
	ask func(ctx context.Context, question string) (secret.Value, error)

	mu   sync.Mutex // held while it asks for a passphrase
	keys map[string]unlocked
}

type unlocked struct {
	signer gossh.Signer
	err    error
}

// NewPrompter returns a prompter that asks by a function, nil for nil.
func NewPrompter(ask func(ctx context.Context, question string) (secret.Value, error)) *Prompter {
	if ask == nil {
		return nil
	}
	return &Prompter{ask: ask, keys: map[string]unlocked{}}
}

// mostPassphrases is how often the passphrase of a key is asked for, as by ssh.
const mostPassphrases = 3

// unlock returns the private key of a file that has a passphrase. It asks once in a run, except after a mistake.
func (p *Prompter) unlock(ctx context.Context, file string, pem []byte) (gossh.Signer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.keys[file]; ok {
		return known.signer, known.err
	}
	question := "Passphrase for " + file + ":"
	for range mostPassphrases {
		passphrase, err := p.ask(ctx, question)
		if err != nil {
			return nil, fmt.Errorf("the passphrase of %s: %w", file, err)
		}
		if signer, err := gossh.ParsePrivateKeyWithPassphrase(pem, []byte(passphrase.Reveal())); err == nil {
			p.keys[file] = unlocked{signer: signer}
			return signer, nil
		}
		question = "Wrong passphrase. Passphrase for " + file + ":"
	}
	err := fmt.Errorf("no passphrase opened %s: add the key to ssh-agent", file)
	p.keys[file] = unlocked{err: err}
	return nil, err
}

// lockedSigner is a key with a passphrase, which is asked for when the server wants a signature: it has accepted the key then.
type lockedSigner struct {
	public gossh.PublicKey
	open   func() (gossh.Signer, error)
}

func (s lockedSigner) PublicKey() gossh.PublicKey { return s.public }

func (s lockedSigner) Sign(rand io.Reader, data []byte) (*gossh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

func (s lockedSigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*gossh.Signature, error) {
	signer, err := s.open()
	if err != nil {
		return nil, err
	}
	return signer.(gossh.AlgorithmSigner).SignWithAlgorithm(rand, data, algorithm)
}

// login answers what a server asks during one handshake.
type login struct {
	config Config
	keys   *keys
	ctx    context.Context
	hold   func() (resume func()) // stops the time limit while the user is asked

	mu       sync.Mutex
	given    bool  // the password was given
	password bool  // it was refused, or asked for again
	failed   error // why a question has no answer
}

// methods are the ways to log in, in the order of ssh.
func (l *login) methods() []gossh.AuthMethod {
	all := []gossh.AuthMethod{gossh.PublicKeys(l.keys.noting()...)}
	if l.config.Password != nil || l.config.Prompter != nil {
		all = append(all, gossh.KeyboardInteractive(l.answer))
	}
	if l.config.Password != nil {
		all = append(all, gossh.PasswordCallback(l.give))
	}
	return all
}

// errAgain is the error if the password is asked for a second time. It ends the handshake.
var errAgain = errors.New("the password is asked for again")

// give returns the password, once.
func (l *login) give() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.given {
		l.password = true
		return "", errAgain
	}
	l.given = true
	return l.config.Password.Value().Reveal(), nil
}

// codeForm is what a question for a one-time code has in it.
var codeForm = regexp.MustCompile(`(?i)code|otp|token|one.?time|passcode|\bpin\b|verification|factor|duo|yubi`)

// answer answers the questions of keyboard-interactive: the first hidden one that asks for no code with the password, the
// others by the user. The user is asked only by a server that has accepted a key or gets the password.
func (l *login) answer(_, instruction string, questions []string, echos []bool) ([]string, error) {
	answers := make([]string, len(questions))
	for i, question := range questions {
		isCode := echos[i] || codeForm.MatchString(question)
		if l.config.Password != nil && !isCode {
			value, err := l.give()
			if err != nil {
				return nil, err
			}
			answers[i] = value
			continue
		}
		value, err := l.asked(instruction, question)
		if err != nil {
			l.fail(err)
			return nil, err
		}
		answers[i] = value
	}
	return answers, nil
}

// fail records why a question has no answer.
func (l *login) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
}

func (l *login) asked(instruction, question string) (string, error) {
	if l.config.Prompter == nil {
		return "", fmt.Errorf("it asks %q, and kinit has no terminal to ask you", question)
	}
	if l.keys.accepted.Load() == nil && l.config.Password == nil {
		return "", fmt.Errorf("it accepts none of the keys and asks %q: give the password by --ask-pass, or where the inventory has it", question)
	}
	defer l.hold()()
	if instruction != "" {
		question = instruction + "\n" + question
	}
	value, err := l.config.Prompter.ask(l.ctx, l.config.User+"@"+l.config.label()+": "+question)
	return value.Reveal(), err
}

// problem returns why a login failed, if that is known, or nil.
func (l *login) problem(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	who := l.config.User + "@" + l.config.label()
	switch {
	case l.failed != nil:
		return fmt.Errorf("%w: log in as %s: %w", transport.ErrAuth, who, l.failed)
	case l.password || l.given && authRefused(err):
		return fmt.Errorf("%w: log in as %s: %w. kinit gives it once, so that no account is locked: give the right one by --ask-pass, or where the inventory has it",
			transport.ErrAuth, who, transport.ErrPassword)
	}
	return nil
}

// pausable returns a context that ends after a time, and a function that stops the time until the returned one is called.
func pausable(ctx context.Context, within time.Duration) (timed context.Context, cancel func(), hold func() (resume func())) {
	timed, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(within, func() { end(context.DeadlineExceeded) })
	hold = func() func() {
		timer.Stop()
		return func() { timer.Reset(within) }
	}
	return timed, func() { timer.Stop(); end(nil) }, hold
}
