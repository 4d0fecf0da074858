package podmanpod_test

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_pod"
)

const image = "localhost/kinit-test:1"

func task(h *podmantest.Host, change func(*podmanpod.Task)) *podmanpod.Task {
	return moduletest.Make(podmanpod.Kind(), func(made *podmanpod.Task) {
		made.Name, made.Runtime, made.Networks = "services", h.Runtime, []string{"none"}
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	podmantest.Contract(t, podmantest.NewHost, func(h *podmantest.Host, state string) module.Task {
		return task(h, func(t *podmanpod.Task) {
			if state == "absent" {
				t.State = state
			}
		})
	})
}

func TestWhatPodmanMakesWithTheFirstPodIsMarked(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	moduletest.Settle(t, task(h, nil), h)
	name := h.Podman(t, "images", "--format", "{{.Repository}}:{{.Tag}}")
	marks := []module.Mark{{Kind: "podman_image", ID: name}, {Kind: "podman_firewall", ID: "netavark", Prior: "[]"}}
	wantMarks(t, h, marks...)
	for _, mark := range marks {
		if err := h.Disown(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
	}
	network := h.Network(t)
	moduletest.Settle(t, task(h, func(t *podmanpod.Task) { t.Name, t.Networks = "second", []string{network} }), h)
	wantMarks(t, h, marks[1])
	if err := h.Disown(t.Context(), marks[1]); err != nil {
		t.Fatal(err)
	}
	moduletest.Settle(t, task(h, func(t *podmanpod.Task) { t.Name = "third" }), h)
	wantMarks(t, h)
}

func wantMarks(t *testing.T, h module.Host, want ...module.Mark) {
	t.Helper()
	marks, err := h.Marks(t.Context())
	if err != nil || !slices.Equal(marks, want) {
		t.Errorf("marks %v, %v, want %v", marks, err, want)
	}
}

func TestPodWhoseProcessesAreGoneIsRestartedWithItsContainers(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, image, "")
	made := task(h, nil)
	moduletest.Settle(t, made, h)
	args := []string{"run", "--detach", "--pod", "services", "--name", "dns", image}
	if h.Runtime != "" {
		args = append([]string{"--runtime", h.Runtime}, args...)
	}
	h.Podman(t, args...)
	infra := h.Podman(t, "pod", "inspect", "services", "--format", "{{.InfraContainerID}}")
	h.Kill(t, infra)
	name := h.Podman(t, "inspect", infra, "--format", "{{.Name}}")
	podmantest.WantStep(t, h, made, fmt.Sprintf("restart pod services: the processes of %s are gone", name))
	before := h.Podman(t, "inspect", "dns", "--format", "{{.State.Pid}}")
	moduletest.Settle(t, made, h)
	after := h.Podman(t, "inspect", "dns", "--format", "{{.State.Running}} {{.State.Pid}}")
	if after == "true "+before {
		t.Error("the container was not restarted and lives in the old namespaces")
	}
	if got := after[:5]; got != "true " {
		t.Errorf("dns is running: %s", after)
	}
	h.Kill(t, infra)
	h.Kill(t, "dns")
	moduletest.Settle(t, task(h, func(t *podmanpod.Task) { t.State = "absent" }), h)
}

func TestStoppedAndRecreated(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	made := task(h, nil)
	moduletest.Settle(t, made, h)
	stopped := task(h, func(t *podmanpod.Task) { t.State = "stopped" })
	podmantest.WantStep(t, h, stopped, "stop pod services")
	moduletest.Settle(t, stopped, h)
	podmantest.WantStep(t, h, made, "start pod services")
	moduletest.Settle(t, made, h)
	other := task(h, func(t *podmanpod.Task) { t.Hostname = "other" })
	podmantest.WantStep(t, h, other, "recreate pod services with its containers: its arguments are others")
	moduletest.Settle(t, other, h)
}

func TestChangedPodIsNotRecreatedWithDataOrForeignContainers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ labels, want string }{
		"data": {podman.ConfigLabel + "=1", "container dns has unnamed volumes, which would be deleted with their data: /var. " +
			"To keep the data, give the volumes of the container names; to delete the data, set replace_volumes = true on the pod"},
		"foreign": {"a=b", "container dns in pod services exists and was not made by kinit: remove it or use another name"},
	} {
		h := podmantest.NewHost(t, "")
		h.Image(t, image, "")
		made := task(h, nil)
		moduletest.Settle(t, made, h)
		h.Podman(t, "create", "--pod", "services", "--name", "dns", "--label", c.labels, "--volume", "/var", image)
		other := task(h, func(t *podmanpod.Task) { t.Hostname = "other" })
		sep := map[string]string{"data": "; but ", "foreign": ": "}[name]
		want := "pod services has to be recreated with its containers, because its arguments have changed" + sep + c.want
		if _, err := other.Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
		if name == "data" {
			other.ReplaceVolumes = true
			moduletest.Settle(t, other, h)
		}
	}
}

func TestPublishedPortAndOutputs(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	port := strconv.Itoa(need.Port(t))
	network := h.Network(t)
	made := task(h, func(t *podmanpod.Task) {
		t.Networks, t.Publish, t.Hostname = []string{network}, []string{"127.0.0.1:" + port + ":6443"}, "services"
		t.AddHosts, t.DNS = []string{"registry:10.0.0.253"}, []string{"10.0.0.253"}
	})
	moduletest.Settle(t, made, h)
	if got := h.Podman(t, "port", h.Podman(t, "pod", "inspect", "services", "--format", "{{.InfraContainerID}}")); got != "6443/tcp -> 127.0.0.1:"+port {
		t.Errorf("ports %s", got)
	}
	values := moduletest.Outputs(t, made, h)
	if _, err := os.Stat(values["netns"].AsString()); err != nil {
		t.Errorf("netns: %v", err)
	}
	ip := values["ip"].AsString()
	if net.ParseIP(ip) == nil || values["ips"].AsValueMap()[network].AsString() != ip {
		t.Errorf("ip %q, ips %v", ip, values["ips"])
	}
}

func TestForeignPodIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Podman(t, "pod", "create", "--name", "services")
	want := "pod services exists and is not owned by cluster k8s (it has no mark of kinit): remove it or use another name"
	for _, state := range []string{"running", "absent"} {
		_, err := task(h, func(t *podmanpod.Task) { t.State = state }).Plan(t.Context(), h)
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", state, err, want)
		}
	}
}

func TestPodWhoseStartWasKilledHalfWayIsStarted(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	made := task(h, nil)
	moduletest.Settle(t, task(h, func(t *podmanpod.Task) { t.State = "stopped" }), h)
	infra := h.Podman(t, "pod", "inspect", "services", "--format", "{{.InfraContainerID}}")
	h.HalfStart(t, infra)

	podmantest.WantStep(t, h, made, "start pod services")
	moduletest.Settle(t, made, h)
	if status := h.Podman(t, "pod", "inspect", "services", "--format", "{{.State}}"); status != "Running" {
		t.Errorf("the pod is %s, want Running", status)
	}
}

// A start that was killed at any moment is done again. What it has left at work ends by
// itself a moment later, and must not take the new processes with it.
func TestPodWhoseStartWasKilledAtAnyMomentIsStarted(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "")
	made := task(h, nil)
	moduletest.Settle(t, made, h)
	stopped := task(h, func(t *podmanpod.Task) { t.State = "stopped" })
	for i := range 12 {
		moduletest.Settle(t, stopped, h)
		h.KilledAfter(t, time.Duration(i)*30*time.Millisecond, "pod", "start", "services")
		moduletest.Settle(t, made, h)
	}
}
