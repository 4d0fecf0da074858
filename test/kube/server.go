package kube

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"kinit/engine/need"
)

// Server is an API server of its own for one test, with its etcd and without any
// controller.
type Server struct {
	Folder     string // has kubectl in it
	Kubeconfig string // of an administrator
}

// NewServer starts a server and waits until it answers. Its programs are in the folder that
// the variable KINIT_KUBERNETES_BIN names: etcd, and those of Kubernetes as Link takes them.
// Without the variable the test ends.
func NewServer(t testing.TB) *Server {
	t.Helper()
	bin := os.Getenv("KINIT_KUBERNETES_BIN")
	if bin == "" {
		need.Missing(t, "kubernetes", "KINIT_KUBERNETES_BIN is not set")
	}
	s := &Server{Folder: t.TempDir()}
	s.Kubeconfig = s.path("kubeconfig")
	Link(t, bin, s.Folder, "kube-apiserver", "kubectl")
	etcd, peer, api := strconv.Itoa(need.Port(t)), strconv.Itoa(need.Port(t)), strconv.Itoa(need.Port(t))
	s.write(t, api)
	start(t, filepath.Join(bin, "etcd"), "--data-dir", s.path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", "http://127.0.0.1:"+etcd, "--advertise-client-urls", "http://127.0.0.1:"+etcd,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer)
	start(t, s.path("kube-apiserver"), "--etcd-servers", "http://127.0.0.1:"+etcd, "--secure-port", api,
		"--bind-address", "127.0.0.1", "--cert-dir", s.path("certs"), "--token-auth-file", s.path("tokens"),
		"--authorization-mode", "RBAC", "--service-account-issuer", "https://lab", "--service-cluster-ip-range", "10.96.0.0/24",
		"--service-account-key-file", s.path("sa.key"), "--service-account-signing-key-file", s.path("sa.key"),
		"--disable-admission-plugins", "ServiceAccount", "--allow-privileged")
	await(t, func() error { return s.Kubectl(t.Context(), "get", "namespace", "default").Run() })
	return s
}

// Controllers starts some of the controllers of Kubernetes, by their names.
func (s *Server) Controllers(t testing.TB, names ...string) {
	t.Helper()
	Link(t, os.Getenv("KINIT_KUBERNETES_BIN"), s.Folder, "kube-controller-manager")
	start(t, s.path("kube-controller-manager"), "--kubeconfig", s.Kubeconfig, "--authentication-kubeconfig", s.Kubeconfig,
		"--authorization-kubeconfig", s.Kubeconfig, "--leader-elect=false", "--secure-port", "0",
		"--controllers", strings.Join(names, ","))
}

// Kubectl is kubectl as the administrator.
func (s *Server) Kubectl(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, s.path("kubectl"), append([]string{"--kubeconfig", s.Kubeconfig}, args...)...)
}

// Do runs kubectl as the administrator, with a text on its standard input.
func (s *Server) Do(t testing.TB, stdin string, args ...string) {
	t.Helper()
	cmd := s.Kubectl(t.Context(), args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kubectl %v: %s", args, out)
	}
}

func (s *Server) path(name string) string { return filepath.Join(s.Folder, name) }

// write makes the files that the programs read.
func (s *Server) write(t testing.TB, api string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		s.path("sa.key"): string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
		s.path("tokens"): "opensesame,admin,admin,system:masters\n",
		s.Kubeconfig: fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
			"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "insecure-skip-tls-verify": true}}],
			"users": [{"name": "u", "user": {"token": "opensesame"}}],
			"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}`, api),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// start runs a program until the test has ended.
func start(t testing.TB, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
}

// await tries something until it works.
func await(t testing.TB, try func() error) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for err := try(); err != nil; err = try() {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
