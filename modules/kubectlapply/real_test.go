package kubectlapply_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/pki"
	"kinit/modules/kubectlapply"
)

// apiServer starts etcd and an API server for one test and returns a host with a
// kubectl and its kubeconfig. The programs are in the folder that the variable
// KINIT_KUBERNETES_BIN names: etcd, and kubernetes, which is every program of
// Kubernetes by the name it is called.
func apiServer(t *testing.T) *moduletest.Local {
	t.Helper()
	bin := os.Getenv("KINIT_KUBERNETES_BIN")
	if bin == "" {
		need.Missing(t, "kubernetes", "KINIT_KUBERNETES_BIN is not set")
	}
	h := moduletest.LocalHost(t, "k8s")
	for _, name := range []string{"kube-apiserver", "kubectl"} {
		if err := os.Symlink(bin+"/kubernetes", h.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", h.Dir+":"+os.Getenv("PATH"))
	signer, err := pki.NewKey(pki.RSA)
	if err != nil {
		t.Fatal(err)
	}
	key, err := pki.EncodeKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		t.Fatal(err)
	}
	etcd, peer, api := port(t), port(t), port(t)
	for name, content := range map[string]string{
		"sa.key": key, "sa.pub": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		"tokens": "opensesame,admin,admin,system:masters\n",
		"kubeconfig": fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
			"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%s", "insecure-skip-tls-verify": true}}],
			"users": [{"name": "u", "user": {"token": "opensesame"}}],
			"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}`, api),
	} {
		if err := os.WriteFile(h.Path(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start(t, bin+"/etcd", "--data-dir", h.Path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", "http://127.0.0.1:"+etcd, "--advertise-client-urls", "http://127.0.0.1:"+etcd,
		"--listen-peer-urls", "http://127.0.0.1:"+peer, "--initial-advertise-peer-urls", "http://127.0.0.1:"+peer,
		"--initial-cluster", "default=http://127.0.0.1:"+peer)
	start(t, h.Path("kube-apiserver"), "--etcd-servers", "http://127.0.0.1:"+etcd, "--secure-port", api,
		"--bind-address", "127.0.0.1", "--cert-dir", h.Path("certs"), "--token-auth-file", h.Path("tokens"),
		"--authorization-mode", "RBAC", "--service-account-issuer", "https://lab", "--service-cluster-ip-range", "10.96.0.0/24",
		"--service-account-key-file", h.Path("sa.pub"), "--service-account-signing-key-file", h.Path("sa.key"),
		"--disable-admission-plugins", "ServiceAccount")
	await(t, func() error {
		return exec.Command(h.Path("kubectl"), "--kubeconfig", h.Path("kubeconfig"), "get", "namespace", "default").Run()
	})
	return h
}

func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, text, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func start(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
}

func await(t *testing.T, try func() error) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for err := try(); err != nil; err = try() {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestAgainstARealAPIServer(t *testing.T) {
	h := apiServer(t)
	made := func(change func(*kubectlapply.Task)) *kubectlapply.Task {
		made := task(change)
		made.Kubeconfig = h.Path("kubeconfig")
		return made
	}
	apply := func(made module.Task) {
		t.Helper()
		steps, err := made.Plan(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range steps {
			if err := s.Do(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		}
		if left := texts(t, h, made); len(left) > 0 {
			t.Fatalf("planned again: %v", left)
		}
	}
	want := "apply Namespace web, ConfigMap page: 2 of 2 objects are missing"
	if got := texts(t, h, made(nil)); len(got) != 1 || got[0] != want {
		t.Fatalf("steps %q, want %q", got, want)
	}
	apply(made(nil))
	other := made(func(t *kubectlapply.Task) { t.Content = strings.Replace(content, "hello", "bye", 1) })
	got := texts(t, h, other)
	if len(got) != 1 || !strings.HasPrefix(got[0], "apply Namespace web, ConfigMap page: the cluster has other fields\n@@ ") ||
		!strings.Contains(got[0], "\n-  index: hello\n+  index: bye\n") {
		t.Fatalf("steps %q", got)
	}
	apply(other)
	edit := exec.Command(h.Path("kubectl"), "--kubeconfig", h.Path("kubeconfig"), "--namespace", "web", "patch",
		"configmap", "page", "--patch", `{"data": {"index": "edited", "more": "theirs"}}`)
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	apply(other)
	out, err := exec.Command(h.Path("kubectl"), "--kubeconfig", h.Path("kubeconfig"), "--namespace", "web", "get",
		"configmap", "page", "--output", "jsonpath={.data}").Output()
	if err != nil || string(out) != `{"index":"bye","more":"theirs"}` {
		t.Errorf("data %s, %v: want kinit's field back and the other's kept", out, err)
	}
	// Without a namespace controller, a namespace never ends; the map does.
	page := made(func(t *kubectlapply.Task) { t.Content = strings.SplitAfter(content, "---\n")[1] })
	page.State = "absent"
	apply(page)
}
