package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kinit/engine/transport"
)

// explain returns an error that users understand. It is transport.ErrUnreachable if no
// member answers, and transport.ErrAuth if a member refuses.
func (c Config) explain(err error) error {
	if err == nil {
		return nil
	}
	at, who := strings.Join(c.Endpoints, ", "), fmt.Sprintf("the user %q", c.User)
	if c.User == "" {
		who = "who comes without user and password"
	}
	for _, refusal := range []struct {
		when error
		text string
	}{
		{rpctypes.ErrAuthFailed, "it does not know " + who + ", or has another password of that user"},
		{rpctypes.ErrPermissionDenied, fmt.Sprintf("%s may not read and write keys that begin with %q", who, c.Prefix)},
		{rpctypes.ErrUserEmpty, "it wants a user: give user and password, or a certificate with a user's name"},
	} {
		if errors.Is(rpctypes.Error(err), refusal.when) {
			return fmt.Errorf("%w: %s: %s", transport.ErrAuth, at, refusal.text)
		}
	}
	answer, isAnswer := status.FromError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded), isAnswer && answer.Code() == codes.DeadlineExceeded:
		return fmt.Errorf("%w: %s: there was no answer in time", transport.ErrUnreachable, at)
	case isAnswer && answer.Code() == codes.Unavailable:
		return fmt.Errorf("%w: %s: %s", transport.ErrUnreachable, at, plain(answer.Message()))
	case isAnswer:
		return fmt.Errorf("%s: %s", at, answer.Message())
	}
	return fmt.Errorf("%s: %w", at, err)
}

// plain is a message of the connection without the layers that it came through.
func plain(message string) string {
	if _, quoted, ok := strings.Cut(message, `connection error: desc = "`); ok {
		message = strings.TrimSuffix(quoted, `"`)
	}
	for _, layer := range []string{"transport: ", "Error while dialing: ", "authentication handshake failed: "} {
		message = strings.TrimPrefix(message, layer)
	}
	return message
}
