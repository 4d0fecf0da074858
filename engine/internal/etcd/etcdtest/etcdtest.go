// Package etcdtest starts a real etcd for tests, on this machine, on free ports.
package etcdtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kinit/engine/internal/etcd"
	"kinit/engine/need"
	"kinit/engine/secret"
)

// startTime is how long an etcd may take until it answers.
const startTime = 30 * time.Second

// Server is an etcd of one member, which ends with the test.
type Server struct {
	Config  etcd.Config // how it is reached
	Address string      // host:port
	Admin   *clientv3.Client
}

// Start starts an etcd that anybody may use. Without the program the test is skipped, or
// fails when KINIT_REQUIRE names etcd.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, "http", nil, etcd.Config{})
}

// StartClosed starts an etcd that speaks TLS only, with people whom an authority of its own
// has certified, and wants a user with a password: one who may use the prefix of the
// configuration, and nothing else.
func StartClosed(t testing.TB) *Server {
	t.Helper()
	dir := t.TempDir()
	ca, certificate, key := certify(t)
	for name, text := range map[string]string{"ca": ca, "certificate": certificate, "key": key} {
		fatal(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	s := start(t, "https", []string{"--client-cert-auth", "--trusted-ca-file", in("ca"), "--cert-file", in("certificate"), "--key-file", in("key")},
		etcd.Config{CA: ca, Certificate: certificate, Key: secret.Value(key)})
	s.Config.User, s.Config.Password = "team", "the-password-of-the-team"
	s.close(t)
	return s
}

// close admits only root and the user of the configuration.
func (s *Server) close(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	prefix := s.Config.Prefix + "/"
	done := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("set etcd up: %v", err)
		}
	}
	done(s.Admin.UserAdd(ctx, "root", "the-password-of-root"))
	done(s.Admin.RoleAdd(ctx, "root"))
	done(s.Admin.UserGrantRole(ctx, "root", "root"))
	done(s.Admin.RoleAdd(ctx, "locks"))
	all := clientv3.GetPrefixRangeEnd(prefix)
	done(s.Admin.RoleGrantPermission(ctx, "locks", prefix, all, clientv3.PermissionType(clientv3.PermReadWrite)))
	done(s.Admin.UserAdd(ctx, s.Config.User, s.Config.Password.Reveal()))
	done(s.Admin.UserGrantRole(ctx, s.Config.User, "locks"))
	done(s.Admin.AuthEnable(ctx))
}

// start starts the program, again when another one has taken its ports in between.
func start(t testing.TB, scheme string, args []string, c etcd.Config) *Server {
	t.Helper()
	need.Programs(t, "etcd", "etcd")
	var log *bytes.Buffer
	for range 5 {
		client, peer := need.Address(t), need.Address(t)
		c.Endpoints, c.Prefix = []string{scheme + "://" + client}, "/test/locks"
		var ended <-chan struct{}
		log, ended = run(t, append([]string{"--data-dir", folder(t), "--listen-client-urls", c.Endpoints[0], "--advertise-client-urls", c.Endpoints[0],
			"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer, "--initial-cluster", "default=http://" + peer}, args...))
		s := &Server{Config: c, Address: client, Admin: admin(t, c)}
		if s.answers(t, ended) {
			return s
		}
	}
	t.Fatalf("etcd does not start:\n%s", log)
	return nil
}

// run starts the program with arguments; it ends with the test. Its log may be read when it
// has ended.
func run(t testing.TB, args []string) (log *bytes.Buffer, ended <-chan struct{}) {
	t.Helper()
	log = &bytes.Buffer{}
	cmd := exec.Command("etcd", args...)
	cmd.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64") // where it asks for it
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	fatal(t, cmd.Start())
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
	})
	return log, done
}

// answers waits until the server answers, and tells whether it does.
func (s *Server) answers(t testing.TB, ended <-chan struct{}) bool {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < startTime; {
		if _, err := s.Admin.Get(t.Context(), "nothing"); err == nil {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

func admin(t testing.TB, c etcd.Config) *clientv3.Client {
	t.Helper()
	encryption, err := c.TLS()
	fatal(t, err)
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints, TLS: encryption, MaxUnaryRetries: 1, Logger: zap.NewNop()})
	fatal(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// folder is one for data, in memory where there is one: etcd waits for the disk at each
// write.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "etcd")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// certify makes an authority, and a certificate of it for servers and clients.
func certify(t testing.TB) (ca, certificate, key string) {
	t.Helper()
	authority, leaf := private(t), private(t)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the test"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	both := &x509.Certificate{SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, NotBefore: root.NotBefore, NotAfter: root.NotAfter}
	sign := func(c *x509.Certificate, of *ecdsa.PrivateKey) string {
		der, err := x509.CreateCertificate(rand.Reader, c, root, &of.PublicKey, authority)
		fatal(t, err)
		return block("CERTIFICATE", der)
	}
	der, err := x509.MarshalECPrivateKey(leaf)
	fatal(t, err)
	return sign(root, authority), sign(both, leaf), block("EC PRIVATE KEY", der)
}

func private(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatal(t, err)
	return key
}

func block(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func fatal(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
