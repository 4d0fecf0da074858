package packagefacts

import (
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
)

func TestPackagesOfThisMachine(t *testing.T) {
	t.Parallel()
	need.Programs(t, "dpkg-query", "dpkg-query")
	h := moduletest.LocalHost(t, "")
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return &Task{} }, Host: h, NoSteps: true})
	versions := moduletest.Outputs(t, &Task{}, h)["versions"].AsValueMap()
	for _, name := range []string{"bash", "coreutils"} {
		want, err := exec.CommandContext(t.Context(), "dpkg-query", "-W", "-f", "${Version}", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := versions[name].AsString(); got != string(want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	installed, err := exec.CommandContext(t.Context(), "sh", "-c", "dpkg-query -W -f '${Package} ${db:Status-Status}\n' | grep ' installed$' | cut -d' ' -f1 | sort -u").Output()
	if got, want := len(versions), len(strings.Fields(string(installed))); got != want || err != nil {
		t.Errorf("%d packages, %v, want %d", got, err, want)
	}
}

func TestPackagesOfRPM(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "dnf", "rpmbuild", "createrepo_c")
	packagestest.RPM(t, h, "kinit-test-a", "1.0")
	h.Shell(t, "rm /etc/os-release")
	h.Put(t, "/etc/os-release", "ID=fedora\n", module.Attr{})
	h.Shell(t, "dnf -y -q install kinit-test-a")
	if got := moduletest.Outputs(t, &Task{}, h)["versions"].AsValueMap()["kinit-test-a"].AsString(); got != "1.0-1" {
		t.Errorf("kinit-test-a is %s, want 1.0-1", got)
	}
}
