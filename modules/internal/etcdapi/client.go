// Package etcdapi asks the members of an etcd by the JSON form of their API, through the connection
// of a host.
package etcdapi

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
	"net/url"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/httpclient"
)

// answerTime limits one request, on a host of ordinary speed. A busy machine needs seconds for a TLS
// handshake; who has left the network gives no answer at all.
const answerTime = 10 * time.Second

// ErrLate is the error of a request without an answer in time, which may have been done.
var ErrLate = errors.New("no answer")

// Access is embedded in the tasks of hosts with a member of an etcd.
type Access struct {
	// Endpoint is the URL of the host's own member.
	Endpoint string `hcl:"endpoint,optional" default:"https://127.0.0.1:2379"`
	// CACert is the path of the authority's certificate on the host. With an endpoint of http it is not read.
	CACert string `hcl:"ca_cert,optional" default:"/etc/kubernetes/pki/etcd/ca.crt" path:"absolute"`
	// Cert is the path of the client's certificate on the host.
	Cert string `hcl:"cert,optional" default:"/etc/kubernetes/pki/apiserver-etcd-client.crt" path:"absolute"`
	// Key is the path of the client's key on the host.
	Key string `hcl:"key,optional" default:"/etc/kubernetes/pki/apiserver-etcd-client.key" path:"absolute"`
}

// Check reports an endpoint that is none.
func (a Access) Check() error {
	if at, err := url.Parse(a.Endpoint); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return fmt.Errorf("endpoint is %q, expected a URL such as \"https://127.0.0.1:2379\"", a.Endpoint)
	}
	return nil
}

// Client asks members.
type Client struct {
	http *http.Client
	host module.Host
}

// Client reads the certificates and returns a client.
func (a Access) Client(ctx context.Context, h module.Host) (*Client, error) {
	var settings *tls.Config
	if strings.HasPrefix(a.Endpoint, "https:") {
		var err error
		if settings, err = a.login(ctx, h); err != nil {
			return nil, err
		}
	}
	// A redirect would take the login to another server; etcd's gateway sends none.
	return &Client{http: httpclient.Plain(h, settings, 0), host: h}, nil
}

// login reads the certificates.
func (a Access) login(ctx context.Context, h module.Host) (*tls.Config, error) {
	texts := map[string]string{}
	for _, path := range []string{a.CACert, a.Cert, a.Key} {
		text, there, err := hostfile.Read(ctx, h, path)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, fmt.Errorf("there is no %s: the host runs no member of etcd that was made by kubeadm", path)
		}
		texts[path] = text
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(texts[a.CACert])) {
		return nil, fmt.Errorf("%s has no certificate", a.CACert)
	}
	own, err := tls.X509KeyPair([]byte(texts[a.Cert]), []byte(texts[a.Key]))
	if err != nil {
		return nil, fmt.Errorf("%s and %s are no certificate and its key", a.Cert, a.Key)
	}
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}}, nil
}

// Ask sends a request to a member and reads its answer. It returns ErrLate if there is none in time.
func (c *Client) Ask(ctx context.Context, endpoint, path string, question, answer any) error {
	asking, limit := module.Within(ctx, c.host, answerTime)
	defer limit.End()
	late := func(err error) error {
		if ctx.Err() == nil && pace.Passed(asking) {
			return fmt.Errorf("%s: %w within %v", endpoint, ErrLate, limit)
		}
		return err
	}
	reply, err := c.post(asking, endpoint, path, question)
	if err != nil {
		return late(err)
	}
	defer reply.Body.Close()
	text, err := httpclient.Text(reply, largestAnswer)
	if err != nil {
		return late(err)
	}
	if answer == nil {
		return nil
	}
	return httpclient.Decode(text, answer)
}

// Stream sends a request to a member, and calls each with the answers as they come. A member that is
// silent for a while ends it.
func (c *Client) Stream(ctx context.Context, endpoint, path string, question any, each func(json.RawMessage) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(silence, func() { cancel(fmt.Errorf("it has sent nothing for %v", silence)) })
	defer silent.Stop()
	reply, err := c.post(ctx, endpoint, path, question)
	if err != nil {
		return cause(ctx, err)
	}
	defer reply.Body.Close()
	rest := &io.LimitedReader{R: reply.Body}
	for answers := json.NewDecoder(rest); ; {
		rest.N = largestAnswer
		var answer struct {
			Result json.RawMessage
			Error  *refusal
		}
		err := answers.Decode(&answer)
		switch {
		case err != nil && rest.N == 0:
			return fmt.Errorf("one of its messages has more than %d bytes", largestAnswer)
		case err == io.EOF:
			return nil
		case err != nil:
			return cause(ctx, err)
		case answer.Error != nil:
			return errors.New(answer.Error.Message)
		}
		if err := each(answer.Result); err != nil {
			return err
		}
		silent.Reset(silence)
	}
}

// silence is how long a member may send nothing of a long answer.
const silence = time.Minute

// cause returns why a context has ended, if it has.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil {
		return why
	}
	return err
}

// refusal is the answer of a member that does not do what it was asked.
type refusal struct{ Message string }

// largestAnswer is the longest answer, or message of a long answer, in bytes. The list of the members has a few KiB; snapshots come
// in messages of 44 KiB.
const largestAnswer = 1 << 20

// post sends a request, and returns an answer that is no refusal.
func (c *Client) post(ctx context.Context, endpoint, path string, question any) (*http.Response, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+"/v3/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if reply.StatusCode == http.StatusOK {
		return reply, nil
	}
	defer reply.Body.Close()
	text, err := httpclient.Text(reply, largestAnswer)
	if err != nil {
		return nil, err
	}
	var no refusal
	if json.Unmarshal(text, &no) == nil && no.Message != "" {
		return nil, errors.New(no.Message)
	}
	return nil, fmt.Errorf("it answers %s", reply.Status)
}
