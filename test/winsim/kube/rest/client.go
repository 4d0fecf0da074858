// Package rest is the API server of Kubernetes as programs on the simulated machine call
// it: with a kubeconfig, plain HTTP and JSON.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"kinit/test/winsim/machine"
)

// callTime is how long one call to the API server may take.
const callTime = 30 * time.Second

// Media types of bodies.
const (
	plainJSON      = "application/json"
	strategicPatch = "application/strategic-merge-patch+json"
)

// Client calls an API server as one user.
type Client struct {
	server, token string
	http          *http.Client
}

// StatusError is an answer of the API server that is an error.
type StatusError struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Error is the server's message.
func (e *StatusError) Error() string { return e.Message }

// IsReason reports whether an error is an answer of that reason, such as NotFound.
func IsReason(err error, reason string) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Reason == reason
}

// NewClient returns a client for what a kubeconfig says. Certificates are looked at by
// the machine's clock.
func NewClient(m *machine.Machine, c Access) (*Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, Time: m.Now, ServerName: c.ServerName, InsecureSkipVerify: c.Insecure}
	if len(c.CA) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	if len(c.Cert) > 0 {
		pair, err := tls.X509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: m.Dial, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	return &Client{server: c.Server, token: c.Token, http: &http.Client{Transport: transport}}, nil
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Get reads an object.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, "", nil, into)
}

// Post makes an object and reads what the server made of it; into may be nil.
func (c *Client) Post(ctx context.Context, path string, object, into any) error {
	return c.call(ctx, http.MethodPost, path, plainJSON, object, into)
}

// Put replaces an object.
func (c *Client) Put(ctx context.Context, path string, object, into any) error {
	return c.call(ctx, http.MethodPut, path, plainJSON, object, into)
}

// Patch changes fields of an object.
func (c *Client) Patch(ctx context.Context, path string, fields any) error {
	return c.call(ctx, http.MethodPatch, path, strategicPatch, fields, nil)
}

func (c *Client) call(ctx context.Context, method, path, media string, object, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var body io.Reader
	if object != nil {
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", plainJSON)
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(response.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// refusal reads the Status object of an error.
func refusal(code int, text []byte) error {
	status := &StatusError{}
	if err := json.Unmarshal(text, status); err != nil || status.Message == "" {
		return &StatusError{Code: code, Message: fmt.Sprintf("the server answered %d: %s", code, text)}
	}
	return status
}
