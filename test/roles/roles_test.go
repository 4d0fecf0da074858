package roles

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"

	"kinit/engine"
	"kinit/inventories"
	"kinit/modules"
	"kinit/specs"
	"kinit/test/golden"
)

const root = "../.."

// tables are those of all roles.
func tables(t *testing.T) map[string][]row {
	t.Helper()
	all := map[string][]row{}
	for _, r := range roles {
		rows, err := table(root, r.name)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		all[r.name] = rows
	}
	return all
}

func TestEveryTaskOfARoleIsInItsTableOnce(t *testing.T) {
	t.Parallel()
	all := 0
	for _, r := range roles {
		rows := tables(t)[r.name]
		if all += len(rows); len(rows) != r.tasks {
			t.Errorf("%s has %d rows, want %d", r.name, len(rows), r.tasks)
		}
		last := 0
		for _, row := range rows {
			if n, err := strconv.Atoi(row.task); err != nil || n <= last {
				t.Errorf("%s: task %q after %d", r.name, row.task, last)
			} else {
				last = n
			}
			if row.file == "" || row.name == "" || row.how == "" {
				t.Errorf("%s: task %s has an empty column: %q", r.name, row.task, row)
			}
			switch row.class {
			case direct, awkward, not, needless:
			default:
				t.Errorf("%s: task %s is %q, want one of direct, awkward, not, needless", r.name, row.task, row.class)
			}
		}
	}
	if all != 361 {
		t.Errorf("%d tasks, want 361", all)
	}
}

func TestEveryRowLeadsToAPlaceInTheExample(t *testing.T) {
	t.Parallel()
	for name, rows := range tables(t) {
		files := map[string]map[string]bool{}
		for _, row := range rows {
			if files[row.in] == nil {
				declares, err := places(filepath.Join(root, "examples", "roles", name, row.in))
				if err != nil {
					t.Errorf("%s: task %s: %v", name, row.task, err)
					declares = map[string]bool{}
				}
				files[row.in] = declares
			}
			if !files[row.in][row.place] {
				t.Errorf("%s: task %s: %s does not declare %s", name, row.task, row.in, row.place)
			}
		}
	}
}

// The aim of the examples.
func TestMostTasksAreSaidDirectly(t *testing.T) {
	t.Parallel()
	var rows []row
	for _, more := range tables(t) {
		rows = append(rows, more...)
	}
	n := count(rows)
	said := n[direct] + n[awkward] + n[not]
	if n[direct]*100 < 92*said || n[not]*100 > said {
		t.Errorf("of %d tasks %d are said directly and %d not at all, want at least 92 %% and at most 1 %%", said, n[direct], n[not])
	}
}

func TestThePageOfRolesIsCurrent(t *testing.T) {
	t.Parallel()
	golden.Check(t, filepath.Join(root, "docs", "roles.md"), page(tables(t)))
}

// cluster is an inventory with servers and an agent; nothing connects to them.
const cluster = `
host "a" { address = "192.0.2.1" }
host "b" { address = "192.0.2.2" }
host "c" { address = "192.0.2.3" }
group "server" { hosts = ["a", "b"] }
group "agent" { hosts = ["c"] }
`

// playbooks are those of the roles, with variables that bring in what is off by default.
var playbooks = map[string]map[string]string{
	"nginx": {"vhosts": `[{ server_name = "a.example" }, { filename = "b.conf", state = "absent" }]`, "ppa": "stable",
		"ppa_key": "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n-----END PGP PUBLIC KEY BLOCK-----"},
	"docker": {
		"users": `["ann"]`, "install_compose": "true", "daemon_options": `{"debug": true}`, "service_start_command": "/usr/sbin/dockerd",
	},
	"ssh_hardening": {
		"trusted_user_ca_keys_file": "/etc/ssh/ca", "trusted_user_ca_keys": `["ssh-ed25519 AAAA ca"]`,
		"authorized_principals": `[{ path = "/etc/ssh/principals/ann", principals = ["ann"] }]`,
	},
	"node_exporter": {
		"version": "latest", "basic_auth_users": `{ ann = "secret-of-ann" }`, "tls_server_config": `{ cert_file = "/c", key_file = "/k" }`,
	},
	"k3s/site": {
		"k3s_version": "v1.31.12+k3s1", "extra_service_envs": `["A=b"]`, "server_config_yaml": "tls-san: [k3s.example]",
		"k3s_server_location": "/srv/k3s", "registries_config_yaml": "{}", "agent_config_yaml": "{}",
	},
	"k3s/upgrade": {"k3s_version": "v1.31.12+k3s1", "token": "a-token-of-the-cluster"},
	"k3s/reset":   {"k3s_version": "v1.31.12+k3s1"},
	"k3s/reboot":  {"k3s_version": "v1.31.12+k3s1"},
}

func TestRolesAreValid(t *testing.T) {
	t.Parallel()
	inventory := filepath.Join(t.TempDir(), "inventory.hcl")
	if err := os.WriteFile(inventory, []byte(cluster), 0o600); err != nil {
		t.Fatal(err)
	}
	cwd, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range playbooks {
		for kind, vars := range map[string]map[string]string{"as they are": {"k3s_version": more["k3s_version"]}, "with all they can do": more} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				if vars["k3s_version"] == "" {
					vars = without(vars, "k3s_version")
				}
				report := engine.Validate(t.Context(), engine.Options{
					Inputs: engine.Inputs{Spec: "examples/roles/" + name, Cwd: cwd, Inventories: []string{inventory}, Vars: vars},
					Home:   t.TempDir(), Builtin: specs.FS, Inventory: inventories.FS, Kinds: modules.All(),
				})
				if len(report.Diagnostics) > 0 || report.Tasks == 0 {
					t.Errorf("%d tasks, %v", report.Tasks, report.Diagnostics)
				}
			})
		}
	}
}

func without(vars map[string]string, name string) map[string]string {
	left := map[string]string{}
	for key, value := range vars {
		if key != name {
			left[key] = value
		}
	}
	return left
}

func TestFilesOfRolesAreInTheCanonicalFormatAndExplainTheirVariables(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(filepath.Join(root, "examples", "roles"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".hcl") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if string(hclwrite.Format(text)) != string(text) {
			t.Errorf("%s is not in the canonical format", path)
		}
		names, err := undescribed(path)
		for _, name := range names {
			t.Errorf("%s: the variable %s has no description", path, name)
		}
		return err
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestEveryRoleHasItsPage(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile(filepath.Join(root, "examples", "roles", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range roles {
		if !strings.Contains(string(index), "["+r.name+"]("+r.name+"/README.md)") {
			t.Errorf("the README of the roles does not lead to %s", r.name)
		}
		if _, err := os.Stat(filepath.Join(root, "examples", "roles", r.name, "README.md")); err != nil {
			t.Error(err)
		}
	}
}
