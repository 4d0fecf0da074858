package kubectlapply_test

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubectl_apply"
	"kinit/test/kube"
)

func TestAgainstARealAPIServer(t *testing.T) {
	server := kube.NewServer(t)
	t.Setenv("PATH", server.Folder+":"+os.Getenv("PATH"))
	h := moduletest.LocalHost(t, "k8s")
	made := func(change func(*kubectlapply.Task)) *kubectlapply.Task {
		made := task(change)
		made.Kubeconfig = server.Kubeconfig
		return made
	}
	want := "apply Namespace web, ConfigMap page: 2 of 2 objects are missing"
	if got := moduletest.Texts(t, made(nil), h); len(got) != 1 || got[0] != want {
		t.Fatalf("steps %q, want %q", got, want)
	}
	moduletest.Settle(t, made(nil), h)
	other := made(func(t *kubectlapply.Task) { t.Content = strings.Replace(content, "hello", "bye", 1) })
	got := moduletest.Texts(t, other, h)
	if len(got) != 1 || !strings.HasPrefix(got[0], "apply Namespace web, ConfigMap page: the cluster has other fields\n@@ ") ||
		!strings.Contains(got[0], "\n-  index: hello\n+  index: bye\n") {
		t.Fatalf("steps %q", got)
	}
	moduletest.Settle(t, other, h)
	edit := server.Kubectl(t.Context(), "--namespace", "web", "patch",
		"configmap", "page", "--patch", `{"data": {"index": "edited", "more": "theirs"}}`)
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	moduletest.Settle(t, other, h)
	out, err := server.Kubectl(t.Context(), "--namespace", "web", "get",
		"configmap", "page", "--output", "jsonpath={.data}").Output()
	if err != nil || string(out) != `{"index":"bye","more":"theirs"}` {
		t.Errorf("data %s, %v: want kinit's field back and the other's kept", out, err)
	}
	// Without a namespace controller, a namespace never ends; the map does.
	page := made(func(t *kubectlapply.Task) { t.Content = strings.SplitAfter(content, "---\n")[1] })
	page.State = "absent"
	moduletest.Settle(t, page, h)
}
