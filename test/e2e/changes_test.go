//go:build life

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLifeAClusterGrowsAndShrinks changes how many controllers, compute nodes and hypervisors a cluster has. Each change is
// killed in the middle and run again, while a client writes all the time.
func TestLifeAClusterGrowsAndShrinks(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", three, "--drivers", "podman")
	before := map[string]map[string]bool{}
	for host := range strings.SplitSeq(three, ",") {
		before[host] = snapshot(t, host)
	}
	size := func(spec, hosts string) []string { return []string{spec, "--hosts", hosts} }
	small := size("k8s-podman-1-1-1", "nyctea")
	k.must(t, slices.Concat([]string{"run"}, small)...)
	api := newAPI(t, k, small)
	was := newPlaces(t, api, three)

	for _, change := range []struct {
		to     []string
		kill   string   // the task at which the first run is killed
		has    []string // the nodes afterwards, by the ends of their names
		remove string   // the nodes that leave
	}{
		{size("k8s-podman-3-1-1", "nyctea"), `task.kubeadm_join.controller["k8s-podman-controller-03"]`, []string{"compute-01", "controller-01", "controller-02", "controller-03"}, ""},
		{size("k8s-podman-3-2-2", "tyto,nyctea"), `task.kubeadm_join.compute["k8s-podman-compute-02"]`, []string{"compute-01", "compute-02", "controller-01", "controller-02", "controller-03"}, ""},
		{size("k8s-podman-3-3-3", "bubo,nyctea,tyto"), `task.kubeadm_join.compute["k8s-podman-compute-03"]`, []string{"compute-01", "compute-02", "compute-03", "controller-01", "controller-02", "controller-03"}, ""},
		{size("k8s-podman-3-1-3", three), `task.podman_sweep.left`, []string{"compute-01", "controller-01", "controller-02", "controller-03"}, "compute-02,compute-03"},
		{size("k8s-podman-1-1-3", three), `task.etcd_leave.controllers`, []string{"compute-01", "controller-01"}, "k8s-podman-controller-02,k8s-podman-controller-03"},
	} {
		run := slices.Concat([]string{"run"}, change.to)
		step(t, change.to[0], func(t *testing.T) {
			named := run
			if change.remove != "" {
				r := k.call(t, run...)
				r.refuses(t, 1, "Removals not named", "give --remove ")
				named = append(slices.Clone(run), "--remove", change.remove)
			}
			away := api.meanwhile(t, change.to[0], func() {
				k.until(t, started(change.kill), kill, named...)
				k.must(t, named...)
			})
			if away > mostAway {
				t.Errorf("the API was away for %s in sum, and may be for %s", away, mostAway)
			}
			now := newPlaces(t, api, three)
			var has []string
			for _, name := range change.has {
				node := "k8s-podman-" + name
				has = append(has, node)
				for what, places := range map[string][2]map[string]string{"place": {was.where, now.where}, "uid": {was.uid, now.uid}} {
					if old, had := places[0][node]; had && places[1][node] != old {
						t.Errorf("the %s of %s was %q and is %q", what, node, old, places[1][node])
					}
				}
			}
			var nodes []string
			for name := range now.uid {
				nodes = append(nodes, name)
			}
			slices.Sort(nodes)
			if diff := cmp.Diff(has, nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			api.await(t, has...)
			unchanged(t, k, run)
			was = now
		})
	}

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, slices.Concat([]string{"run"}, size("k8s-podman-1-1-3", three)))
		asBefore(t, before)
	})
}
