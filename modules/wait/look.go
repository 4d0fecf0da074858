package wait

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/httpclient"
)

const (
	// lookTime is how long one look at a port or path may take.
	lookTime = 5 * time.Second
	// answerTime is how long a URL can take to answer: the server may have to query others
	// first.
	answerTime = 30 * time.Second
	// bannerTime is how long a server can take to send its banner after it accepted the
	// connection. On a starting guest many seconds are between the two, and servers refuse
	// clients that reconnect too often meanwhile.
	bannerTime = 30 * time.Second
	// commandTime is how long one run of argv can take; clients of a busy cluster
	// are slow.
	commandTime = 30 * time.Second
	// bodyBytes is how much of a file or an answer is searched for expect.
	bodyBytes = 1 << 20
)

// down is the error of a look that found for certain that the condition does not hold.
type down struct{ error }

func downf(format string, args ...any) error { return down{fmt.Errorf(format, args...)} }

// look reports whether the condition holds, and if not, why. The error is the error of an
// ended context.
func (t *Task) look(ctx context.Context, h module.Host) (done bool, why string, err error) {
	limit := lookTime
	switch {
	case len(t.Argv) > 0:
		limit = commandTime
	case t.URL != "":
		limit = answerTime
	case t.Banner != "":
		limit = lookTime + bannerTime
	}
	short, cancel := context.WithTimeout(ctx, module.Stretch(h, limit))
	defer cancel()
	found := t.check(short, h)
	if ctx.Err() != nil {
		return false, "", ctx.Err()
	}
	switch {
	case !t.Gone && found == nil:
		return true, "", nil
	case t.Gone && found == nil:
		return false, "it is still there", nil
	case t.Gone && errors.As(found, &down{}):
		return true, "", nil
	}
	return false, found.Error(), nil
}

// check returns nil if the condition holds, a down error if it does not, and another
// error if that is unknown.
func (t *Task) check(ctx context.Context, h module.Host) error {
	switch {
	case t.Port != 0:
		return t.checkPort(ctx, h)
	case t.Path != "":
		return t.checkPath(ctx, h)
	case t.URL != "":
		return t.get(ctx, h)
	}
	out, err := h.Run(ctx, module.Command{Argv: t.Argv})
	if module.Exited(err) {
		return down{err}
	}
	if err == nil && t.Expect != "" && !cmdtext.Matches(t.Expect, out.Stdout) {
		return downf("output does not contain %q; it ends with: %s", t.Expect, cmdtext.Shorten(module.Tail(out.Stdout, 3)))
	}
	return err
}

func (t *Task) checkPath(ctx context.Context, h module.Host) error {
	_, err := h.Files().Stat(ctx, t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return downf("it is not there")
	}
	if err != nil || t.Expect == "" {
		return err
	}
	file, err := h.Files().Open(ctx, t.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, bodyBytes))
	if err == nil && !cmdtext.Matches(t.Expect, string(text)) {
		return downf("it does not contain %q", t.Expect)
	}
	return err
}

// checkPort connects and, if a banner is given, reads it. No answer in time counts as
// down: a machine that is off gives none.
func (t *Task) checkPort(ctx context.Context, h module.Host) error {
	conn, err := t.dial(ctx, h)
	if err != nil {
		return remote(err)
	}
	defer conn.Close()
	if t.Banner == "" {
		return nil
	}
	// Closing ends a read on any kind of connection; not all support deadlines.
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	said := make([]byte, len(t.Banner))
	n, err := io.ReadFull(conn, said)
	if string(said[:n]) != t.Banner {
		return downf("it says %q, want %q", said[:n], t.Banner)
	}
	return err
}

func (t *Task) dial(ctx context.Context, h module.Host) (net.Conn, error) {
	short, cancel := context.WithTimeout(ctx, module.Stretch(h, lookTime))
	defer cancel()
	return h.Dial(short, "tcp", t.endpoint())
}

// remote marks an error of the far end as down. A host that cannot be reached
// proves nothing about it, and a server with a wrong certificate is not gone.
func remote(err error) error {
	wrong := (*tls.CertificateVerificationError)(nil)
	if errors.Is(err, transport.ErrUnreachable) || errors.As(err, &wrong) {
		return err
	}
	return down{err}
}

func (t *Task) get(ctx context.Context, h module.Host) error {
	client, err := httpclient.New(h, t.client())
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return remote(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != t.Status {
		return downf("it answers status %d, want %d", answer.StatusCode, t.Status)
	}
	if t.Expect == "" {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, bodyBytes))
	if err == nil && !cmdtext.Matches(t.Expect, string(body)) {
		return downf("its answer does not contain %q; it ends with: %s", t.Expect, cmdtext.Shorten(module.Tail(string(body), 3)))
	}
	return err
}
