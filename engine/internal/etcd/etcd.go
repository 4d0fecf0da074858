// Package etcd keeps locks in an etcd, the one place where all runs of a team look.
//
// An owner has two keys below the prefix. "holder" names the run that has the lock; it
// belongs to a lease, and etcd removes it when the lease ends. "last" names the run that had
// the lock last; it stays when the lease ends, so that the next run learns of a run that has
// died. Both keys are written and removed together, in transactions that first compare them.
package etcd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kinit/engine/secret"
	"kinit/engine/transport"
)

// Config is how an etcd is reached.
type Config struct {
	Endpoints   []string     // URLs of the members of one cluster, all https or all http
	CA          string       // in PEM: who signs their certificates; empty means whom this machine trusts
	Certificate string       // in PEM: the client's own; empty means none
	Key         secret.Value // of the certificate, in PEM
	User        string       // empty means none
	Password    secret.Value // of the user
	Prefix      string       // of all keys
}

// Times of a connection. Those of a try end before the run that renews a lock gives up.
const (
	connectTime = 5 * time.Second  // for the connection and TLS
	loginTime   = 10 * time.Second // for the login, connecting included
	idleTime    = 10 * time.Second // without data from a member until it is asked for some
	deadTime    = 3 * time.Second  // for its answer
	againTime   = 2 * time.Second  // at most between two attempts to connect
	tries       = 3                // for operations that can be repeated, on different members
)

// The most, in bytes, of one answer and of its headers. Answers have two keys, or an error; the client's own limit is 2 GiB.
const (
	largestAnswer  = 64 << 10
	largestHeaders = 64 << 10
)

// open makes a client. It logs in where there is a user; else nothing is sent yet.
func (c Config) open(ctx context.Context) (*clientv3.Client, error) {
	encryption, err := c.TLS()
	if err != nil {
		return nil, err
	}
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel) // while it logs in
	defer stop()
	return clientv3.New(clientv3.Config{
		Context: lasting, Endpoints: c.Endpoints, TLS: encryption, Username: c.User, Password: c.Password.Reveal(),
		DialTimeout: loginTime, DialKeepAliveTime: idleTime, DialKeepAliveTimeout: deadTime, MaxCallRecvMsgSize: largestAnswer,
		MaxUnaryRetries: tries, BackoffWaitBetween: 100 * time.Millisecond, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(atOnce), grpc.WithMaxHeaderListSize(largestHeaders), grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: againTime / 4, Multiplier: 2, Jitter: 0.2, MaxDelay: againTime},
			MinConnectTimeout: connectTime,
		})},
	})
}

// atOnce lets a request fail while no member can be reached, with the reason. The client
// would wait for one until the time is up, and know only that.
func atOnce(ctx context.Context, method string, req, reply any, c *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(ctx, method, req, reply, c, append(options, grpc.WaitForReady(false))...)
}

// TLS is nil where nothing is encrypted.
func (c Config) TLS() (*tls.Config, error) {
	if strings.HasPrefix(c.Endpoints[0], "http://") {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM([]byte(c.CA)) {
			return nil, errors.New("there is no certificate in the text of the authority")
		}
	}
	if c.Certificate != "" {
		pair, err := tls.X509KeyPair([]byte(c.Certificate), []byte(c.Key.Reveal()))
		if err != nil {
			return nil, fmt.Errorf("read the certificate and its key: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

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
