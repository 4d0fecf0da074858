// Package arch holds the rules of the architecture that the compiler does not enforce, each
// with its reason. The rules are in this file; the others check them.
package arch

// rule forbids packages below From to import packages below Ban, but for those in
// Except. An empty From means every package of kinit. Imports of _test.go files are free.
type rule struct {
	From   string
	Ban    string
	Except []string
	Reason string
}

const (
	oneClient = "a client library is used by one package, so that replacing it is one change"
	contract  = "modules know the contract only"
	leaf      = "a leaf that everything may use"
)

var importRules = []rule{
	{From: "kinit/engine", Ban: "kinit/modules", Reason: "modules are given to the engine by its caller"},
	{From: "kinit/engine", Ban: "kinit/cmd", Reason: "the engine does not know who shows its events"},
	{From: "kinit/engine", Ban: "kinit/specs", Reason: "what a cluster is made of is given to the engine by its caller"},
	{From: "kinit/modules", Ban: "kinit/engine/internal", Reason: contract},
	{From: "kinit/modules", Ban: "kinit/cmd", Reason: contract},
	{From: "kinit/engine/graph", Ban: "kinit", Reason: "the graph knows nothing of tasks"},
	{From: "kinit/engine/shell", Ban: "kinit", Reason: "quoting is pure"},
	{From: "kinit/engine/secret", Ban: "kinit", Reason: leaf},
	{From: "kinit/engine/event", Ban: "kinit", Reason: leaf},
	{Ban: "kinit/test", Except: []string{"kinit/test"}, Reason: "test doubles do not belong in the program"},
	{Ban: "kinit/test/winsim", Except: []string{"kinit/test/winsim"}, Reason: "the simulated Windows is for tests alone: _test.go files import it"},

	{Ban: "libvirt.org/go/libvirt", Except: []string{"kinit/modules/internal/virt"}, Reason: oneClient},
	{Ban: "github.com/ovn-org/libovsdb", Except: []string{"kinit/modules/internal/ovn"}, Reason: oneClient},
	{Ban: "github.com/masterzen/winrm", Except: []string{"kinit/engine/transport/winrm"}, Reason: oneClient},
	{Ban: "github.com/bodgit/ntlmssp", Except: []string{"kinit/engine/transport/winrm"}, Reason: oneClient},
	{Ban: "github.com/urfave/cli", Except: []string{"kinit/cmd/kinit"}, Reason: oneClient},
	{From: "kinit/cmd/kinit/app", Ban: "github.com/urfave/cli", Reason: "what the process gives knows no command line"},
	{Ban: "github.com/rogpeppe/go-internal/diff", Except: []string{"kinit/engine/textdiff"}, Reason: oneClient},
	{Ban: "filippo.io/age", Except: []string{"kinit/engine/secretfile"}, Reason: oneClient},
	{Ban: "oras.land/oras-go", Except: []string{"kinit/cmd/kinit/pins"}, Reason: oneClient},
	{Ban: "go.etcd.io/etcd", Except: []string{"kinit/engine/internal/etcd"}, Reason: oneClient},
	{Ban: "google.golang.org/grpc", Except: []string{"kinit/engine/internal/etcd"}, Reason: oneClient},
	{Ban: "github.com/chromedp", Except: []string{"kinit/test/browser"}, Reason: oneClient},
	{Ban: "github.com/hashicorp/go-version", Except: []string{"kinit/engine/internal/eval"}, Reason: oneClient},
	{Ban: "github.com/dlclark/regexp2", Except: []string{"kinit/engine/regex", "kinit/test/winsim/powershell/value"}, Reason: oneClient},
	{Ban: "github.com/robfig/cron", Except: []string{"kinit/cmd/kinit/ci/schedule"}, Reason: oneClient},
	{Ban: "github.com/pkg/sftp", Except: []string{"kinit/engine/transport", "kinit/test/winsim/sshd"}, Reason: "files travel through a transport"},
	{
		Ban: "software.sslmate.com/src/go-pkcs12", Except: []string{"kinit/modules/internal/pfx", "kinit/test/winsim/machine/cmdlet/utility"},
		Reason: "one package writes the format, and the simulator reads it",
	},
}

// simulatedLines is how many lines of Go the simulated Windows may have, tests not counted. It has
// what kinit's own scripts use: a script that needs more is written with what is there, or the
// simulator loses something else.
const simulatedLines = 40_800

// interpretedLines is how many of these its interpreter of PowerShell may have. It refuses what no script, example or
// test of the tree uses.
const interpretedLines = 13_350

// playbookWords are names of what playbooks set up. The engine's files do not have them, and
// no name of a stage or a distribution in quotes: adding one must need no Go. Words that are
// also plain English are looked for only in quotes.
var playbookWords = []string{"k8s", "k3s", "rke2", "rancher", "kubernetes", "kubeadm", "calico", "canal", "coredns", "flannel", "haproxy", "registry", `"bind"`}

// languageWords are names of stages that are words of the language, too: the block "cluster",
// what is in it, and the numbers in the names of specs.
var languageWords = []string{"cluster", "computes", "hypervisors", "network", "nodes"}

// shortest is how many lines a package of the product has at least, unless it has several
// files or importers: a shorter one is part of its importer. A module may be shorter: it has a
// folder of its own, with the name that playbooks use.
const shortest = 60

// shortPackages are those that stay nevertheless, and why.
var shortPackages = map[string]string{
	"kinit/inventories": "go:embed takes files from the folder of the package",
}
