// Package nodetest boots a simulated Windows Server node for a test, with its WinRM
// service and its SSH server on loopback.
package nodetest

import (
	"context"
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
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/node"
	"kinit/test/winsim/sshd"
	"kinit/test/winsim/wsman"
)

// The account that a Node lets in.
const (
	User     = "Administrator"
	Password = "P@ssw0rd;'\"é"
)

// authorizedKeys is the file with the SSH keys of all administrators.
const authorizedKeys = `C:\ProgramData\ssh\administrators_authorized_keys`

// Node is a machine that runs until the test ends. What it is asked for and does not
// know fails the test.
type Node struct {
	*machine.Machine
	WinRM *wsman.Server
	SSHD  *sshd.Server

	HTTP, HTTPS, SSH int    // ports on 127.0.0.1
	Certificate      string // of HTTPS, in PEM
	HostKey          string // of SSH, as in authorized_keys
	Key              string // a private key that opens SSH, in PEM
}

// Start boots a fresh machine and its servers.
func Start(t testing.TB) *Node {
	t.Helper()
	release, ok := machine.FindRelease("2k22")
	if !ok {
		t.Fatal("there is no Windows Server 2022")
	}
	m, err := node.New(machine.Options{Folder: t.TempDir(), Release: release})
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{Machine: m}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	if err := m.PowerOn(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		m.Close()
		for _, what := range m.Unknowns() {
			t.Errorf("the simulator was asked for what it does not know: %s", what)
		}
	})
	n.letIn(t)
	failed := func(err error) { t.Errorf("the machine: %v", err) }
	n.serveWinRM(t, failed)
	n.serveSSH(t, failed)
	m.Observe(n)
	return n
}

// letIn gives the administrator the password and the SSH key.
func (n *Node) letIn(t testing.TB) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	n.Key = string(pem.EncodeToMemory(block))
	enable := func(u *account.User) { u.Disabled = false }
	if err := n.Accounts.ChangeUser(User, enable); err != nil {
		t.Fatal(err)
	}
	if err := n.Accounts.SetPassword(User, Password); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Files.Stat(`C:\ProgramData\ssh`); err != nil {
		if err := n.Files.Mkdir(`C:\ProgramData\ssh`); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Files.WriteFile(authorizedKeys, ssh.MarshalAuthorizedKey(signer.PublicKey())); err != nil {
		t.Fatal(err)
	}
	own := ntfs.Security{Owner: account.AdministratorsSID, Protected: true}
	for _, sid := range []string{account.SystemSID, account.AdministratorsSID} {
		own.Entries = append(own.Entries, ntfs.Entry{SID: sid, Rights: ntfs.FullControl})
	}
	if err := n.Files.SetSecurity(authorizedKeys, own); err != nil {
		t.Fatal(err)
	}
}

func (n *Node) serveWinRM(t testing.TB, failed func(error)) {
	t.Helper()
	certificate, encoded := selfSigned(t)
	n.Certificate = encoded
	n.WinRM = wsman.New(wsman.Options{Runner: n.Machine, Login: n.Machine, Certificate: &certificate, Failed: failed, Settings: wsman.Settings{Basic: true}})
	t.Cleanup(n.WinRM.Close)
	n.HTTP, n.HTTPS = serve(t, n.WinRM.Serve), serve(t, n.WinRM.ServeTLS)
}

func (n *Node) serveSSH(t testing.TB, failed func(error)) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	n.HostKey = string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	n.SSHD = sshd.New(sshd.Options{Runner: n.Machine, Login: n.Machine, HostKey: signer, Files: files{n.Files}, Failed: failed})
	t.Cleanup(n.SSHD.Close)
	n.SSH = serve(t, n.SSHD.Serve)
}

// Cut ends all connections: the machine is down, or its network is.
func (n *Node) Cut() {
	go n.WinRM.Shutdown() // which waits for commands, one of which may be what cuts
	go n.SSHD.Shutdown()
}

// Open lets connections in again.
func (n *Node) Open() {
	n.WinRM.Boot()
	n.SSHD.Boot()
}

func serve(t testing.TB, serve func(net.Listener) error) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(listener) }()
	t.Cleanup(func() {
		_ = listener.Close()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// selfSigned is a certificate as a script on the machine makes it.
func selfSigned(t testing.TB) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "WIN-KINITSIM"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, string(encoded)
}
