package kubefile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/test/kube"
)

// admin is a kubeconfig as kubeadm writes it.
const admin = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0E=
    server: https://10.0.0.253:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
preferences: {}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
`

// others is a file of a person, with things that kubectl would not write.
const others = `# my clusters
apiVersion: v1
kind: Config
clusters:
  # the old one
  - cluster:
      server:   https://old.example:6443   # odd spaces
      insecure-skip-tls-verify: true
    name: old

  # the new one
  - name: new
    cluster: {server: "https://new.example"}
contexts:
- context: {cluster: old, user: me}
  name: old
current-context: old
preferences: {}
users:
- name: me
  user:
    token: |
      abc
      def
# the end
`

const (
	ours = `- cluster:
    certificate-authority-data: Q0E=
    extensions:
      - extension:
          owner: k8s
        name: kinit
    server: https://10.0.0.253:6443
  name: k8s
`
	ourContext = `- context:
    cluster: k8s
    extensions:
      - extension:
          owner: k8s
        name: kinit
    user: k8s
  name: k8s
`
	ourUser = `- name: k8s
  user:
    client-certificate-data: Q0VSVA==
    client-key-data: S0VZ
    extensions:
      - extension:
          owner: k8s
        name: kinit
`
)

func merge(t *testing.T, file, name string) string {
	t.Helper()
	got, err := Merge([]byte(file), name, []byte(admin))
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func remove(t *testing.T, file, name string) string {
	t.Helper()
	got, found, err := Remove([]byte(file), name)
	if err != nil || !found {
		t.Fatalf("found %v, %v", found, err)
	}
	return string(got)
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMergeIntoNothing(t *testing.T) {
	t.Parallel()
	want := "apiVersion: v1\nkind: Config\npreferences: {}\nclusters:\n" + ours + "contexts:\n" + ourContext + "users:\n" + ourUser + "current-context: k8s\n"
	got := merge(t, "", "k8s")
	equal(t, got, want)
	equal(t, merge(t, got, "k8s"), want)
	equal(t, remove(t, got, "k8s"), "apiVersion: v1\nkind: Config\npreferences: {}\nclusters: []\ncontexts: []\nusers: []\ncurrent-context: \"\"\n")
}

func TestMergeKeepsForeignBytes(t *testing.T) {
	t.Parallel()
	want := strings.Replace(others, "contexts:\n", indented(ours, 2)+"contexts:\n", 1)
	want = strings.Replace(want, "current-context: old\n", ourContext+"current-context: k8s\n", 1)
	want = strings.Replace(want, "# the end\n", ourUser+"# the end\n", 1)
	got := merge(t, others, "k8s")
	equal(t, got, want)

	// A second cluster beside it, in the middle of the file replaced and removed.
	two := merge(t, got, "lab")
	equal(t, merge(t, merge(t, two, "k8s"), "lab"), two)
	equal(t, remove(t, merge(t, two, "k8s"), "lab"), got)
	equal(t, remove(t, got, "k8s"), strings.Replace(others, "current-context: old", `current-context: ""`, 1))
}

func TestForeignEntriesAreNeverTouched(t *testing.T) {
	t.Parallel()
	_, err := Merge([]byte(others), "old", []byte(admin))
	if !errors.Is(err, ErrForeign) || err.Error() != `the cluster entry "old" is made by somebody else: choose another name` {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"old", "nothing"} {
		got, found, err := Remove([]byte(others), name)
		if found || err != nil {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		equal(t, string(got), others)
	}
}

func TestFilesInOtherStylesKeepTheirValues(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"JSON":           `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"old","cluster":{"server":"https://old.example"}}],"contexts":[],"users":null,"current-context":"old"}`,
		"lists in line":  "clusters: [{name: old, cluster: {server: 'https://old.example'}}]\ncontexts: []\nusers:\n",
		"dashes apart":   "clusters:\n-\n  name: old\n  cluster:\n    server: https://old.example\n",
		"no line end":    "clusters:\n- name: old\n  cluster:\n    server: https://old.example",
		"an anchor":      "clusters:\n- &a\n  name: old\n  cluster: {server: 'https://old.example'}\n",
		"Windows' lines": "clusters:\r\n- name: old\r\n  cluster:\r\n    server: https://old.example\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{merge(t, file, "k8s"), remove(t, merge(t, file, "k8s"), "k8s")} {
				c, err := parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if old, ok := find(c, clusters, "old"); !ok || old["server"] != "https://old.example" {
					t.Errorf("lost the old cluster:\n%s", text)
				}
			}
		})
	}
}

func TestMistakesAreTold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, kubeconfig, want string }{
		"a file that is none": {"clusters: {", admin, "this is no kubeconfig: "},
		"no context":          {"", "current-context: x\n", `the cluster's kubeconfig has no context "x", which it calls its current one`},
		"no user":             {"", strings.Replace(admin, "- name: kubernetes-admin", "- name: other", 1), `the cluster's kubeconfig has no user "kubernetes-admin", which its context names`},
	} {
		if _, err := Merge([]byte(tc.file), "k8s", []byte(tc.kubeconfig)); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestKubectlReadsTheFile asks the real program, where there is one.
func TestKubectlReadsTheFile(t *testing.T) {
	t.Parallel()
	kubectl := kube.Program(t, "kubectl")
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(merge(t, others, "k8s")), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", file, "config", "view", "--minify", "-o", "jsonpath={.current-context} {.clusters[0].cluster.server}").CombinedOutput()
	if err != nil || string(out) != "k8s https://10.0.0.253:6443" {
		t.Errorf("%v: %s", err, out)
	}
}
