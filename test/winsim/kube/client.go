// Package kube is what Kubernetes' programs do on a simulated Windows node: kubeadm,
// kubelet, kube-proxy, flanneld, and the container runtime they need.
//
// They talk to a real API server, with plain HTTP and JSON, and do on the simulated
// machine what the real ones do on a Windows node: files, services, networks. They run
// no containers.
package kube

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

// client calls an API server as one user.
type client struct {
	server, token string
	http          *http.Client
}

// statusError is an answer of the API server that is an error.
type statusError struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Error is the server's message.
func (e *statusError) Error() string { return e.Message }

// isReason tells whether an error is an answer of that reason, such as NotFound.
func isReason(err error, reason string) bool {
	var status *statusError
	return errors.As(err, &status) && status.Reason == reason
}

// newClient returns a client for what a kubeconfig says. Certificates are looked at by
// the machine's clock.
func newClient(m *machine.Machine, c access) (*client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, Time: m.Now, ServerName: c.serverName, InsecureSkipVerify: c.insecure}
	if len(c.ca) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(c.ca) {
			return nil, errors.New("unable to load root certificates: unable to parse bytes as PEM block")
		}
	}
	if len(c.cert) > 0 {
		pair, err := tls.X509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: m.Dial, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	return &client{server: c.server, token: c.token, http: &http.Client{Transport: transport}}, nil
}

// close lets go of idle connections.
func (c *client) close() { c.http.CloseIdleConnections() }

// get reads an object.
func (c *client) get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, "", nil, into)
}

// post makes an object and reads what the server made of it; into may be nil.
func (c *client) post(ctx context.Context, path string, object, into any) error {
	return c.call(ctx, http.MethodPost, path, plainJSON, object, into)
}

// put replaces an object.
func (c *client) put(ctx context.Context, path string, object, into any) error {
	return c.call(ctx, http.MethodPut, path, plainJSON, object, into)
}

// patch changes fields of an object.
func (c *client) patch(ctx context.Context, path string, fields any) error {
	return c.call(ctx, http.MethodPatch, path, strategicPatch, fields, nil)
}

func (c *client) call(ctx context.Context, method, path, media string, object, into any) error {
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
	status := &statusError{}
	if err := json.Unmarshal(text, status); err != nil || status.Message == "" {
		return &statusError{Code: code, Message: fmt.Sprintf("the server answered %d: %s", code, text)}
	}
	return status
}

// metadata is what objects have in common.
type metadata struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	OwnerReferences   []ownerReference  `json:"ownerReferences,omitempty"`
	CreationTimestamp string            `json:"creationTimestamp,omitempty"`
}

type ownerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

// configMap is a ConfigMap.
type configMap struct {
	Metadata metadata          `json:"metadata"`
	Data     map[string]string `json:"data"`
}
