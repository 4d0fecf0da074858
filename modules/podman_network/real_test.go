package podmannetwork_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_network"
)

func task(name string, change func(*podmannetwork.Task)) module.Task {
	return moduletest.Make(podmannetwork.Kind(), func(made *podmannetwork.Task) {
		made.Name = name
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	podmantest.Contract(t, podmantest.NewHost, func(_ *podmantest.Host, state string) module.Task {
		return task("lab", func(t *podmannetwork.Task) { t.State = state })
	})
}

func TestArgumentsReachPodman(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	made := task("lab", func(t *podmannetwork.Task) {
		t.Subnet, t.Gateway, t.MTU = "10.213.9.0/24", "10.213.9.254", 1442
		t.DNS, t.Internal, t.Options = false, true, map[string]string{"isolate": "true"}
	})
	moduletest.Settle(t, made, h)
	type network struct {
		Subnets  []struct{ Subnet, Gateway string }
		Internal bool
		DNS      bool `json:"dns_enabled"`
		Options  map[string]string
	}
	var got []network
	if err := json.Unmarshal([]byte(h.Podman(t, "network", "inspect", "lab")), &got); err != nil {
		t.Fatal(err)
	}
	want := []network{{
		Subnets:  []struct{ Subnet, Gateway string }{{"10.213.9.0/24", "10.213.9.254"}},
		Internal: true, Options: map[string]string{"mtu": "1442", "isolate": "true"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("network (-want +got):\n%s", diff)
	}
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || values["subnet"].AsString() != "10.213.9.0/24" || values["gateway"].AsString() != "10.213.9.254" {
		t.Errorf("outputs %v, %v", values, err)
	}
	other := task("lab", func(t *podmannetwork.Task) { t.MTU = 1400 })
	steps := moduletest.Steps(t, other, h)
	if len(steps) != 1 || steps[0].String() != "recreate podman network lab: its arguments are others" {
		t.Fatalf("steps %v", steps)
	}
	moduletest.Settle(t, other, h)
	if left := moduletest.Steps(t, other, h); len(left) > 0 {
		t.Errorf("planned again: %v", left)
	}
}

func TestForeignNetworkIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Podman(t, "network", "create", "lab")
	want := "podman network lab exists and is not owned by cluster k8s (it has no mark of kinit): remove it or use another name"
	for _, state := range []string{"present", "absent"} {
		_, err := task("lab", func(t *podmannetwork.Task) { t.State = state }).Plan(t.Context(), h)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", state, err, want)
		}
	}
}

func TestNetworkInUseIsNotTakenAway(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, "localhost/kinit-test:1", "")
	name := "used-" + rand.Text()
	moduletest.Settle(t, task(name, nil), h)
	h.Podman(t, "create", "--name", "theirs", "--network", name, "localhost/kinit-test:1")
	steps := moduletest.Steps(t, task(name, func(t *podmannetwork.Task) { t.MTU = 1400 }), h)
	err := steps[0].Do(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "remove network "+name) {
		t.Errorf("error %v, want that the network cannot be removed", err)
	}
	h.Podman(t, "container", "exists", "theirs")
	h.Podman(t, "network", "exists", name)
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*podmannetwork.Task){
		`subnet is "10.0.0.0", expected a prefix such as "10.89.3.0/24"`: func(t *podmannetwork.Task) { t.Subnet = "10.0.0.0" },
		`gateway needs a subnet`:                       func(t *podmannetwork.Task) { t.Gateway = "10.0.0.1" },
		`mtu is -1, expected bytes or 0`:               func(t *podmannetwork.Task) { t.MTU = -1 },
		`name is empty, expected the network's name`:   func(t *podmannetwork.Task) { t.Name = "" },
		`state is "gone", want one of present, absent`: func(t *podmannetwork.Task) { t.State = "gone" },
	} {
		moduletest.Refused(t, task("lab", change), want)
	}
}
