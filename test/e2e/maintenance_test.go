//go:build life

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestLifeNodesAreReplacedAndHypervisorsEvacuated recreates nodes, the first controller among them, and takes
// all nodes off a hypervisor and back, each killed in the middle, while a client writes all the time.
func TestLifeNodesAreReplacedAndHypervisorsEvacuated(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	spec := []string{"k8s-podman-3-2-2", "--hosts", hosts}
	run := slices.Concat([]string{"run"}, spec)
	k.must(t, run...)
	api := newAPI(t, k, spec)
	was := newPlaces(t, api, hosts)

	// recreated checks that some nodes are new ones at their old places, and that the rest has not changed.
	recreated := func(t *testing.T, nodes ...string) {
		t.Helper()
		api.await(t, wideNodes...)
		now := newPlaces(t, api, hosts)
		for name, uid := range was.uid {
			if got := now.uid[name] != uid; got != slices.Contains(nodes, name) {
				t.Errorf("%s is another node: %t", name, got)
			}
			if now.where[name] != was.where[name] {
				t.Errorf("%s was at %s and is at %s", name, was.where[name], now.where[name])
			}
		}
		unchanged(t, k, run)
		was = now
	}
	within := func(t *testing.T, what string, do func()) {
		t.Helper()
		if away := api.meanwhile(t, what, do); away > mostAway {
			t.Errorf("the API was away for %s in sum, and may be for %s", away, mostAway)
		}
	}

	for _, node := range []string{"k8s-podman-compute-02", "k8s-podman-controller-01"} {
		step(t, node+" is replaced", func(t *testing.T) {
			replace := slices.Concat([]string{"replace", spec[0], node}, spec[1:])
			within(t, strings.TrimPrefix(node, "k8s-podman-"), func() {
				k.until(t, started("task.podman_sweep.left"), kill, replace...)
				k.must(t, replace...)
			})
			recreated(t, node)
		})
	}

	step(t, "a hypervisor is evacuated", func(t *testing.T) {
		evacuate := slices.Concat([]string{"evacuate", spec[0], "tyto"}, spec[1:])
		within(t, "evacuated", func() {
			k.until(t, started("task.kubectl_drain.leaving"), kill, evacuate...)
			k.must(t, evacuate...)
		})
		if left := on(t, "tyto", "podman ps --all --format '{{.Names}}'"); left != "" {
			t.Errorf("tyto still has\n%s", left)
		}
		if nodes := strings.Fields(api.get(t, "nodes", "--output", "jsonpath={.items[*].metadata.name}")); len(nodes) != 3 {
			t.Errorf("the nodes are %v, want three", nodes)
		}
	})

	step(t, "its nodes come back", func(t *testing.T) {
		var there []string
		for name, place := range was.where {
			if strings.HasPrefix(place, "tyto ") {
				there = append(there, name)
			}
		}
		within(t, "back", func() { k.must(t, run...) })
		recreated(t, there...)
	})

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})
}
