package examples

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine"
	"kinit/specs"
	"kinit/test/golden"
)

// variablesPage is the page with all variables of clusters. With KINIT_UPDATE set, the test
// writes it.
const variablesPage = "../../docs/variables.md"

// variableFolders are the folders of playbooks whose variables the page lists, in its order.
var variableFolders = []struct{ folder, title string }{
	{"common", "Every cluster"},
	{"hypervisors", "Hypervisors"},
	{"kubernetes", "Kubernetes"},
	{"kubeadm", "Kubernetes with kubeadm: `k8s`, `eksd`"},
	{"k8s", "Kubernetes of its own project: `k8s`"},
	{"eksd", "EKS Distro: `eksd`"},
	{"k3s", "k3s: `k3s`"},
	{"rke2", "rke2: `rke2`"},
	{"addons", "Addons of Kubernetes"},
	{"addons/nfs", "The addon `nfs`"},
	{"drivers/libvirt", "Guests: the driver `libvirt`"},
	{"drivers/podman", "Containers: the driver `podman`"},
	{"drivers/host", "Machines that exist: the driver `host`"},
	{"pins", "What is fetched"},
}

// declared is a variable block as text.
type declared struct{ name, kind, standard, description string }

// declaredIn lists the variables of a folder of specs by name.
func declaredIn(t *testing.T, folder string) []declared {
	t.Helper()
	files, err := fs.Glob(specs.FS, path.Join(folder, "*.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []declared
	for _, name := range files {
		text, err := specs.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range parse(t, name, text).Blocks {
			if b.Type == "variable" {
				all = append(all, declared{
					name: b.Labels[0], kind: source(text, b.Body, "type"), standard: source(text, b.Body, "default"),
					description: description(b.Body),
				})
			}
		}
	}
	slices.SortFunc(all, func(a, b declared) int { return strings.Compare(a.name, b.name) })
	return all
}

func parse(t *testing.T, name string, text []byte) *hclsyntax.Body {
	t.Helper()
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body.(*hclsyntax.Body)
}

// description is the text of a description, which may be folded.
func description(body *hclsyntax.Body) string {
	attr := body.Attributes["description"]
	if attr == nil {
		return ""
	}
	expr := attr.Expr
	if call, ok := expr.(*hclsyntax.FunctionCallExpr); ok && call.Name == "fold" {
		expr = call.Args[0]
	}
	value, problems := expr.Value(nil)
	if problems.HasErrors() {
		return ""
	}
	return strings.Join(strings.Fields(value.AsString()), " ")
}

// source is the text of an argument on one line.
func source(text []byte, body *hclsyntax.Body, name string) string {
	attr := body.Attributes[name]
	if attr == nil {
		return ""
	}
	line := strings.Join(strings.Fields(string(attr.Expr.Range().SliceBytes(text))), " ")
	return strings.NewReplacer(`\"`, `"`, "[ ", "[", ", ]", "]").Replace(line) // a list may have several lines
}

// variableExamples are the texts of the examples, by the names of the variables.
func variableExamples(t *testing.T) map[string]string {
	t.Helper()
	const name = "testdata/variables.hcl"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	body, all := parse(t, name, text), map[string]string{}
	for variable := range body.Attributes {
		all[variable] = string(body.Attributes[variable].Expr.Range().SliceBytes(text))
	}
	return all
}

func TestThePageOfVariablesListsThoseOfClusters(t *testing.T) {
	t.Parallel()
	examples := variableExamples(t)
	var page strings.Builder
	page.WriteString("# Variables of clusters\n\nGenerated from the playbooks by `make golden`; do not edit. " +
		"`--var NAME=VALUE` sets a variable for a run,\n`--var-file FILE` and `vars` of an inventory set several. " +
		"The tests make a cluster of each example. What belongs to the cluster itself,\nsuch as its pools, is in " +
		"[language.md](language.md#cluster); [clusters.md](clusters.md) explains the choices.\n")
	for _, f := range variableFolders {
		fmt.Fprintf(&page, "\n## %s\n", f.title)
		for _, v := range declaredIn(t, f.folder) {
			example, ok := examples[v.name]
			if !ok {
				t.Errorf("testdata/variables.hcl has no example of %s", v.name)
			}
			if v.description == "" || v.kind == "" {
				t.Errorf("the variable %s has no type or no description", v.name)
			}
			delete(examples, v.name)
			standard := v.standard
			if standard == "" {
				standard = "none"
			}
			fmt.Fprintf(&page, "\n### %s\n\n%s\n\n- type: `%s`\n- default: `%s`\n- example: `--var '%s=%s'`\n",
				v.name, v.description, v.kind, standard, v.name, strings.Trim(example, `"`))
		}
	}
	if len(examples) > 0 {
		t.Errorf("there are examples of variables that clusters do not have: %v", slices.Sorted(maps.Keys(examples)))
	}
	golden.Check(t, variablesPage, page.String())
}

func TestEveryExampleOfAVariableMakesACluster(t *testing.T) {
	t.Parallel()
	for name, text := range variableExamples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "k8s-libvirt-1-1-1"
			if distribution, _, _ := strings.Cut(name, "_"); slices.Contains([]string{"eksd", "k3s", "rke2"}, distribution) {
				spec = distribution + "-libvirt-1-1-1"
			}
			o := options(t, spec)
			o.Hosts = []string{"a"}
			o.Vars[name] = strings.Trim(text, `"`)
			switch name { // overlays are of machines alone
			case "compute_overlay":
				o.Vars["compute_hosts"] = `["b"]`
			case "restore": // the command gives all of them
				o.Vars["restore_texts"], o.Vars["restore_passphrase"] = `{ for name in ["ca.crt", "ca.key", "sa.key", "sa.pub", "front-proxy-ca.crt", "front-proxy-ca.key", "etcd/ca.crt", "etcd/ca.key"] : "pki/${name}" => "the content of ${name}" }`, "correct horse battery staple"
			case "controller_overlay":
				o.Vars["controller_hosts"] = `["b"]`
			}
			if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}
