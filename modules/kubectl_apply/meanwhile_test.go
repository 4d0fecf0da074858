package kubectlapply_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubectl_apply"
	"kinit/test/kube"
)

// A comparison reads an object and then has the server try the content out on it. Here
// somebody changes the object in between, as controllers do with its status.
func TestWhatOthersChangeDuringAComparisonIsNoDifference(t *testing.T) {
	server := kube.NewServer(t)
	t.Setenv("PATH", server.Folder+":"+os.Getenv("PATH"))
	h := moduletest.LocalHost(t, "k8s")
	var edits atomic.Int32 // that are still to be made, each before a request that tries out
	kubeconfig := before(t, server, func(r *http.Request) {
		if r.Method != http.MethodPatch || !r.URL.Query().Has("dryRun") || !strings.HasSuffix(r.URL.Path, "/configmaps/page") || edits.Load() == 0 {
			return
		}
		edit := fmt.Sprintf(`{"data": {"theirs": "%d"}}`, edits.Add(-1))
		if out, err := server.Kubectl(r.Context(), "--namespace", "web", "patch", "configmap", "page", "--patch", edit).CombinedOutput(); err != nil {
			t.Errorf("edit: %v: %s", err, out)
		}
	})
	made := func(text string) *kubectlapply.Task {
		return task(func(t *kubectlapply.Task) { t.Content, t.Kubeconfig = text, kubeconfig })
	}
	steps, err := made(content).Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}

	edits.Store(2)
	if got := moduletest.Texts(t, made(content), h); len(got) > 0 || edits.Load() != 0 {
		t.Errorf("%d edits are left, steps %q, want none", edits.Load(), got)
	}
	edits.Store(1)
	got := moduletest.Texts(t, made(strings.Replace(content, "hello", "bye", 1)), h)
	if len(got) != 1 || !strings.Contains(got[0], "\n-  index: hello\n+  index: bye\n") || strings.Contains(got[0], "resourceVersion") {
		t.Errorf("steps %q, want the one difference that is there", got)
	}
}

// before is a kubeconfig that leads to a server through a proxy, which does something
// before it passes a request on.
func before(t *testing.T, server *kube.Server, do func(*http.Request)) string {
	t.Helper()
	out, err := server.Kubectl(t.Context(), "config", "view", "--raw", "--output", "jsonpath={.clusters[0].cluster.server} {.users[0].user.token}").Output()
	if err != nil {
		t.Fatal(err)
	}
	address, token, _ := strings.Cut(string(out), " ")
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			do(r.In)
			r.SetURL(target)
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, // as the kubeconfig says
	}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": %q}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}]}`, front.URL)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
