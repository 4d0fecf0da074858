package examples

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine"
)

func TestDirectServerReturnIsUsedWhereKubeProxyHasIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ os, version, want string }{
		{"windows-2022", "", "true"},
		{"windows-2022", "v1.32.4", "false"},
		{"windows-2019", "", "false"},
	} {
		o := options(t, "k8s-libvirt-1-1-1")
		o.Hosts = []string{"a"}
		o.Vars = map[string]string{"compute_os": c.os, "windows_iso": iso, "windows_activation": "none", "allow_unpinned": "true", "allow_untested": "true"}
		if c.version != "" {
			o.Vars["kubernetes_version"] = c.version
		}
		if got := evaluate(t, o, "[for name, on in local.windows_dsr : tostring(on)]"); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s with Kubernetes %s: %v, want %s", c.os, c.version, got, c.want)
		}
	}
}

func TestServer2025NeedsItsPauseImage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		os, image string
		refused   bool
	}{
		{"windows-2025", "", false},
		{"windows-2025", "registry.k8s.io/pause:3.10.1", true},
		{"windows-2025", "registry.k8s.io/pause:3.10", true},
		{"windows-2025", "registry.k8s.io/pause:3.11", false},
		{"windows-2025", "mirror.example/own:1", false},
		{"windows-2022", "registry.k8s.io/pause:3.10.1", false},
	} {
		o := options(t, "k8s-libvirt-1-1-1")
		o.Hosts = []string{"a"}
		o.Vars = map[string]string{"compute_os": c.os, "windows_iso": iso, "windows_activation": "none", "allow_unpinned": "true", "allow_untested": "true"}
		if c.image != "" {
			o.Vars["windows_pause_image"] = c.image
		}
		err := engine.Validate(t.Context(), o).Diagnostics.Err()
		const want = "has no Windows Server 2025 among its platforms"
		if got := err != nil && strings.Contains(err.Error(), want); got != c.refused {
			t.Errorf("%s with %q: refused %v, want %v: %v", c.os, c.image, got, c.refused, err)
		}
	}
}
