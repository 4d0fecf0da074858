package kubectlapply_test

import (
	"os"
	"strings"
	"testing"

	"kinit/engine/module"
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
	edit := server.Kubectl(t.Context(), "--namespace", "web", "patch",
		"configmap", "page", "--patch", `{"data": {"index": "edited", "more": "theirs"}}`)
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	apply(other)
	out, err := server.Kubectl(t.Context(), "--namespace", "web", "get",
		"configmap", "page", "--output", "jsonpath={.data}").Output()
	if err != nil || string(out) != `{"index":"bye","more":"theirs"}` {
		t.Errorf("data %s, %v: want kinit's field back and the other's kept", out, err)
	}
	// Without a namespace controller, a namespace never ends; the map does.
	page := made(func(t *kubectlapply.Task) { t.Content = strings.SplitAfter(content, "---\n")[1] })
	page.State = "absent"
	apply(page)
}
