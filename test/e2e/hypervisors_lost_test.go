//go:build life

package e2e

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The cluster is on three hypervisors, each with a controller and services.
const three = "nyctea,tyto,bubo"

var (
	onThree = []string{"k8s-podman-3-2-3", "--hosts", three, "--set", "services.count=3"}
	onTwo   = []string{"k8s-podman-3-2-3", "--hosts", three, "--set", "services.count=2"}
)

// TestLifeHypervisorsAreKilledInTurn kills each hypervisor, which has a controller, services and OVN's databases,
// without a shutdown. In the end one does not come back.
func TestLifeHypervisorsAreKilledInTurn(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", three, "--drivers", "podman")
	before := map[string]map[string]bool{}
	for host := range strings.SplitSeq(three, ",") {
		before[host] = snapshot(t, host)
	}
	run := slices.Concat([]string{"run"}, onThree)

	step(t, "three hypervisors have OVN's databases, and the second run changes nothing", func(t *testing.T) {
		k.must(t, run...)
		for host := range strings.SplitSeq(three, ",") {
			members(t, host, 3)
		}
		unchanged(t, k, run)
	})
	api := newAPI(t, k, onThree)
	nodes := strings.Fields(api.get(t, "nodes", "--output", "jsonpath={.items[*].metadata.name}"))

	for _, pair := range [][2]string{{"nyctea", "tyto"}, {"tyto", "bubo"}, {"bubo", "nyctea"}} {
		victim, other := pair[0], pair[1]
		step(t, victim+" is killed, and comes back", func(t *testing.T) {
			api.context = by(other)
			all := map[string]time.Duration{}
			all["a client that writes"] = api.meanwhile(t, victim, func() {
				maps.Copy(all, awayMeanwhile(t, other, func() { powerCut(t, victim) }))
				api.written(t, 20)
				overlayWorks(t, other, victim)
			})
			for what, away := range all {
				t.Logf("%s: away for %s", what, away)
				if away > mostAway {
					t.Errorf("%s: away for %s in sum, and may be for %s", what, away, mostAway)
				}
			}
			machinePodman(t, "start", container(victim))
			members(t, victim, 3)
			api.await(t, nodes...)
			unchanged(t, k, run)
		})
	}

	lost := slices.Concat([]string{"run"}, onTwo, []string{"--lost", "bubo"})
	step(t, "a hypervisor is lost, and its nodes are recreated on the others", func(t *testing.T) {
		api.context = by("nyctea")
		powerCut(t, "bubo")
		away := api.meanwhile(t, "lost", func() { k.must(t, lost...) })
		t.Logf("the API was away for %s in sum", away)
		api.await(t, nodes...)
		for _, host := range []string{"nyctea", "tyto"} {
			members(t, host, 2)
		}
		unchanged(t, k, lost)
	})

	step(t, "clean-up takes back what was done on the hypervisors that are left", func(t *testing.T) {
		removed(t, k, lost)
		delete(before, "bubo")
		asBefore(t, before)
	})
}

// by returns the kubeconfig's context that goes by the services of a hypervisor. The first one, by name, has none with its name.
func by(host string) string {
	if host == "bubo" {
		return "k8s-podman"
	}
	return "k8s-podman@" + host
}

// powerCut ends a hypervisor of the lab as a loss of power does.
func powerCut(t *testing.T, host string) {
	t.Helper()
	progress(t, "kill "+host)
	machinePodman(t, "kill", container(host))
}

// members waits until a hypervisor's servers of both databases of OVN are among so many, and have a leader.
func members(t *testing.T, host string, count int) {
	t.Helper()
	for _, db := range []struct{ file, name string }{{"ovnnb_db", "OVN_Northbound"}, {"ovnsb_db", "OVN_Southbound"}} {
		on(t, host, fmt.Sprintf(`
for i in $(seq 120); do
  said=$(ovn-appctl --timeout=5 -t /run/ovn/%s.ctl cluster/status %s 2>&1)
  case $said in *"Leader: unknown"*) ;; *"Status: cluster member"*) [ "$(echo "$said" | grep -c ' at ssl:')" = %d ] && exit 0 ;; esac
  sleep 1
done
echo "$said"
exit 1`, db.file, db.name, count))
	}
}

// overlayWorks checks, from a hypervisor, what has to work while another one is away: names, changes of the overlay,
// the way between the nodes that are left, and their way outside, which another hypervisor may have to take over.
func overlayWorks(t *testing.T, host, victim string) {
	t.Helper()
	on(t, host, "dig +short +time=2 +tries=3 @10.0.0.253 api.k8s-podman.kinit.local | grep -qx 10.0.0.253")
	on(t, host, "ovn-nbctl --timeout=30 --no-leader-only --wait=sb set NB_Global . external_ids:without="+victim)
	var addresses []string
	for other := range strings.SplitSeq(three, ",") {
		if other != victim {
			addresses = append(addresses, strings.Fields(on(t, other, `for n in $(podman ps --format '{{.Names}}' | grep -E 'controller|compute'); do podman exec "$n" hostname -I; done`))[0])
		}
	}
	node := strings.Fields(on(t, host, `podman ps --format '{{.Names}}' | grep -E 'controller'`))[0]
	on(t, host, fmt.Sprintf("podman exec %s ping -c 3 -W 2 %s", node, addresses[1]))
	began := time.Now()
	for exec.CommandContext(t.Context(), "podman", "exec", container(host), "podman", "exec", node, "ping", "-c", "1", "-W", "1", "172.16.0.254").Run() != nil {
		if time.Since(began) > patience {
			t.Fatalf("%s has no way outside without %s", node, victim)
		}
	}
	t.Logf("%s had its way outside after %s", node, time.Since(began).Round(time.Second))
	on(t, host, "ovn-nbctl --timeout=30 --no-leader-only remove NB_Global . external_ids without")
}
