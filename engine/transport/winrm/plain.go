package winrm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// soapType is the content type of messages.
const soapType = "application/soap+xml"

// mutual is the value of the Authorization header of a login by certificate
// (DSP0226, C.3.3, "wsman:secprofile-https-mutual").
const mutual = "http://schemas.dmtf.org/wbem/wsman/1/wsman/secprofile/https/mutual"

// The most, in bytes, that is read of an answer and of its headers: more than the limit in the message, and far more than
// Windows sends in headers. net/http's limit for headers lets a machine fill hundreds of MiB.
const (
	largestAnswer  = largestEnvelope * 3 / 2
	largestHeaders = 256 << 10
)

// idleTime is how long an unused connection remains open: less than the two minutes after
// which Windows closes it.
const idleTime = 60 * time.Second

// plainWire carries unchanged messages within TLS.
type plainWire struct {
	config Config
	http   *http.Client
}

func newPlainWire(c Config) (*plainWire, error) {
	tls, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	t := newTransport(c, c.dial)
	t.TLSClientConfig = tls
	return &plainWire{config: c, http: newHTTP(t)}, nil
}

func (w *plainWire) post(ctx context.Context, message []byte) (answer, error) {
	return post(ctx, w.http, w.config.url(), soapType+";charset=UTF-8", message, func(r *http.Request) {
		if w.config.Auth == Certificate {
			r.Header.Set("Authorization", mutual)
			return
		}
		r.SetBasicAuth(w.config.User, w.config.Password.Reveal())
	})
}

func (w *plainWire) close() { w.http.CloseIdleConnections() }

// newTransport makes connections that do not use the environment's proxies. WinRM speaks
// HTTP 1.1.
func newTransport(c Config, dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext: dial, Protocols: protocols, DisableCompression: true, MaxResponseHeaderBytes: largestHeaders,
		MaxIdleConnsPerHost: 2*mostShells + 1, IdleConnTimeout: idleTime, TLSHandshakeTimeout: c.ConnectTimeout,
	}
}

// newHTTP returns a client that follows no redirects.
func newHTTP(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c Config) dial(ctx context.Context, network, address string) (net.Conn, error) {
	timed, cancel := context.WithTimeout(ctx, c.ConnectTimeout)
	defer cancel()
	conn, err := c.Dial(timed, network, address)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("no answer within %s", c.ConnectTimeout)
	}
	return conn, err
}

// post makes one HTTP request. Its error is a *lostError, which records whether the request
// was written completely: otherwise the machine has not seen it as a request.
func post(ctx context.Context, client *http.Client, to, contentType string, body []byte, prepare func(*http.Request)) (answer, error) {
	var written atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { written.Store(written.Load() || info.Err == nil) },
	})
	request, err := http.NewRequestWithContext(traced, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", "kinit")
	prepare(request)
	response, err := client.Do(request)
	if err != nil {
		return answer{}, &lostError{err: reason(err), sent: written.Load()}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err != nil {
		return answer{}, &lostError{err: fmt.Errorf("read the answer: %w", reason(err)), sent: true}
	}
	if len(text) > largestAnswer {
		return answer{}, errors.New("the machine's answer is longer than any can be")
	}
	return answer{
		status: response.StatusCode, header: response.Header, body: text,
		soap: strings.HasPrefix(response.Header.Get("Content-Type"), soapType),
	}, nil
}

// reason returns the network error, without the method and the address.
func reason(err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		return named.Err
	}
	return err
}
