package kubectlapply

import (
	"context"
	"errors"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
)

// The limits for a busy API server, on a host of ordinary speed. Servers under load answer late or not at all,
// and every request here can be repeated.
const (
	patience   = 3 * time.Minute
	firstPause = time.Second
	lastPause  = 10 * time.Second
)

// busy reports whether kubectl's error means that the server, or a proxy before it, is
// overloaded: the reasons of HTTP 429, 503 and 504 in k8s.io/apimachinery's
// metav1.StatusReason, and failed connections. A server with a wrong certificate is not
// busy.
func busy(stderr string) bool {
	if strings.Contains(stderr, "x509: ") {
		return false
	}
	for _, sign := range []string{
		"Error from server (Timeout)", "Error from server (ServerTimeout)", "Error from server (ServiceUnavailable)",
		"Error from server (TooManyRequests)", "Unable to connect to the server: ", "The connection to the server ",
		"etcdserver: ", "connection refused", "connection reset by peer", "i/o timeout", "context deadline exceeded",
		"Client.Timeout exceeded", "unexpected EOF", "the server is currently unable to handle the request",
	} {
		if strings.Contains(stderr, sign) {
			return true
		}
	}
	return false
}

// kubectl runs kubectl with the content on standard input, and repeats it while the server
// is busy.
func (t *Task) kubectl(ctx context.Context, h module.Host, args ...string) (module.Output, error) {
	argv := append([]string{"kubectl", "--kubeconfig", t.Kubeconfig}, args...)
	argv = append(argv, "--filename", "-")
	deadline := time.Now().Add(module.Stretch(h, patience))
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		out, err := h.Run(ctx, module.Command{Argv: argv, Stdin: strings.NewReader(t.Content)})
		var exit *module.ExitError
		if !errors.As(err, &exit) || !busy(exit.Stderr) || time.Now().Add(pause).After(deadline) {
			return out, err
		}
		h.Report(event.Progress{Text: "the API server is busy: " + module.Tail(strings.TrimSpace(exit.Stderr), 1)})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}
