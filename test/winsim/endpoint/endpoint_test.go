package endpoint_test

import (
	"bytes"
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
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/engine/need"
	"kinit/test/winsim/endpoint"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/node"
)

// patience is how long the endpoint gets to follow the machine.
const patience = time.Minute

func await(t *testing.T, what string, ask func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ask(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v it is not so: %s", patience, what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// boot serves a machine of Windows Server 2025, which has OpenSSH, on ports of its own.
func boot(t *testing.T) (*machine.Machine, *endpoint.Endpoint) {
	t.Helper()
	return bootOn(t, local)
}

// local is an address of the system's choice.
const local = "127.0.0.1:0"

// bootOn serves such a machine with SSH at an address.
func bootOn(t *testing.T, address string) (*machine.Machine, *endpoint.Endpoint) {
	t.Helper()
	r, _ := machine.FindRelease("2k25")
	m, err := node.New(machine.Options{Folder: t.TempDir(), Release: r, DropTime: 100 * time.Millisecond})
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	e, err := endpoint.New(ctx, m, endpoint.Options{
		Listen: map[int]string{endpoint.HTTP: local, endpoint.HTTPS: local, endpoint.SSH: address}, Failed: func(err error) { t.Error(err) },
	})
	must(t, err)
	must(t, m.PowerOn(ctx))
	t.Cleanup(func() {
		stop()
		e.Close()
		m.Close()
	})
	return m, e
}

// banner is what a server says first, or nothing where none lets us in.
func banner(e *endpoint.Endpoint, port int) string {
	conn, err := net.Dial("tcp", e.Addr(port).String())
	if err != nil {
		return ""
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if port != endpoint.SSH {
		_, _ = conn.Write([]byte("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"))
	}
	buffer := make([]byte, 8)
	n, _ := conn.Read(buffer)
	return string(buffer[:n])
}

func TestServersFollowServicesListenersAndTheFirewall(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	await(t, "WinRM answers over HTTP", func() bool { return strings.HasPrefix(banner(e, endpoint.HTTP), "HTTP/1.1") })
	if got := banner(e, endpoint.HTTPS) + banner(e, endpoint.SSH); got != "" {
		t.Errorf("a fresh machine answers over HTTPS or SSH: %q", got)
	}
	must(t, m.Services.Start(t.Context(), "sshd"))
	if got := banner(e, endpoint.SSH); got != "" {
		t.Errorf("the firewall lets SSH in: %q", got)
	}
	must(t, m.Firewall.Add(firewall.Rule{Name: "ssh", DisplayName: "ssh", Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"22"}}))
	await(t, "SSH answers", func() bool { return strings.HasPrefix(banner(e, endpoint.SSH), "SSH-2.0") })
	must(t, m.Services.Stop(t.Context(), "WinRM", false))
	await(t, "WinRM is gone with its service", func() bool { return banner(e, endpoint.HTTP) == "" })
}

// TestAPortRefusesUntilTheMachineLetsIn matters to who waits for a machine by connecting.
func TestAPortRefusesUntilTheMachineLetsIn(t *testing.T) {
	t.Parallel()
	m, e := bootOn(t, need.Address(t))
	if conn, err := net.Dial("tcp", e.Addr(endpoint.SSH).String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("a fresh machine: %v, %v; want the connection refused", conn, err)
	}
	login(t, m, e)
	must(t, m.Services.Stop(t.Context(), "sshd", false))
	await(t, "SSH is refused again", func() bool {
		conn, err := net.Dial("tcp", e.Addr(endpoint.SSH).String())
		if err == nil {
			conn.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
}

func TestHTTPSAnswersWithTheCertificateOfItsListener(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	stored := certificate(t)
	must(t, m.AddCertificate(stored))
	must(t, m.AddListener(machine.Listener{Transport: "HTTPS", Address: "*", Thumbprint: stored.Thumbprint}.WithPort()))
	must(t, m.Firewall.Add(firewall.Rule{Name: "https", DisplayName: "https", Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"5986"}}))
	await(t, "HTTPS answers to who speaks no TLS", func() bool { return banner(e, endpoint.HTTPS) == "HTTP/1.0" })
}

// TestSSHHasTheHostKeyOfItsLastStart: a set-up gives a machine its key, and is ready at once.
func TestSSHHasTheHostKeyOfItsLastStart(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	login(t, m, e)
	for range 10 {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		must(t, err)
		block, err := ssh.MarshalPrivateKey(private, "")
		must(t, err)
		signer, err := ssh.NewSignerFromKey(private)
		must(t, err)
		must(t, m.Services.Stop(t.Context(), "sshd", false))
		must(t, m.Files.WriteFile(`C:\ProgramData\ssh\ssh_host_ed25519_key`, pem.EncodeToMemory(block)))
		must(t, m.Services.Start(t.Context(), "sshd"))
		var shown ssh.PublicKey
		_, err = ssh.Dial("tcp", e.Addr(endpoint.SSH).String(), &ssh.ClientConfig{
			User: "stranger", Timeout: patience,
			HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
				shown = key
				return nil
			},
		})
		if shown == nil || !bytes.Equal(shown.Marshal(), signer.PublicKey().Marshal()) {
			t.Fatalf("the machine shows another key than that of its last start (%v)", err)
		}
	}
}

func TestACommandOverSSHOutlivesNoRebootAndTheMachineComesBack(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	client := login(t, m, e)
	session, err := client.NewSession()
	must(t, err)
	out, err := session.Output("hostname")
	if err != nil || string(out) != "WIN-KINITSIM\r\n" {
		t.Fatalf("%q %v", out, err)
	}
	long, err := client.NewSession()
	must(t, err)
	must(t, long.Start("Start-Sleep -Seconds 3600"))
	must(t, m.Reboot(t.Context()))
	if err := long.Wait(); err == nil {
		t.Error("a command outlived the reboot")
	}
	await(t, "SSH answers again", func() bool { return strings.HasPrefix(banner(e, endpoint.SSH), "SSH-2.0") })
}

func TestTheFirstNetworkOfContainersResetsConnections(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	client := login(t, m, e)
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	_, err := m.Network.AddNetwork(network.HNSNetwork{Name: "External", Type: "Overlay", VSID: 9999})
	must(t, err)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the connection is still there")
	}
	await(t, "SSH answers again", func() bool { return strings.HasPrefix(banner(e, endpoint.SSH), "SSH-2.0") })
}

func TestAMachineThatRestartsWhileItsNetworkIsCutAnswersAgain(t *testing.T) {
	t.Parallel()
	m, e := boot(t)
	login(t, m, e)
	_, err := m.Network.AddNetwork(network.HNSNetwork{Name: "External", Type: "Overlay", VSID: 9999})
	must(t, err)
	must(t, m.Reboot(t.Context()))
	await(t, "SSH answers again", func() bool { return strings.HasPrefix(banner(e, endpoint.SSH), "SSH-2.0") })
}

// login starts SSH with a key of the administrators and logs in with it.
func login(t *testing.T, m *machine.Machine, e *endpoint.Endpoint) *ssh.Client {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	key, err := ssh.NewPublicKey(public)
	must(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	must(t, err)
	path := `C:\ProgramData\ssh\administrators_authorized_keys`
	must(t, m.Files.Mkdir(`C:\ProgramData\ssh`))
	must(t, m.Files.WriteFile(path, ssh.MarshalAuthorizedKey(key)))
	list, err := ntfs.ParseSDDL("O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)")
	must(t, err)
	must(t, m.Files.SetSecurity(path, list))
	must(t, m.Services.Change("sshd", auto))
	must(t, m.Firewall.Add(firewall.Rule{Name: "ssh", DisplayName: "ssh", Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"22"}}))
	must(t, m.Services.Start(t.Context(), "sshd"))
	await(t, "SSH answers", func() bool { return banner(e, endpoint.SSH) != "" })
	client, err := ssh.Dial("tcp", e.Addr(endpoint.SSH).String(), &ssh.ClientConfig{
		User: "Administrator", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: patience,
	})
	must(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// auto makes a service start with the machine.
func auto(c *scm.Config) { c.Start = scm.Auto }

// certificate is a certificate that signs itself.
func certificate(t *testing.T) machine.StoredCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "node"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	stored, err := machine.NewCertificate(der, key)
	must(t, err)
	return stored
}
