package winrm

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/bodgit/ntlmssp"

	"kinit/engine/transport"
)

// sealedWire carries messages that are encrypted with the key of an NTLM login. A login
// belongs to one TCP connection and counts its messages, so a connection carries one
// message at a time; it opens as many connections as needed.
type sealedWire struct {
	config Config

	mu   sync.Mutex
	idle []*login
}

func newSealedWire(c Config) *sealedWire { return &sealedWire{config: c} }

// post uses an existing login, or logs in. If the machine has meanwhile ended the
// connection or the login, it has not handled the message, which is sent over a new one.
func (w *sealedWire) post(ctx context.Context, message []byte) (answer, error) {
	for {
		l, fresh := w.take()
		a, err := l.post(ctx, message)
		if err == nil && a.soap {
			w.put(l)
			return a, nil
		}
		l.close() // an answer that was not decrypted is not counted: the next one would not match
		var lost *lostError
		unseen := err == nil && a.status == http.StatusUnauthorized || errors.As(err, &lost) && !lost.sent
		if fresh || !unseen || ctx.Err() != nil {
			return a, err
		}
	}
}

func (w *sealedWire) take() (l *login, fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.idle); n > 0 {
		l, w.idle = w.idle[n-1], w.idle[:n-1]
		return l, false
	}
	return newLogin(w.config), true
}

func (w *sealedWire) put(l *login) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, l)
}

func (w *sealedWire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.idle {
		l.close()
	}
	w.idle = nil
}

// login is one TCP connection with a login, or before it.
type login struct {
	config  Config
	http    *http.Client
	dialled bool
	session *ntlmssp.SecuritySession // nil before the login
}

func newLogin(c Config) *login {
	l := &login{config: c}
	l.http = newHTTP(newTransport(c, l.dial))
	return l
}

func (l *login) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if l.dialled {
		return nil, errors.New("the connection of the login has ended")
	}
	l.dialled = true
	return l.config.dial(ctx, network, address)
}

func (l *login) close() { l.http.CloseIdleConnections() }

// post sends an encrypted message, and decrypts the answer.
func (l *login) post(ctx context.Context, message []byte) (answer, error) {
	if l.session == nil {
		a, err := l.enter(ctx)
		if err != nil || a.status != http.StatusOK {
			return a, err
		}
		if l.session == nil {
			return a, fmt.Errorf("%w: %s lets in without a login by NTLM, so its messages cannot be sealed", transport.ErrAuth, l.config.label())
		}
	}
	sealed, err := seal(l.session, message)
	if err != nil {
		return answer{}, err
	}
	a, err := post(ctx, l.http, l.config.url(), sealedType, sealed, func(*http.Request) {})
	if err != nil {
		return a, err
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "multipart/encrypted") {
		a.soap = false // the sender is not authenticated
		return a, nil
	}
	if a.body, err = open(l.session, a.body); err != nil {
		return answer{}, &lostError{err: err, sent: true}
	}
	a.soap = true
	return a, nil
}

// enter logs in. Its messages have no body, so a refused one has no effect.
func (l *login) enter(ctx context.Context) (answer, error) {
	user, domain := account(l.config.User)
	client, err := ntlmssp.NewClient(ntlmssp.SetUserInfo(user, l.config.Password.Reveal()), ntlmssp.SetDomain(domain), ntlmssp.SetVersion(ntlmssp.DefaultVersion()))
	if err != nil {
		return answer{}, err
	}
	a, err := l.negotiate(ctx, client, nil)
	if err != nil || a.status != http.StatusUnauthorized {
		return a, unsent(err)
	}
	challenge, err := challengeIn(a.header)
	if err != nil || challenge == nil {
		return a, err // it offers other logins, which the caller reports
	}
	a, err = l.negotiate(ctx, client, challenge)
	if err == nil && a.status == http.StatusOK {
		l.session = client.SecuritySession()
	}
	return a, unsent(err)
}

// unsent marks an error of a login as one before the message was sent.
func unsent(err error) error {
	if lost, ok := errors.AsType[*lostError](err); ok {
		lost.sent = false
	}
	return err
}

// negotiate sends one message of the login.
func (l *login) negotiate(ctx context.Context, client *ntlmssp.Client, challenge []byte) (answer, error) {
	token, err := authenticate(client, challenge)
	if err != nil {
		return answer{}, fmt.Errorf("%w: log in to %s by NTLM: %w", transport.ErrAuth, l.config.label(), err)
	}
	return post(ctx, l.http, l.config.url(), soapType+";charset=UTF-8", nil, func(r *http.Request) {
		r.Header.Set("Authorization", "Negotiate "+base64.StdEncoding.EncodeToString(token))
	})
}

// authenticate makes the first message of a login, or the answer to a challenge. The
// library panics on a truncated challenge.
func authenticate(client *ntlmssp.Client, challenge []byte) (token []byte, err error) {
	if challenge == nil {
		return client.Authenticate(nil, nil)
	}
	if len(challenge) < flagsAt+4 {
		return nil, errors.New("the machine's challenge is cut short")
	}
	flags := binary.LittleEndian.Uint32(challenge[flagsAt:])
	if missing := neededFlags &^ flags; missing != 0 {
		return nil, fmt.Errorf("the machine does not seal messages as needed: its challenge lacks the flags 0x%08x", missing)
	}
	defer func() {
		if problem := recover(); problem != nil {
			token, err = nil, fmt.Errorf("the machine's challenge is damaged: %v", problem)
		}
	}()
	return client.Authenticate(challenge, nil)
}

// What a challenge must agree to ([MS-NLMP] 2.2.2.5), so that messages are signed and
// encrypted with 128 bits, and the offset of these flags ([MS-NLMP] 2.2.1.2).
const (
	flagSign            = 0x00000010
	flagSeal            = 0x00000020
	flagExtendedSession = 0x00080000
	flag128             = 0x20000000
	flagKeyExchange     = 0x40000000

	neededFlags = flagSign | flagSeal | flagExtendedSession | flag128 | flagKeyExchange
	flagsAt     = 20
)

// challengeIn finds the challenge of the machine, or nil.
func challengeIn(header http.Header) ([]byte, error) {
	for _, offer := range header.Values("WWW-Authenticate") {
		scheme, token, found := strings.Cut(offer, " ")
		if found && strings.EqualFold(scheme, "Negotiate") {
			return base64.StdEncoding.DecodeString(strings.TrimSpace(token))
		}
	}
	return nil, nil
}

// account splits a user into name and domain.
func account(user string) (name, domain string) {
	if domain, name, found := strings.Cut(user, `\`); found {
		return name, domain
	}
	name, domain, _ = strings.Cut(user, "@")
	return name, domain
}
