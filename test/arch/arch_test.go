// Package arch holds the rules about who may import whom that the compiler does
// not enforce, each with its reason, and the rule that every package says what it
// is for.
package arch

import (
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pkg is what "go list -json" says of a package.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	Name       string
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
}

// rule forbids packages below From to import packages below Ban, but for those in
// Except. An empty From means every package of kinit.
type rule struct {
	From   string
	Ban    string
	Except []string
	Reason string
}

func rules() []rule {
	only := func(ban, owner string) rule {
		return rule{Ban: ban, Except: []string{owner}, Reason: "a client library is used by one package, so that replacing it is one change"}
	}
	return []rule{
		{From: "kinit/engine", Ban: "kinit/modules", Reason: "modules are given to the engine by its caller"},
		{From: "kinit/engine", Ban: "kinit/cmd", Reason: "the engine does not know who shows its events"},
		{From: "kinit/engine", Ban: "kinit/specs", Reason: "what a cluster is made of is given to the engine by its caller"},
		{From: "kinit/modules", Ban: "kinit/engine/internal", Reason: "modules know the contract only"},
		{From: "kinit/modules", Ban: "kinit/cmd", Reason: "modules know the contract only"},
		{From: "kinit", Ban: "kinit/test", Except: []string{"kinit/test"}, Reason: "test doubles do not belong in the program"},
		{From: "kinit/engine/graph", Ban: "kinit", Reason: "the graph knows nothing of tasks"},
		{From: "kinit/engine/shell", Ban: "kinit", Reason: "quoting is pure"},
		{From: "kinit/engine/secret", Ban: "kinit", Reason: "a leaf that everything may use"},
		{From: "kinit/engine/event", Ban: "kinit", Reason: "a leaf that everything may use"},
		only("libvirt.org/go/libvirt", "kinit/modules/internal/virt"),
		only("github.com/ovn-org/libovsdb", "kinit/modules/internal/ovn"),
		only("github.com/masterzen/winrm", "kinit/engine/transport/winrm"),
		only("github.com/bodgit/ntlmssp", "kinit/engine/transport/winrm"),
		only("github.com/urfave/cli", "kinit/cmd/kinit"),
		{From: "kinit/cmd/kinit/app", Ban: "github.com/urfave/cli", Reason: "what the process gives knows no command line"},
		only("github.com/rogpeppe/go-internal/diff", "kinit/engine/textdiff"),
		only("filippo.io/age", "kinit/engine/internal/secretfile"),
		only("oras.land/oras-go", "kinit/cmd/kinit/pins"),
		only("go.etcd.io/etcd", "kinit/engine/internal/etcd"),
		only("google.golang.org/grpc", "kinit/engine/internal/etcd"),
		only("github.com/chromedp", "kinit/test/browser"),
		{Ban: "software.sslmate.com/src/go-pkcs12", Except: []string{"kinit/modules/internal/pfx", "kinit/test/winsim/machine/cmdlet/utility"}, Reason: "one package writes the format, and the simulator reads it"},
		only("github.com/dlclark/regexp2", "kinit/test/winsim/powershell/value"),
		{Ban: "github.com/pkg/sftp", Except: []string{"kinit/engine/transport", "kinit/test/winsim/sshd"}, Reason: "files travel through a transport"},
		only("github.com/robfig/cron", "kinit/cmd/kinit/ci/schedule"),
		{Ban: "github.com/kevinburke/ssh_config", Except: []string{"kinit/engine"}, Reason: "how a host is reached is the engine's business"},
	}
}

func TestImportsKeepTheDirectionOfTheArchitecture(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			for _, r := range rules() {
				if r.forbids(p.ImportPath, imported) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, r.Reason)
				}
			}
		}
	}
}

func (r rule) forbids(from, imported string) bool {
	if r.From != "" && !below(from, r.From) || !below(imported, r.Ban) {
		return false
	}
	for _, allowed := range r.Except {
		if below(from, allowed) {
			return false
		}
	}
	return true
}

// below reports whether a package is the root or in a folder of it. A client's
// further versions and sub-packages count as below it.
func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if len(p.GoFiles)+len(p.CgoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

// TestEngineNamesNoDistributionStageOrService keeps playbooks out of the engine:
// adding one must need no Go. Words that are also plain English in a sentence are
// looked for only as quoted names.
func TestEngineNamesNoDistributionStageOrService(t *testing.T) {
	t.Parallel()
	banned := []string{
		"k8s", "kubernetes", "kubeadm", "okd", "haproxy", "registry", "flannel",
		`"bare"`, `"prepare"`, `"cleanup"`, `"validate"`, `"network"`, `"services"`, `"images"`, `"nodes"`, `"cluster"`, `"computes"`, `"verify"`, `"bind"`,
	}
	for _, hit := range grep(t, "engine", banned) {
		t.Errorf("%s names what belongs in a playbook", hit)
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Doc,Name,Imports,GoFiles,CgoFiles", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := decoder.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
