package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/modules"
)

// chosen runs a playbook with an inventory of one's own and one of a lab.
func chosen(t *testing.T, playbook, own string, hosts ...string) (ran []string, problems string) {
	t.Helper()
	cwd := t.TempDir()
	for name, text := range map[string]string{
		"site.hcl":      playbook,
		"inventory.hcl": own,
		"lab.hcl":       "host \"hv1\" { transport = \"local\" }\nhost \"hv2\" { transport = \"local\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(cwd, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lab := filepath.Join(cwd, "lab.hcl")
	r := engine.Run(t.Context(), engine.Options{
		Inputs: engine.Inputs{
			Spec: "site.hcl", Cwd: cwd, Hosts: hosts, Inventories: []string{"inventory.hcl", lab}, Reserved: []string{lab},
		},
		Home: cwd, Kinds: modules.All(),
	})
	for _, result := range r.Results {
		ran = append(ran, result.Host)
	}
	return ran, r.Diagnostics.Error()
}

func TestALabsHostsAreMeantByNameOnly(t *testing.T) {
	t.Parallel()
	const everywhere = "task \"command\" \"x\" {\n  hosts = run.hosts\n  argv  = [\"true\"]\n}\n"
	const own = "host \"web1\" { transport = \"local\" }\n"
	for name, c := range map[string]struct {
		playbook, own string
		hosts         []string
		ran           string
		problem       string
	}{
		"no host is named":       {everywhere, own, nil, "web1", ""},
		"the flag names one":     {everywhere, own, []string{"hv2"}, "hv2", ""},
		"the flag names all":     {everywhere, own, []string{"all"}, "web1 hv1 hv2", ""},
		"the playbook names one": {"task \"command\" \"x\" {\n  host = \"hv1\"\n  argv = [\"true\"]\n}\n", own, nil, "hv1", ""},
		"there are none but a lab's": {everywhere, "", nil, "",
			"No host selected: This task works on the selected hosts, and there are none. Say which by --hosts, or write them into ./inventory.hcl. Those of a lab are meant only where they are named: --hosts hv1,hv2."},
		"the playbook needs none": {"task \"command\" \"x\" {\n  argv = [\"true\"]\n}\n", "", nil, "localhost", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran, problems := chosen(t, c.playbook, c.own, c.hosts...)
			if got := strings.Join(ran, " "); got != c.ran {
				t.Errorf("it ran on %q, want %q", got, c.ran)
			}
			if c.problem == "" && problems != "" || !strings.Contains(problems, c.problem) {
				t.Errorf("the problem is %q, want %q", problems, c.problem)
			}
		})
	}
}

// The playbook's host is a place on another one, and needs no address that answers.
func TestAShellTakesThePlaceOfALogin(t *testing.T) {
	t.Parallel()
	const playbook = `
host "place" {
  address = "192.0.2.1"
  via     = "web1"
  shell   = ["sh", "-c", "exec \"$0\" on the \"$@\""]
}
host "here" {
  address = "192.0.2.1"
  shell   = ["echo", "this machine:"]
}
`
	cwd := t.TempDir()
	write(t, filepath.Join(cwd, "site.hcl"), playbook)
	write(t, filepath.Join(cwd, "inventory.hcl"), "host \"web1\" { transport = \"local\" }\n")
	o := engine.Options{Inputs: engine.Inputs{Spec: "site.hcl", Cwd: cwd, Inventories: []string{"inventory.hcl"}}, Home: cwd, Kinds: modules.All()}
	for name, want := range map[string]string{"place": "on the host web1\n", "here": "this machine: echo host web1\n", "web1": "host web1\n"} {
		var said strings.Builder
		report := engine.Connect(t.Context(), o, name, func(conn transport.Conn, _ module.OS, words []string) error {
			line := shell.POSIX(slices.Concat(words, []string{"echo", "host", "web1"})...)
			_, err := conn.Exec(t.Context(), transport.Process{Line: line, Stdout: &said})
			return err
		})
		if err := report.Diagnostics.Err(); err != nil || said.String() != want {
			t.Errorf("%s: %v, printed %q, want %q", name, err, said.String(), want)
		}
	}
}

// An import in a block has the hosts of the block, and so has an import in that one.
func TestHostsThatAnImportGivesToItsTasksAreMissedToo(t *testing.T) {
	t.Parallel()
	o := options(t, `
block "everywhere" {
  hosts = run.hosts
  import "outer" { source = "./outer" }
}
`)
	withPlaybooks(t, o, map[string]string{
		"outer": `import "inner" { source = "../inner" }`,
		"inner": "task \"command\" \"x\" {\n  argv = [\"true\"]\n}\n",
	})
	o.Hosts = nil
	want := o.Cwd + "/site.hcl:3,11-20: No host selected: This task works on the selected hosts, and there are none. Say which by --hosts, or write them into ./inventory.hcl."
	ran := engine.Run(t.Context(), o)
	equal(t, "problems of a run", problems(ran), want)
	equal(t, "the run is invalid", ran.Invalid, true)
	_, listed := engine.Order(t.Context(), o)
	equal(t, "warnings of a list", len(listed.Diagnostics), 1)
	equal(t, "the warning", listed.Diagnostics[0].Summary, "No host selected")
	equal(t, "the list has no error", listed.Diagnostics.HasErrors(), false)
}
