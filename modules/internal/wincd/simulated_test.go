package wincd_test

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
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/internal/pfx"
	"kinit/modules/internal/wincd"
	"kinit/test/winsim/endpoint"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/setup"
)

// patience is how long a simulated installation gets on a busy machine.
const patience = 2 * time.Minute

// unpack is the folder with the files of a CD.
func unpack(t *testing.T, image []byte, err error) string {
	t.Helper()
	cd, folder := burn(t, image, err), t.TempDir()
	for name := range strings.FieldsSeq(isoinfo(t, "-f", "-i", cd)) {
		name = strings.TrimPrefix(name, "/")
		if err := os.WriteFile(filepath.Join(folder, name), []byte(read(t, cd, name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// identity is what a node proves itself with.
type identity struct {
	pfx   pfx.File
	trust *x509.CertPool
	keys  *wincd.HostKey
	host  ssh.PublicKey
	user  ssh.Signer
}

func newIdentity(t *testing.T, name string) identity {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	file, err := pfx.Encode(string(certPEM), secret.Value(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})))
	must(err)
	i := identity{pfx: file, trust: x509.NewCertPool()}
	i.trust.AppendCertsFromPEM(certPEM)
	_, hostKey, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	block, err := ssh.MarshalPrivateKey(hostKey, "")
	must(err)
	i.host, err = ssh.NewPublicKey(hostKey.Public())
	must(err)
	i.keys = &wincd.HostKey{Private: secret.Value(pem.EncodeToMemory(block)), Public: string(ssh.MarshalAuthorizedKey(i.host))}
	_, userKey, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	i.user, err = ssh.NewSignerFromKey(userKey)
	must(err)
	return i
}

// simulated is a node of the simulator that has its identity.
func simulated(release string, i identity) wincd.Node {
	n := wincd.Node{
		Hostname: "sim-node-1", Edition: release, Password: "Kn1-s1mulated", MTU: 1442,
		PFX: i.pfx.Content, PFXPassword: i.pfx.Password, HostKey: i.keys,
		AuthorizedKeys: []string{string(ssh.MarshalAuthorizedKey(i.user.PublicKey()))},
		Marker:         wincd.MarkerPath, Files: []wincd.File{{Path: "C:/site/a note.txt", Content: []byte("hello")}},
	}
	if release != "2k25" {
		n.OpenSSH = []byte(openssh)
	}
	return n
}

// openssh stands for the MSI of OpenSSH's server, in the simulator's own form.
const openssh = `{"kinit-winsim": "msi", "product": "{11111111-2222-3333-4444-555555555555}", "name": "OpenSSH", "version": "10.0",
"files": {"C:\\Program Files\\OpenSSH\\sshd.exe": "kinit-winsim program sshd 10.0\n"},
"services": [{"name": "sshd", "display": "OpenSSH SSH Server", "image": "\"C:\\Program Files\\OpenSSH\\sshd.exe\"", "automatic": true}]}`

// run starts a machine with a CD and does what its Setup has to do. Its ports are served
// until stop is called.
func run(t *testing.T, state, release, cd string) (s *setup.System, e *endpoint.Endpoint, stop func()) {
	t.Helper()
	r, ok := machine.FindRelease(release)
	if !ok {
		t.Fatalf("there is no release %s", release)
	}
	s, err := setup.Prepare(machine.Options{Folder: state, Release: r, Log: func(line string) { t.Log(line) }}, []string{cd})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	const local = "127.0.0.1:0"
	e, err = endpoint.New(ctx, s.Machine, endpoint.Options{
		Listen: map[int]string{endpoint.HTTP: local, endpoint.HTTPS: local, endpoint.SSH: local}, Failed: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			e.Close()
			s.Close()
		}
	}
	t.Cleanup(stop)
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	return s, e, stop
}

// ready waits for the marker, and holds the node to what its CD said.
func ready(t *testing.T, s *setup.System, e *endpoint.Endpoint, i identity) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if text, err := s.Files.ReadFile(wincd.MarkerPath); err == nil {
			moduletest.Same(t, "marker", string(text), "sim-node-1\r\n")
			break
		}
		if time.Now().After(deadline) {
			log, _ := s.Files.ReadFile(`C:\ProgramData\kinit\setup.log`) // it helps where it is there
			t.Fatalf("the node never became ready\n%s", log)
		}
	}
	moduletest.Same(t, "name", s.HostName(), "sim-node-1")
	moduletest.Same(t, "what the simulator does not know", s.Unknowns(), []string(nil))
	if !s.Password("Administrator", "Kn1-s1mulated") {
		t.Error("the administrator has another password")
	}
	note, err := s.Files.ReadFile(`C:\site\a note.txt`)
	moduletest.Same(t, "file", fmt.Sprint(string(note), err), "hello<nil>")
	if _, err := s.Files.Stat(`C:\Windows\Panther\unattend.xml`); err == nil {
		t.Error("a copy of the answers is left")
	}
	conn, err := tls.Dial("tcp", e.Addr(endpoint.HTTPS).String(), &tls.Config{RootCAs: i.trust, ServerName: "sim-node-1"})
	if err != nil {
		t.Errorf("WinRM: %v", err)
	} else {
		conn.Close()
	}
	if got := overSSH(t, e, i); got != "sim-node-1\r\n" {
		t.Errorf("hostname over SSH: %q", got)
	}
}

func overSSH(t *testing.T, e *endpoint.Endpoint, i identity) string {
	t.Helper()
	client, err := ssh.Dial("tcp", e.Addr(endpoint.SSH).String(), &ssh.ClientConfig{
		User: "Administrator", Auth: []ssh.AuthMethod{ssh.PublicKeys(i.user)},
		HostKeyCallback: ssh.FixedHostKey(i.host), Timeout: patience,
	})
	if err != nil {
		t.Fatalf("SSH: %v", err)
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.Output("hostname")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheSimulatorInstallsANodeFromItsCD(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	for release, locale := range map[string]string{"2k19": "en-US", "2k22": "de-DE", "2k25": "en-US"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			i := newIdentity(t, "sim-node-1")
			image, err := wincd.Install(simulated(release, i), wincd.Media{Edition: release, UEFI: true}, wincd.Language{Locale: locale, TimeZone: "UTC"})
			s, e, _ := run(t, filepath.Join(t.TempDir(), "state"), release, unpack(t, image, err))
			ready(t, s, e, i)
		})
	}
}

func TestTheSimulatorSealsAnImageAndStartsACopy(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	const release = "2k22"
	golden := wincd.Golden{
		Media: wincd.Media{Edition: release}, Language: wincd.Language{Locale: "de-DE", TimeZone: "UTC"},
		Password: "Kn1-throwaway", OpenSSH: []byte(openssh), Shrink: true,
	}
	image, err := golden.Image()
	state := filepath.Join(t.TempDir(), "state")
	sealed, _, stop := run(t, state, release, unpack(t, image, err))
	for deadline := time.Now().Add(patience); sealed.On(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			log, _ := sealed.Files.ReadFile(`C:\ProgramData\kinit\seal.log`) // it helps where it is there
			t.Fatalf("the image was never sealed\n%s", log)
		}
	}
	moduletest.Same(t, "what the simulator does not know", sealed.Unknowns(), []string(nil))
	first := sealed.ComputerName()
	stop()

	i := newIdentity(t, "sim-node-1")
	node := simulated(release, i)
	node.OpenSSH = nil // the image has it
	image, err = wincd.Copy(node)
	s, e, _ := run(t, state, release, unpack(t, image, err))
	ready(t, s, e, i)
	if s.ComputerName() == first {
		t.Errorf("the copy is called %s as the image was", first)
	}
}
