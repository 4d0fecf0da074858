package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
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
		"nobody names any":       {everywhere, own, nil, "web1", ""},
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
