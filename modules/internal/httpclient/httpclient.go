// Package httpclient speaks HTTP over connections that start at a host, with its name
// resolution and routes; the host needs no program for
// it.
package httpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"kinit/engine/module"
)

// Options are the trusted certificates and limits.
type Options struct {
	CAPEM    string // the certificates, in PEM, that servers are verified with; this machine's when empty
	Insecure bool   // accept any certificate
	Follow   bool   // follow redirects, ten at most

	Connect time.Duration // limit for setting up a connection; none when 0
}

// Validate returns the mistake in the arguments url and ca_pem.
func (o Options) Validate(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("url is %q, want a full URL with http or https", address)
	}
	_, err = o.pool()
	return err
}

// Shown returns a URL for people: without its password and other secrets.
func Shown(h module.Host, address string) string {
	if u, err := url.Parse(address); err == nil {
		address = u.Redacted()
	}
	return h.Redact(address)
}

// New returns a client that keeps no connection and uses no proxy.
func New(h module.Host, o Options) (*http.Client, error) {
	pool, err := o.pool()
	if err != nil {
		return nil, err
	}
	client := Plain(h, &tls.Config{RootCAs: pool, InsecureSkipVerify: o.Insecure}, o.Connect)
	if o.Follow {
		client.CheckRedirect = redirect
	}
	return client, nil
}

// largestHeaders is the most, in bytes, that is read of the headers of an answer. Servers send a few KiB, and the limit of
// net/http, 10 MiB, lets a server fill hundreds of MiB with short headers.
const largestHeaders = 256 << 10

// Plain returns a client that keeps no connection, uses no proxy and follows no redirect. The limit for setting up a
// connection may be 0 for none.
func Plain(h module.Host, settings *tls.Config, connect time.Duration) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: largestHeaders,
			TLSClientConfig:        settings,
			DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
				if connect > 0 {
					short, cancel := context.WithTimeout(ctx, connect)
					defer cancel()
					ctx = short
				}
				return h.Dial(ctx, "tcp", address)
			},
		},
	}
}

// Text reads the body of an answer, of at most so many bytes; a longer one is an error.
func Text(answer *http.Response, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("the answer has more than %d bytes", most)
	}
	return text, err
}

// mostRedirects is how many redirects are followed, as in net/http.
const mostRedirects = 10

// redirect keeps what a request carries on the server that it is meant for: another scheme, name or
// port gets neither its headers nor, by a Referer, its URL, and a redirect that asks for its body again is an
// error. net/http only drops a few headers, and none for subdomains.
func redirect(next *http.Request, sent []*http.Request) error {
	first := sent[0].URL
	switch {
	case len(sent) >= mostRedirects:
		return fmt.Errorf("the server redirects more than %d times", mostRedirects)
	case next.URL.Scheme == first.Scheme && next.URL.Host == first.Host:
		return nil
	case next.Body != nil && next.Body != http.NoBody:
		return fmt.Errorf("the server redirects to %s://%s and asks for the body again; kinit sends it only to the server of url: name the other one there", next.URL.Scheme, next.URL.Host)
	}
	clear(next.Header)
	return nil
}

// pool is the certificates of CAPEM, or nil for those of this machine.
func (o Options) pool() (*x509.CertPool, error) {
	if o.CAPEM == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(o.CAPEM)) {
		return nil, fmt.Errorf("ca_pem has no certificate, want PEM text")
	}
	return pool, nil
}

// mostValues is how many values a text of JSON may have. Lists of the objects of a cluster have a few thousand; a list of empty
// objects takes a hundred times the memory of its text.
const mostValues = 30_000

// Decode reads a text of JSON. A text with too many values is an error.
func Decode(text []byte, into any) error {
	values := 0
	for _, sign := range []string{",", "[", "{"} {
		values += bytes.Count(text, []byte(sign))
	}
	if values > mostValues {
		return fmt.Errorf("the answer has more than %d values", mostValues)
	}
	return json.Unmarshal(text, into)
}
