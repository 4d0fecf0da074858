package examples

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/transport/transporttest/netfault"
	"kinit/specs"
	"kinit/test/kube"
)

// nodesHealth runs health.sh with the API server of a kubeconfig, as a hypervisor of services does.
func nodesHealth(t *testing.T, server *kube.Server, kubeconfig string) string {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "kubernetes/files/health.sh")
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	kube.Link(t, os.Getenv("KINIT_KUBERNETES_BIN"), place, "kubectl")
	if err := os.WriteFile(filepath.Join(place, "kubeconfig"), []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", string(text), "health", place, "30").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// A status of a cluster whose API server is busy, or emulated, waits for it.
func TestAStatusReadsNodesFromASlowServer(t *testing.T) {
	t.Parallel()
	server := kube.NewServer(t)
	server.Do(t, "", "create", "--filename", node(t, "n1"))
	text, err := os.ReadFile(server.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	const want = "node\tn1\t\t\t\t-\n"
	if diff := cmp.Diff(want, nodesHealth(t, server, string(text))); diff != "" {
		t.Errorf("from a fast server (-want +got):\n%s", diff)
	}
	address := regexp.MustCompile(`https://([^\s"]+)`).FindStringSubmatch(string(text))[1]
	proxy := netfault.New(t, address)
	proxy.Slow(3 * time.Second)
	slow := strings.ReplaceAll(string(text), address, proxy.Address)
	if diff := cmp.Diff(want, nodesHealth(t, server, slow)); diff != "" {
		t.Errorf("from a slow server (-want +got):\n%s", diff)
	}
}
