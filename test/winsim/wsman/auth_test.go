package wsman_test

import (
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/test/winsim/process/processtest"
	"kinit/test/winsim/wsman"
)

func basicHeader(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func TestRefusedLoginsAre401WithoutBody(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	plain := start(t, func(o *wsman.Options) { o.Settings.AllowUnencrypted = true })
	right := basicHeader(processtest.User, processtest.Password)
	const basic = `Basic realm="WSMAN"`
	for name, c := range map[string]struct {
		client *client
		status int
		offers []string
	}{
		"no login":                       {s.client(t, s.https, ""), http.StatusUnauthorized, []string{"Negotiate", basic}},
		"wrong password":                 {s.client(t, s.https, basicHeader(processtest.User, "x")), http.StatusUnauthorized, []string{"Negotiate", basic}},
		"right":                          {s.client(t, s.https, right), http.StatusOK, nil},
		"of the machine":                 {s.client(t, s.https, basicHeader(`.\`+processtest.User, processtest.Password)), http.StatusOK, nil},
		"right, readable by others":      {s.client(t, s.http, right), http.StatusUnauthorized, []string{"Negotiate"}},
		"right, readable and allowed so": {plain.client(t, plain.http, right), http.StatusOK, nil},
		"broken token of NTLM":           {s.client(t, s.https, "Negotiate AAAA"), http.StatusUnauthorized, []string{"Negotiate", basic}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.client.post(message(transfer+"Create", "", newShell))
			if r.err != nil || r.status != c.status || !slices.Equal(r.header.Values("WWW-Authenticate"), c.offers) {
				t.Errorf("status %d, offers %q, error %v", r.status, r.header.Values("WWW-Authenticate"), r.err)
			}
			if c.status == http.StatusUnauthorized && (r.body != "" || r.header.Get("Content-Type") != "") {
				t.Errorf("body %q of type %q", r.body, r.header.Get("Content-Type"))
			}
		})
	}
}

func TestAClientCertificateIsItsUser(t *testing.T) {
	t.Parallel()
	certificate, _ := selfSigned(t, "client")
	stranger, _ := selfSigned(t, "stranger")
	s := start(t, func(o *wsman.Options) { o.Settings.Certificate = true })
	s.machine.Thumbprint = thumbprint(certificate)
	const mutual = "http://schemas.dmtf.org/wbem/wsman/1/wsman/secprofile/https/mutual"

	known := s.client(t, s.https, mutual, certificate)
	if r := known.post(message(transfer+"Create", "", newShell)); !strings.Contains(r.body, "<rsp:Owner>Administrator</rsp:Owner>") {
		t.Errorf("status %d, %v: %s", r.status, r.err, r.body)
	}
	if r := s.client(t, s.https, mutual, stranger).post(message(transfer+"Create", "", newShell)); r.status != http.StatusUnauthorized {
		t.Errorf("a stranger's certificate: status %d", r.status)
	}
	s.Configure(func(settings *wsman.Settings) { settings.Certificate = false })
	if r := known.post(message(transfer+"Create", "", newShell)); r.status != http.StatusUnauthorized {
		t.Errorf("while switched off: status %d", r.status)
	}
}

func thumbprint(certificate tls.Certificate) string {
	sum := sha1.Sum(certificate.Certificate[0])
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}

// mapped makes a client certificate that the machine knows, in two files.
func (s *service) mapped(t *testing.T) (cert, key string) {
	t.Helper()
	certificate, encoded := selfSigned(t, "client")
	s.machine.Thumbprint = thumbprint(certificate)
	der, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, content := range map[string][]byte{cert: encoded, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestAShellIsItsOwners(t *testing.T) {
	t.Parallel()
	certificate, _ := selfSigned(t, "client")
	s := start(t, func(o *wsman.Options) { o.Login = everybody{o.Login.(*processtest.Machine)} })
	shell := s.basic(t).open()
	other := s.client(t, s.https, basicHeader("Eve", "any"), certificate)
	if got := other.post(deleteMessage(shell)).code(); got != "5" {
		t.Errorf("code %s, want 5", got)
	}
	if n := s.Shells(); n != 1 {
		t.Errorf("%d shells are open, want 1", n)
	}
}

// everybody admits every caller.
type everybody struct{ *processtest.Machine }

func (everybody) Password(string, string) bool { return true }
