package etcdleave

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// answerTime limits one request. A busy machine needs seconds for a TLS handshake; who has left the
// network gives no answer at all.
const answerTime = 10 * time.Second

// client asks the members of an etcd through the connection of a host, by the JSON form of their
// API.
type client struct {
	http     *http.Client
	endpoint string
}

func (t *Task) client(ctx context.Context, h module.Host) (*client, error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return h.Dial(ctx, "tcp", address)
		},
	}
	if strings.HasPrefix(t.Endpoint, "https:") {
		var err error
		if transport.TLSClientConfig, err = t.login(ctx, h); err != nil {
			return nil, err
		}
	}
	return &client{http: &http.Client{Transport: transport}, endpoint: t.Endpoint}, nil
}

// login reads the certificates.
func (t *Task) login(ctx context.Context, h module.Host) (*tls.Config, error) {
	texts := map[string]string{}
	for _, path := range []string{t.CACert, t.Cert, t.Key} {
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
	if !roots.AppendCertsFromPEM([]byte(texts[t.CACert])) {
		return nil, fmt.Errorf("%s has no certificate", t.CACert)
	}
	own, err := tls.X509KeyPair([]byte(texts[t.Cert]), []byte(texts[t.Key]))
	if err != nil {
		return nil, fmt.Errorf("%s and %s are no certificate and its key", t.Cert, t.Key)
	}
	return &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{own}}, nil
}

// look lists the members, and asks each whether it answers.
func (c *client) look(ctx context.Context) (cluster, error) {
	var listed struct {
		Header struct {
			MemberID string `json:"member_id"`
		}
		Members []member
	}
	if err := c.ask(ctx, c.endpoint, "cluster/member/list", struct{}{}, &listed); err != nil {
		return cluster{}, fmt.Errorf("list the members of etcd: %w", err)
	}
	all := cluster{members: listed.Members, own: listed.Header.MemberID}
	answers := make(chan struct{})
	for i := range all.members {
		go func() {
			defer func() { answers <- struct{}{} }()
			m := &all.members[i]
			var status struct {
				Leader string
				Errors []string
			}
			if m.url() == "" {
				return
			}
			err := c.ask(ctx, m.url(), "maintenance/status", struct{}{}, &status)
			m.answers = err == nil && status.Leader != "" && status.Leader != "0"
			m.leader = status.Leader
		}()
	}
	for range all.members {
		<-answers
	}
	for _, m := range all.members {
		if m.answers {
			all.leader = m.leader
		}
	}
	return all, ctx.Err()
}

// ask sends a request to a member and reads its answer.
func (c *client) ask(ctx context.Context, endpoint, path string, question, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint+"/v3/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, module.MostText))
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		var refusal struct{ Message string }
		if json.Unmarshal(text, &refusal) == nil && refusal.Message != "" {
			return errors.New(refusal.Message)
		}
		return fmt.Errorf("it answers %s", reply.Status)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
