package wsman_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kinit/test/winsim/process/processtest"
	"kinit/test/winsim/wsman"
)

// service is a server with its listeners.
type service struct {
	*wsman.Server
	http, https string // URLs
	pem         string // file with the certificate
	machine     *processtest.Machine
	failed      chan error
}

// start starts a server on loopback. HTTPS has a certificate for 127.0.0.1.
func start(t testing.TB, change func(*wsman.Options)) *service {
	t.Helper()
	s := &service{machine: &processtest.Machine{}, failed: make(chan error, 100)}
	certificate, encoded := selfSigned(t, "127.0.0.1")
	s.pem = filepath.Join(t.TempDir(), "server.pem")
	if err := os.WriteFile(s.pem, encoded, 0o600); err != nil {
		t.Fatal(err)
	}
	o := wsman.Options{Runner: s.machine, Login: s.machine, Certificate: &certificate, Failed: func(err error) { s.failed <- err }}
	o.Settings.Basic = true
	if change != nil {
		change(&o)
	}
	s.Server = wsman.New(o)
	s.http = "http://" + serve(t, s.Serve) + "/wsman"
	s.https = "https://" + serve(t, s.ServeTLS) + "/wsman"
	t.Cleanup(s.Close)
	return s
}

func serve(t testing.TB, serve func(net.Listener) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(listener) }()
	t.Cleanup(func() { // after Close
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return listener.Addr().String()
}

func selfSigned(t testing.TB, name string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// client posts envelopes that a test has written.
type client struct {
	t      testing.TB
	url    string
	http   *http.Client
	header http.Header
}

// basic is a client that logs in by Basic over HTTPS, on a connection of its own.
func (s *service) basic(t testing.TB) *client {
	t.Helper()
	r, _ := http.NewRequest(http.MethodPost, s.https, nil)
	r.SetBasicAuth(processtest.User, processtest.Password)
	return s.client(t, s.https, r.Header.Get("Authorization"))
}

func (s *service) client(t testing.TB, url, authorization string, certificates ...tls.Certificate) *client {
	t.Helper()
	encoded, err := os.ReadFile(s.pem)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(encoded)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certificates}}
	t.Cleanup(transport.CloseIdleConnections)
	c := &client{t: t, url: url, http: &http.Client{Transport: transport, Timeout: time.Minute}, header: http.Header{}}
	c.header.Set("Content-Type", "application/soap+xml;charset=UTF-8")
	if authorization != "" {
		c.header.Set("Authorization", authorization)
	}
	return c
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (c *client) post(envelope string) reply {
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(envelope))
	if err != nil {
		return reply{err: err}
	}
	r.Header = c.header.Clone()
	response, err := c.http.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(body), err}
}

// message is an envelope for a request. header is XML that is added to the usual one.
func message(action, header, body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"
 xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:man="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"
 xmlns:sh="http://schemas.microsoft.com/wbem/wsman/1/windows/shell">
<env:Header><wsa:To>http://node:5985/wsman</wsa:To>
<wsa:ReplyTo><wsa:Address env:mustUnderstand="true">http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</wsa:Address></wsa:ReplyTo>
<wsa:Action env:mustUnderstand="true">` + action + `</wsa:Action><wsa:MessageID>uuid:11111111-2222-3333-4444-555555555555</wsa:MessageID>
<man:ResourceURI env:mustUnderstand="true">http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd</man:ResourceURI>` + header + `</env:Header>
<env:Body>` + body + `</env:Body></env:Envelope>`
}

const (
	transfer  = "http://schemas.xmlsoap.org/ws/2004/09/transfer/"
	shellNS   = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/"
	newShell  = `<sh:Shell><sh:InputStreams>stdin</sh:InputStreams><sh:OutputStreams>stdout stderr</sh:OutputStreams></sh:Shell>`
	timeout1s = `<man:OperationTimeout>PT1S</man:OperationTimeout>`
)

func selector(shell string) string {
	return `<man:SelectorSet><man:Selector Name="ShellId">` + shell + `</man:Selector></man:SelectorSet>`
}

// open opens a shell and returns its id.
func (c *client) open() string {
	c.t.Helper()
	return c.id(c.post(message(transfer+"Create", "", newShell)), "ShellId")
}

// command starts a command and returns its id.
func (c *client) command(shell, line string) string {
	c.t.Helper()
	return c.id(c.post(commandMessage(shell, line)), "CommandId")
}

func commandMessage(shell, line string) string {
	return message(shellNS+"Command", selector(shell), `<sh:CommandLine><sh:Command>`+line+`</sh:Command></sh:CommandLine>`)
}

func receiveMessage(shell, command string) string {
	return message(shellNS+"Receive", selector(shell)+timeout1s, fmt.Sprintf(`<sh:Receive><sh:DesiredStream CommandId="%s">stdout stderr</sh:DesiredStream></sh:Receive>`, command))
}

func signalMessage(shell, command, code string) string {
	return message(shellNS+"Signal", selector(shell), fmt.Sprintf(`<sh:Signal CommandId="%s"><sh:Code>%ssignal/%s</sh:Code></sh:Signal>`, command, shellNS, code))
}

func sendMessage(shell, command, base64, end string) string {
	return message(shellNS+"Send", selector(shell)+timeout1s, fmt.Sprintf(`<sh:Send><sh:Stream Name="stdin" CommandId="%s"%s>%s</sh:Stream></sh:Send>`, command, end, base64))
}

func deleteMessage(shell string) string { return message(transfer+"Delete", selector(shell), "") }

// id is the content of an element that must be in a good answer.
func (c *client) id(r reply, element string) string {
	c.t.Helper()
	match := regexp.MustCompile(`<rsp:` + element + `>([0-9A-F-]{36})</rsp:` + element + `>`).FindStringSubmatch(r.body)
	if r.err != nil || r.status != http.StatusOK || match == nil {
		c.t.Fatalf("no %s: %v, status %d, %s", element, r.err, r.status, r.body)
	}
	return match[1]
}

// code is the code of a fault.
func (r reply) code() string {
	match := regexp.MustCompile(`<f:WSManFault [^>]*Code="(\d+)"`).FindStringSubmatch(r.body)
	if match == nil {
		return fmt.Sprintf("no fault: %v, status %d, %s", r.err, r.status, r.body)
	}
	return match[1]
}
