package kubectlversions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module/moduletest"
	"kinit/modules/kubectl_versions"
	"kinit/test/kube"
)

// cluster is an API server without kubelets: what nodes and the control plane have is what the test writes.
type cluster struct {
	*kube.Server
	t *testing.T
}

// node makes a node with a kubelet of a version, and changes it later.
func (c cluster) node(name, version string) {
	c.t.Helper()
	c.Do(c.t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": %q}}`, name), "apply", "--filename", "-")
	c.Do(c.t, "", "patch", "node", name, "--subresource", "status", "--patch",
		fmt.Sprintf(`{"status": {"nodeInfo": {"kubeletVersion": %q, "operatingSystem": "linux"}, "conditions": [{"type": "Ready", "status": "True", "message": "kubelet is \"posting\"\tready status"}]}}`, version))
}

func (c cluster) apiServer(node, version string) {
	c.t.Helper()
	c.Do(c.t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-apiserver-%s", "namespace": "kube-system", "labels": {"tier": "control-plane", "component": "kube-apiserver"}},
		"spec": {"nodeName": %q, "containers": [{"name": "kube-apiserver", "image": "registry.k8s.io/kube-apiserver:%s"}]}}`, node, node, version), "apply", "--filename", "-")
}

func (c cluster) task(version string) *kubectlversions.Task {
	made := kubectlversions.Kind().New().(*kubectlversions.Task)
	made.Version, made.Kubeconfig, made.Kubectl = version, c.Kubeconfig, filepath.Join(c.Folder, "kubectl")
	return made
}

func TestARealClusterSaysWhichOfItsNodesAreDue(t *testing.T) {
	t.Parallel()
	c, h := cluster{kube.NewServer(t), t}, moduletest.LocalHost(t, "k8s")
	c.node("c1", "v1.34.4")
	c.node("w1", "v1.34.4")
	c.apiServer("c1", "v1.34.4")
	due := func(names ...string) cty.Value {
		values := []cty.Value{}
		for _, name := range names {
			values = append(values, cty.StringVal(name))
		}
		if len(values) == 0 {
			return cty.ListValEmpty(cty.String)
		}
		return cty.ListVal(values)
	}
	nodes := func(c1, w1 string) cty.Value {
		return cty.MapVal(map[string]cty.Value{"c1": cty.StringVal(c1), "w1": cty.StringVal(w1)})
	}
	outputs := func(version string) map[string]cty.Value {
		t.Helper()
		made := c.task(version)
		moduletest.WantTexts(t, made, h)
		return moduletest.Outputs(t, made, h)
	}
	for _, test := range []struct {
		change  func()
		version string
		want    map[string]cty.Value
	}{
		{func() {}, "v1.34.4", map[string]cty.Value{"due": due(), "nodes": nodes("v1.34.4", "v1.34.4"), "from": cty.StringVal(""), "begun": cty.False}},
		{func() {}, "v1.34.5", map[string]cty.Value{"due": due("c1", "w1"), "nodes": nodes("v1.34.4", "v1.34.4"), "from": cty.StringVal("v1.34.4"), "begun": cty.False}},
		{func() { c.node("c1", "v1.34.5"); c.Do(c.t, "", "annotate", "node", "w1", "kinit/drained=schedulable") }, "v1.34.5",
			map[string]cty.Value{"due": due("c1", "w1"), "nodes": nodes("v1.34.5", "v1.34.4"), "from": cty.StringVal("v1.34.4"), "begun": cty.True}},
	} {
		test.change()
		for name, got := range outputs(test.version) {
			if !got.RawEquals(test.want[name]) {
				t.Errorf("%s: %s is %#v, want %#v", test.version, name, got, test.want[name])
			}
		}
	}
	want := "kube-apiserver of c1 has v1.34.4, and v1.36.1 skips a minor version: go to v1.35 first"
	if got := moduletest.Planned(t.Context(), c.task("v1.36.1"), h); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// nowhere is a kubeconfig whose server there is not.
func nowhere(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWithoutAnAnswerOnlyTheRecordDecides(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	record := filepath.Join(t.TempDir(), "version")
	made := func() *kubectlversions.Task {
		task := kubectlversions.Kind().New().(*kubectlversions.Task)
		task.Version, task.Kubeconfig, task.Kubectl, task.Record = "v1.34.5", nowhere(t), kube.Program(t, "kubectl"), record
		return task
	}
	// A first deployment that was interrupted has no record yet.
	moduletest.WantTexts(t, made(), h)
	for recorded, want := range map[string]string{
		"v1.34.5\n": "",
		"v1.34.4\n": "nodes have v1.34.4 and are to have v1.34.5, and the API server does not answer: ",
	} {
		if err := os.WriteFile(record, []byte(recorded), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := moduletest.Planned(t.Context(), made(), h); (want == "") != (got == "") || !strings.HasPrefix(got, want) {
			t.Errorf("with the record %q: %q, want %q", recorded, got, want)
		}
	}
	absent := made()
	absent.Kubeconfig = "/nonexistent/kubeconfig"
	if err := os.WriteFile(record, []byte("v1.34.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	moduletest.WantTexts(t, absent, h)
}

func TestMistakesOfKubectlVersions(t *testing.T) {
	t.Parallel()
	made := kubectlversions.Kind().New().(*kubectlversions.Task)
	made.Version = "1.34"
	moduletest.Refused(t, made, `version is "1.34", expected one such as "v1.34.4"`)
	made.Version, made.Record = "v1.34.4", "version"
	moduletest.Refused(t, made, `record is "version", expected an absolute path`)
}
