package winrm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/masterzen/winrm"
	"github.com/masterzen/winrm/soap"

	"kinit/engine/transport"
)

// client runs operations on a machine. Each is one message and its answer, within a
// deadline.
type client struct {
	config  Config
	url     string
	usual   *winrm.Parameters // of all operations but Receive
	patient *winrm.Parameters // of Receive
	wire    wire
	block   atomic.Int64 // the limit, in bytes, of the data in one Send, as far as known
}

// wire carries one message to the machine. An error is a *lostError or a final refusal.
type wire interface {
	post(ctx context.Context, message []byte) (answer, error)
	close()
}

// answer is an HTTP response.
type answer struct {
	status int
	soap   bool // the body has the content type of SOAP
	header http.Header
	body   []byte
}

func newClient(c Config) (*client, error) {
	made := &client{config: c, url: c.url(), usual: within(c.answer), patient: within(c.poll)}
	made.block.Store(largestSend)
	if c.Auth == NTLM {
		made.wire = newSealedWire(c)
		return made, nil
	}
	plain, err := newPlainWire(c)
	if err != nil {
		return nil, err
	}
	made.wire = plain
	return made, nil
}

// lostError is the error of an operation without an answer.
type lostError struct {
	step string
	err  error
	sent bool // the machine may have received the message
}

func (e *lostError) Error() string {
	if e.sent {
		return fmt.Sprintf("%s: the connection was lost before the answer came: %v", e.step, e.err)
	}
	return fmt.Sprintf("%s: no connection: %v", e.step, e.err)
}

func (e *lostError) Unwrap() []error { return []error{transport.ErrUnreachable, e.err} }

// errTooLarge is the error of a message that is longer than the machine accepts.
var errTooLarge = errors.New("the message is longer than the machine takes")

func (c *client) call(ctx context.Context, m message, deadline time.Duration) (*envelope, error) {
	timed, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	a, err := c.wire.post(timed, []byte(m.text))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, c.lost(m, err, deadline, timed.Err() != nil)
	}
	return c.sort(m, a)
}

func (c *client) lost(m message, err error, deadline time.Duration, late bool) error {
	lost, ok := errors.AsType[*lostError](err)
	if !ok || errors.Is(err, transport.ErrHostKey) {
		return err
	}
	lost.step = m.step
	if late {
		lost.err = fmt.Errorf("no answer within %s", deadline)
	}
	return lost
}

// sort converts an HTTP response to the result of an operation.
func (c *client) sort(m message, a answer) (*envelope, error) {
	switch {
	case a.status == http.StatusUnauthorized:
		return nil, c.refused(a)
	case a.status == http.StatusRequestEntityTooLarge:
		return nil, fmt.Errorf("%s: %w", m.step, errTooLarge)
	case a.status == http.StatusServiceUnavailable:
		return nil, &lostError{step: m.step, err: errors.New("the machine's WinRM service does not run (HTTP 503)")}
	case !a.soap:
		return nil, fmt.Errorf("%s: %s answers with HTTP %d and what is no SOAP message: is it a WinRM listener? %.200q", m.step, c.url, a.status, a.body)
	}
	e, err := parse(m, a.body)
	if err == nil && a.status != http.StatusOK {
		return nil, fmt.Errorf("%s: the machine answers with HTTP %d", m.step, a.status)
	}
	if f := asFault(err); f != nil && f.tooLarge() {
		return nil, fmt.Errorf("%w: %w", errTooLarge, f)
	}
	return e, err
}

// refused returns an error that names the logins that the machine accepts.
func (c *client) refused(a answer) error {
	offers := a.header.Values("WWW-Authenticate")
	for i, offer := range offers {
		offers[i], _, _ = strings.Cut(offer, " ")
	}
	how := "user " + strconv.Quote(c.config.User) + " with the password given"
	if c.config.Auth == Certificate {
		how = "the client certificate given"
	}
	text := fmt.Sprintf("%s does not let in %s by %s", c.config.label(), how, c.config.Auth)
	if len(offers) > 0 {
		text += "; it offers " + strings.Join(offers, ", ")
	}
	return fmt.Errorf("%w: %s", transport.ErrAuth, text)
}

// do makes an operation other than Receive. It may take the timeout in the message, plus half
// of it for the network.
func (c *client) do(ctx context.Context, action string, m *soap.SoapMessage) (*envelope, error) {
	return c.call(ctx, newMessage(action, m), c.config.answer*3/2)
}

func (c *client) create(ctx context.Context) (shell string, err error) {
	e, err := c.do(ctx, actionCreate, winrm.NewOpenShellRequest(c.url, c.usual))
	if err != nil {
		return "", err
	}
	return e.shell()
}

func (c *client) start(ctx context.Context, shell, line string) (command string, err error) {
	e, err := c.do(ctx, actionCommand, commandMessage(c.url, shell, line, c.usual))
	if err != nil {
		return "", err
	}
	return e.command()
}

func (c *client) send(ctx context.Context, shell, command string, input []byte, end bool) error {
	_, err := c.do(ctx, actionSend, winrm.NewSendInputRequest(c.url, shell, command, input, end, c.usual))
	return err
}

func (c *client) receive(ctx context.Context, shell, command string) (*output, error) {
	m := newMessage(actionReceive, winrm.NewGetOutputRequest(c.url, shell, command, "stdout stderr", c.patient))
	e, err := c.call(ctx, m, c.config.poll+c.config.answer)
	if err != nil {
		return nil, err
	}
	if e.Body.Output == nil {
		return nil, fmt.Errorf("%s: the machine's answer has no output in it", m.step)
	}
	return e.Body.Output, nil
}

// terminate ends a command, or releases one that has ended.
func (c *client) terminate(ctx context.Context, shell, command string) error {
	_, err := c.do(ctx, actionSignal, winrm.NewSignalRequest(c.url, shell, command, c.usual))
	return err
}

func (c *client) deleteShell(ctx context.Context, shell string) error {
	_, err := c.do(ctx, actionDelete, winrm.NewDeleteShellRequest(c.url, shell, c.usual))
	return err
}
