package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mostAway is how long in sum the API may be unreachable while nodes leave.
const mostAway = 15 * time.Second

// left makes the cluster as small again as it was. One of its controllers has been lost: it can
// neither be drained nor asked, so it leaves only when that is accepted, and etcd, which has two
// members of three, loses it before another one.
func left(t *testing.T, k *kinit, api *api, small places) {
	t.Helper()
	const lost = "k8s-podman-controller-02"
	smaller := slices.Concat([]string{"run"}, narrow)
	api.until(t, "Unknown", "node", lost, "--output", `jsonpath={.status.conditions[?(@.type=="Ready")].status}`)
	r := k.call(t, smaller...)
	r.refuses(t, 1, "Removals not named", "give --remove k8s-podman-compute-02,k8s-podman-controller-02,k8s-podman-controller-03 or answer")
	named := append(slices.Clone(smaller), "--remove", "compute-02,controller-02,controller-03")
	r = k.call(t, named...)
	r.refuses(t, 1, lost+" does not answer (Ready is Unknown", "With --yes-destroy "+lost+" the node leaves all the same")
	away := api.meanwhile(t, "left", func() { k.must(t, append(named, "--yes-destroy", lost)...) })
	if away > mostAway {
		t.Errorf("the API was away for %s in sum, and may be for %s", away, mostAway)
	}
	now := newPlaces(t, api, hosts)
	if diff := cmp.Diff(small.where, now.where); diff != "" {
		t.Errorf("where nodes are (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(small.uid, now.uid); diff != "" {
		t.Errorf("the uids of nodes (-want +got):\n%s", diff)
	}
	unchanged(t, k, smaller)
}

// until asks until the API gives an answer.
func (a *api) until(t *testing.T, want string, args ...string) {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		if said = a.get(t, args...); said == want {
			return
		}
	}
	t.Fatalf("after %s the API answers %q, want %q", apiPatience, said, want)
}
