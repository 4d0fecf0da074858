package engine_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/modules"
)

// aVolume is an object that carries its owner itself. The run has no object with a mark in the manifest.
const aVolume = `
task "podman_volume" "data" {
  name = "OWNER-data"
}
`

const volumesGo = `
stage "cleanup" {}
task "podman_sweep" "owned" {
  stage = "cleanup"
  all   = true
}
`

// TestObjectsThatCarryTheirOwnMarkAreKnownToTheNextRun covers an owner whose objects are all of that kind: the
// instance in them must be that of later runs, and of the clean-up, from whichever controller that knows it.
func TestObjectsThatCarryTheirOwnMarkAreKnownToTheNextRun(t *testing.T) {
	t.Parallel()
	need.Programs(t, "podman", "podman")
	owner := ownerName(t)
	volumes := func() string {
		out, err := exec.CommandContext(t.Context(), "podman", "volume", "ls", "--quiet", "--filter", "name="+owner).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() { _ = exec.Command("podman", "volume", "rm", "--force", owner+"-data").Run() })

	o := controlled(t, owner, aVolume)
	went(t, engine.Run(t.Context(), o))
	if got := volumes(); got != owner+"-data" {
		t.Fatalf("the volumes are %q", got)
	}
	if instanceOf(t, owner).ID == "" {
		t.Error("the host does not say which instance made the volume")
	}
	if diff := cmp.Diff(map[string]string{"podman_volume.data": "ok"}, statuses(went(t, engine.Run(t.Context(), o)))); diff != "" {
		t.Errorf("the second run (-want +got):\n%s", diff)
	}

	cleanup := controlled(t, owner, volumesGo)
	cleanup.StateDir, cleanup.StopAfter, cleanup.CleansUp = o.StateDir, "cleanup", true
	went(t, engine.Run(t.Context(), cleanup))
	if got := volumes(); got != "" {
		t.Errorf("the clean-up left %q", got)
	}
}

// TestModulesWhoseObjectsCarryTheirMark lists them: one that is missing leaves objects that later runs refuse.
func TestModulesWhoseObjectsCarryTheirMark(t *testing.T) {
	t.Parallel()
	var signs []string
	for _, kind := range modules.All() {
		if kind.Signs {
			signs = append(signs, kind.Name)
		}
	}
	slices.Sort(signs)
	want := strings.Fields(`libvirt_domain ovn_dhcp ovn_nat ovn_port ovn_route ovn_router ovn_router_port ovn_switch
		ovs_bridge ovs_port ovs_veth podman_container podman_network podman_pod podman_volume`)
	if diff := cmp.Diff(want, signs); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
}
