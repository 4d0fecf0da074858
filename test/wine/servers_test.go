package wine

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/engine/secret"
	"kinit/engine/transport"
	kinitssh "kinit/engine/transport/ssh"
	"kinit/engine/transport/winrm"
	"kinit/test/winsim/process"
	"kinit/test/winsim/sshd"
	"kinit/test/winsim/wsman"
)

// The account that the servers let in.
const (
	account  = "Administrator"
	password = "P@ssw0rd;'\"é"
)

// served are servers for WinRM over HTTPS and for SSH, on loopback, whose commands run on a machine.
type served struct {
	https, ssh int
	trust      string // the certificate of HTTPS, in PEM
	hostKey    string // of SSH, as in authorized_keys
	key        string // a private key that opens SSH, in PEM
}

// login lets the account in.
type login struct{ key ssh.PublicKey }

func (l login) Password(user, given string) bool { return is(user) && given == password }
func (l login) NTHash(user string) ([]byte, bool) {
	return process.NTHash(password), is(user)
}
func (l login) Certificate(string) (string, bool) { return "", false }
func (l login) Key(user string, key ssh.PublicKey) bool {
	return is(user) && string(key.Marshal()) == string(l.key.Marshal())
}

func is(user string) bool { return strings.EqualFold(user, account) }

// serve serves the machine until the test ends.
func (m *machine) serve(t *testing.T) served {
	t.Helper()
	certificate, pair := selfSigned(t)
	_, host := newKey(t)
	private, client := newKey(t)
	who := login{client.PublicKey()}
	failed := func(err error) { t.Errorf("the machine: %v", err) }
	management := wsman.New(wsman.Options{Runner: m, Login: who, Certificate: &pair, Failed: failed, Settings: wsman.Settings{Basic: true}})
	shell := sshd.New(sshd.Options{Runner: m, Login: who, HostKey: host, Failed: failed})
	return served{
		https: listen(t, management.ServeTLS, management.Close), ssh: listen(t, shell.Serve, shell.Close),
		trust: certificate, hostKey: string(ssh.MarshalAuthorizedKey(host.PublicKey())), key: private,
	}
}

// listen serves a port of loopback until the test ends.
func listen(t *testing.T, serve func(net.Listener) error, end func()) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- serve(listener) }()
	t.Cleanup(func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// overWinRM connects to the machine by WinRM.
func (s served) overWinRM(t *testing.T) transport.Conn {
	t.Helper()
	conn, err := winrm.Dial(t.Context(), winrm.Config{
		Name: "win1", Address: "127.0.0.1", Port: s.https, Auth: winrm.Basic, User: account, Password: password, Certificate: s.trust,
	})
	return opened(t, conn, err)
}

// overSSH connects to the machine by SSH.
func (s served) overSSH(t *testing.T) transport.Conn {
	t.Helper()
	conn, err := kinitssh.Dial(t.Context(), kinitssh.Config{
		Name: "win1", Address: "127.0.0.1", Port: s.ssh, User: account, Windows: true,
		PrivateKeys: []secret.Value{secret.Value(s.key)}, HostKeys: []string{s.hostKey},
	})
	return opened(t, conn, err)
}

func newKey(t *testing.T) (private string, signer ssh.Signer) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	signer, err = ssh.NewSignerFromKey(key)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	must(t, err)
	return string(pem.EncodeToMemory(block)), signer
}

func selfSigned(t *testing.T) (certificate string, pair tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	raw, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "WIN1"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, &x509.Certificate{}, &key.PublicKey, key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})), tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}
