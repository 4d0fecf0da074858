package podmanvolume_test

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_volume"
)

func task(name string, change func(*podmanvolume.Task)) module.Task {
	return moduletest.Make(podmanvolume.Kind(), func(made *podmanvolume.Task) {
		made.Name = name
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	podmantest.Contract(t, podmantest.NewHost, func(_ *podmantest.Host, state string) module.Task {
		return task("data", func(t *podmanvolume.Task) { t.State = state })
	})
}

func TestVolumeIsNeverReplaced(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Podman(t, "volume", "create", "theirs")
	moduletest.Do(t, task("data", nil), h)
	for name, want := range map[string]string{
		"theirs": "podman volume theirs exists and is not owned by cluster k8s (it has no mark of kinit): remove it or use another name",
		"data":   "podman volume data was made with other options: remove it, with its content, or use another name",
	} {
		other := task(name, func(t *podmanvolume.Task) { t.Options = map[string]string{"type": "tmpfs", "device": "tmpfs"} })
		if _, err := other.Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
	values, err := module.Outputs(t.Context(), task("data", nil), h)
	want := h.Podman(t, "volume", "inspect", "data", "--format", "{{.Mountpoint}}")
	if err != nil || values["mountpoint"].AsString() != want {
		t.Errorf("mountpoint %v, %v, want %s", values["mountpoint"], err, want)
	}
}
