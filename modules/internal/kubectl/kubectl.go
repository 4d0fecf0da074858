// Package kubectl runs kubectl on a host, and has patience with a busy API server.
package kubectl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/engine/bounds"
	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/pace"
)

// The limits for a busy API server, on a host of ordinary speed. Servers under load answer late or not at all,
// and every request here can be repeated.
const (
	patience   = 3 * time.Minute
	glance     = 20 * time.Second // of a look before anything changes, see Briefly
	starting   = 30 * time.Second // for one that has just started, see unready
	firstPause = time.Second
	lastPause  = 10 * time.Second
)

// Client is a kubectl on a host, and the login of a cluster. It is embedded in the tasks that run it.
type Client struct {
	// Kubeconfig is the cluster's kubeconfig on the host.
	Kubeconfig string `hcl:"kubeconfig,optional" default:"/etc/kubernetes/admin.conf" path:"absolute"`
	// Kubectl is the program kubectl on the host.
	Kubectl string `hcl:"kubectl,optional" default:"kubectl"`
}

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

// unready reports whether kubectl's error may mean that the server has just started: it denies everything to those whose roles
// it has not read from etcd yet. That is reason Forbidden of metav1.StatusReason, as of a request that is denied for good.
func unready(stderr string) bool {
	return strings.Contains(stderr, "Error from server (Forbidden)")
}

// patienceWith returns for how long a command with this error is repeated.
func patienceWith(stderr string) time.Duration {
	switch {
	case busy(stderr):
		return patience
	case unready(stderr):
		return starting
	}
	return 0
}

// Argv is the command line of kubectl with arguments.
func (c Client) Argv(args ...string) []string {
	return append([]string{c.Kubectl, "--kubeconfig", c.Kubeconfig}, args...)
}

// Run runs kubectl with a text on standard input, and repeats it while the server is busy, or may have just started.
func (c Client) Run(ctx context.Context, h module.Host, stdin string, args ...string) (module.Output, error) {
	began, reason := time.Now(), error(nil)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		command := module.Command{Argv: c.Argv(args...)}
		if stdin != "" {
			command.Stdin = strings.NewReader(stdin)
		}
		out, err := h.Run(ctx, command)
		if err != nil && reason != nil && pace.Passed(ctx) {
			return out, reason // says more than that the time is over
		}
		var exit *module.ExitError
		if !errors.As(err, &exit) || time.Since(began)+pause > module.Stretch(h, patienceWith(exit.Stderr)) {
			return out, err
		}
		h.Report(event.Progress{Text: "the API server is busy: " + module.Tail(strings.TrimSpace(exit.Stderr), 1)})
		select {
		case <-time.After(pause):
			reason = err
		case <-ctx.Done():
			if pace.Passed(ctx) {
				return out, err
			}
			return out, ctx.Err()
		}
	}
}

// patient is the key of a context whose patience Patiently counts.
type patient struct{}

// Patiently calls a function that only reads from the server, and ends it when the patience with the server is over. A kubectl
// that cannot reach the server takes minutes for one attempt, and several commands would each have their own patience: a call
// within another one has the patience of that.
func Patiently(ctx context.Context, h module.Host, read func(ctx context.Context) error) error {
	return within(ctx, h, patience, read)
}

// Briefly is Patiently for a look before anything changes: a server that does not answer then, as one whose only controller is
// stopped, is reported instead of waited for.
func Briefly(ctx context.Context, h module.Host, read func(ctx context.Context) error) error {
	return within(ctx, h, glance, read)
}

func within(ctx context.Context, h module.Host, patience time.Duration, read func(ctx context.Context) error) error {
	if ctx.Value(patient{}) != nil {
		return read(ctx)
	}
	ctx = context.WithValue(ctx, patient{}, true)
	asking, limit := module.Within(ctx, h, patience)
	defer limit.End()
	err := read(asking)
	if err != nil && ctx.Err() == nil && pace.Passed(asking) {
		return fmt.Errorf("the API server gave no answer within %v: %w", limit, err)
	}
	return err
}

// Get reads objects into value, which it leaves alone if kubectl prints nothing.
func (c Client) Get(ctx context.Context, h module.Host, value any, args ...string) error {
	var out module.Output
	err := Patiently(ctx, h, func(ctx context.Context) (err error) {
		out, err = c.Run(ctx, h, "", append(append([]string{"get"}, args...), "--output", "json")...)
		return err
	})
	if err != nil {
		return fmt.Errorf("get %s: %w", args[0], err)
	}
	if out.Stdout == "" {
		return nil
	}
	if err := bounds.DecodeJSON([]byte(out.Stdout), value); err != nil {
		return fmt.Errorf("kubectl get %s: %w", args[0], err)
	}
	return nil
}

// Summary names the first objects, and counts the rest.
func Summary(names []string, shown int) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
