package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// prepared is the table of systems that hypervisors may have.
func prepared(t *testing.T) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../specs/common/hypervisors.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]map[string]any
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

// Hosts have the contents of os-release of real systems.
func TestTheSystemOfAHypervisorIsFound(t *testing.T) {
	t.Parallel()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "mount")
	script, err := os.ReadFile("../../specs/common/files/system.sh")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range prepared(t) {
		names = append(names, name)
	}
	slices.Sort(names)
	for release, want := range map[string]string{
		"ID=debian\nVERSION_ID=\"13\"\n":                                                              "debian",
		"ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n":                                           "debian",
		"ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"9\"\n":                                  "rhel-9",
		"ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"10\"\n":                                 "rhel-10",
		"ID=\"rhel\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"9.6\"\n":                                       "rhel-9",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.5\"\n":                          "rhel-9",
		"ID=\"almalinux\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"10.1\"\n":                     "rhel-10",
		"ID=fedora\nVERSION_ID=42\n":                                                                  "fedora",
		"ID=arch\nPRETTY_NAME=\"Arch Linux\"\n":                                                       "none: kinit prepares hypervisors with Debian, Ubuntu, Fedora, RHEL 9 and 10 and what is made from them; this one has Arch Linux.\n",
		"ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"8\"\nPRETTY_NAME=\"CentOS Stream 8\"\n": "none: kinit prepares hypervisors with Debian, Ubuntu, Fedora, RHEL 9 and 10 and what is made from them; this one has CentOS Stream 8.\n",
	} {
		file := filepath.Join(t.TempDir(), "os-release")
		if err := os.WriteFile(file, []byte(release), 0o600); err != nil {
			t.Fatal(err)
		}
		// /etc/os-release is a link to it.
		argv := slices.Concat([]string{"--mount", "sh", "-c", `mount --bind "$1" /etc/os-release && shift && exec sh -c "$@"`, "sh", file, string(script), "system"}, names)
		out, err := exec.Command("unshare", argv...).CombinedOutput()
		got := string(out)
		if err != nil {
			got = "none: " + got
		}
		moduletest.Same(t, release, got, want)
	}
}

// Tasks take names from each entry.
func TestEverySystemOfHypervisorsHasAllNames(t *testing.T) {
	t.Parallel()
	all := prepared(t)
	for name, entry := range all {
		for key, like := range all["debian"] {
			value, there := entry[key]
			if !there {
				t.Errorf("%s has no %s", name, key)
			}
			services, _ := like.(map[string]any)
			for service := range services {
				unit, _ := value.(map[string]any)[service].(string)
				if !strings.HasSuffix(unit, ".service") && !strings.HasSuffix(unit, ".socket") {
					t.Errorf("%s has the unit %q as %s", name, unit, service)
				}
			}
		}
		if len(entry) != len(all["debian"]) {
			t.Errorf("%s has %d words, debian has %d", name, len(entry), len(all["debian"]))
		}
	}
}

// Nothing waits for a tunnel or a port that an active firewall still drops.
func TestAFirewallIsOpenedBeforeItIsInTheWay(t *testing.T) {
	t.Parallel()
	graph, report := engine.Order(t.Context(), mixed(t))
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ earlier, later string }{
		{`task.firewall.tunnels["a"]`, "task.ovn_sync.overlay"},
		{`task.firewall.tunnels["m1"]`, "task.ovn_sync.overlay"},
		{`task.firewall.southbound["a"]`, "task.ovn_sync.overlay"},
		{`task.firewall.outside["a"]`, "task.ovn_sync.overlay"},
		{`task.firewall.published["a"]`, `task.podman_pod.services["a"]`},
		{`task.podman_network.outside["a"]`, `task.firewall.pod["a"]`},
	} {
		if !waits(graph, test.later, test.earlier, map[string]bool{}) {
			t.Errorf("%s does not wait for %s", test.later, test.earlier)
		}
	}
}
