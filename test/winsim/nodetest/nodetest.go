// Package nodetest boots a simulated Windows Server node for a test, with WinRM over HTTP
// and HTTPS and with OpenSSH, all on loopback.
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

// Where OpenSSH for Windows keeps its key, and the keys of all administrators.
const (
	folderOfSSH    = `C:\ProgramData\ssh`
	hostKey        = folderOfSSH + `\ssh_host_ed25519_key`
	authorizedKeys = folderOfSSH + `\administrators_authorized_keys`
)

// Node is a machine that runs until the test ends. What it is asked for and does not
// know fails the test.
type Node struct {
	*machine.Machine
	HTTP, HTTPS, SSH int    // ports on 127.0.0.1
	Trust            string // the certificate of HTTPS, in PEM
	HostKey          string // of SSH, as in authorized_keys
	Key              string // a private key that opens SSH, in PEM
	Endpoint         *endpoint.Endpoint
}

// Start boots a fresh Windows Server 2025 and opens all ways in.
func Start(t testing.TB) *Node {
	t.Helper()
	release, ok := machine.FindRelease("2k25")
	if !ok {
		t.Fatal("there is no Windows Server 2025")
	}
	m, err := node.New(machine.Options{Folder: t.TempDir(), Release: release})
	must(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	const local = "127.0.0.1:0"
	e, err := endpoint.New(ctx, m, endpoint.Options{
		Listen: map[int]string{endpoint.HTTP: local, endpoint.HTTPS: local, endpoint.SSH: local},
		Failed: func(err error) { t.Errorf("the machine: %v", err) },
	})
	must(t, err)
	must(t, m.PowerOn(ctx))
	t.Cleanup(func() {
		stop()
		e.Close()
		m.Close()
		for _, what := range m.Unknowns() {
			t.Errorf("the simulator was asked for what it does not know: %s", what)
		}
	})
	port := func(of int) int { return e.Addr(of).(*net.TCPAddr).Port }
	n := &Node{Machine: m, HTTP: port(endpoint.HTTP), HTTPS: port(endpoint.HTTPS), SSH: port(endpoint.SSH), Endpoint: e}
	must(t, m.Accounts.ChangeUser(User, func(u *account.User) { u.Disabled = false }))
	must(t, m.Accounts.SetPassword(User, Password))
	n.openWinRM(t)
	n.openSSH(t)
	return n
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openWinRM does what a first-logon script does.
func (n *Node) openWinRM(t testing.TB) {
	t.Helper()
	stored := selfSigned(t)
	n.Trust = string(stored.CertPEM)
	must(t, n.AddCertificate(stored))
	must(t, n.AddListener(machine.Listener{Transport: "HTTPS", Address: "*", Thumbprint: stored.Thumbprint}.WithPort()))
	must(t, n.SetWinRM(`Service\Auth\Basic`, "true"))
	n.letIn(t, "5986")
}

// openSSH starts OpenSSH, with a key for the administrators.
func (n *Node) openSSH(t testing.TB) {
	t.Helper()
	if _, err := n.Files.Stat(folderOfSSH); err != nil {
		must(t, n.Files.Mkdir(folderOfSSH))
	}
	n.HostKey, _ = n.newKey(t, hostKey)
	public, private := n.newKey(t, "")
	n.Key = private
	must(t, n.Files.WriteFile(authorizedKeys, []byte(public)))
	list, err := ntfs.ParseSDDL("O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)")
	must(t, err)
	must(t, n.Files.SetSecurity(authorizedKeys, list))
	must(t, n.Services.Change("sshd", func(c *scm.Config) { c.Start = scm.Auto }))
	n.letIn(t, "22")
	must(t, n.Services.Start(t.Context(), "sshd"))
}

func (n *Node) letIn(t testing.TB, port string) {
	t.Helper()
	name := "test-" + port
	must(t, n.Firewall.Add(firewall.Rule{Name: name, DisplayName: name, Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{port}}))
}

// newKey makes an SSH key, as in authorized_keys and in PEM, which it also writes to a
// file of the machine.
func (n *Node) newKey(t testing.TB, file string) (public, private string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	must(t, err)
	text := pem.EncodeToMemory(block)
	if file != "" {
		must(t, n.Files.WriteFile(file, text))
	}
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey())), string(text)
}

// selfSigned is a certificate as a script on the machine makes it.
func selfSigned(t testing.TB) machine.StoredCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "WIN-KINITSIM"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	stored, err := machine.NewCertificate(raw, key)
	must(t, err)
	return stored
}
