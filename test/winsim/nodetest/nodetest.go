// Package nodetest boots a simulated Windows Server node for a test, with its WinRM
// service and its SSH server on loopback.
package nodetest

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/endpoint"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/node"
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
	const local = "127.0.0.1:0"
	e, err := endpoint.New(ctx, m, endpoint.Options{
		Listen: map[int]string{endpoint.HTTP: local, endpoint.HTTPS: local, endpoint.SSH: local},
		Failed: func(err error) { t.Errorf("the machine: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.PowerOn(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		e.Close()
		m.Close()
		for _, what := range m.Unknowns() {
			t.Errorf("the simulator was asked for what it does not know: %s", what)
		}
	})
	n.letIn(t)
	n.openWinRM(t)
	n.openSSH(t)
	port := func(of int) int { return e.Addr(of).(*net.TCPAddr).Port }
	n.HTTP, n.HTTPS, n.SSH = port(endpoint.HTTP), port(endpoint.HTTPS), port(endpoint.SSH)
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
	if err := n.Files.Mkdir(`C:\ProgramData\ssh`); err != nil {
		t.Fatal(err)
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

// openWinRM adds a listener for HTTPS, and Basic.
func (n *Node) openWinRM(t testing.TB) {
	t.Helper()
	certificate := selfSigned(t)
	n.Certificate = string(certificate.CertPEM)
	err := errors.Join(
		n.AddCertificate(certificate),
		n.AddListener(machine.Listener{Transport: "HTTPS", Address: "*", Thumbprint: certificate.Thumbprint}.WithPort()),
		n.SetWinRM(`Service\Auth\Basic`, "true"), n.letThrough("5986"))
	if err != nil {
		t.Fatal(err)
	}
}

// openSSH installs OpenSSH, which this release does not bring along.
func (n *Node) openSSH(t testing.TB) {
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
	n.HostKey = string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	const server = `C:\Program Files\OpenSSH\sshd.exe`
	err = errors.Join(
		n.Files.WriteFile(`C:\ProgramData\ssh\ssh_host_ed25519_key`, pem.EncodeToMemory(block)),
		n.Files.Mkdir(`C:\Program Files\OpenSSH`), n.Files.WriteFile(server, machine.Stand("sshd", "9.5")),
		n.Services.Create(scm.Config{Name: "sshd", DisplayName: "OpenSSH SSH Server", Image: `"` + server + `"`, Start: scm.Auto}),
		n.Services.Start(t.Context(), "sshd"), n.letThrough("22"))
	if err != nil {
		t.Fatal(err)
	}
}

// letThrough opens a port of TCP.
func (n *Node) letThrough(port string) error {
	return n.Firewall.Add(firewall.Rule{
		Name: "test-" + port, DisplayName: "test-" + port, Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{port},
	})
}

// selfSigned is a certificate as a script on the machine makes it.
func selfSigned(t testing.TB) machine.StoredCertificate {
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
	stored, err := machine.NewCertificate(raw, key)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}
