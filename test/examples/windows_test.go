package examples

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine"
)

// blocksOf are the tasks that a spec does on some hosts, by the address of their block.
func blocksOf(t *testing.T, spec string, hosts []string, vars map[string]string) map[string][]string {
	t.Helper()
	o := options(t, spec)
	o.Hosts, o.Vars = hosts, vars
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, task := range graph.Tasks {
		if task.Skip == "" {
			blocks[task.Block] = append(blocks[task.Block], task.Address)
		}
	}
	return blocks
}

const iso = `{ url = "/srv/iso/windows-server-2022.iso" }`

func TestWithoutWindowsNodesNothingOfWindowsIsPlanned(t *testing.T) {
	t.Parallel()
	for block := range blocksOf(t, "bare-libvirt-1-1-1", []string{"a"}, nil) {
		if strings.Contains(block, "windows") || strings.Contains(block, "winrm") {
			t.Errorf("%s is planned", block)
		}
	}
}

func TestWindowsNodesHaveTasksOfTheirOwn(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, "bare-libvirt-1-2-2", []string{"a", "b"}, map[string]string{"compute_os": "windows", "windows_iso": iso, "windows_activation": "none"})
	for block, want := range map[string][]string{
		"task.windows_image.node":     {`task.windows_image.node["a"]`, `task.windows_image.node["b"]`},
		"task.libvirt_domain.windows": {`task.libvirt_domain.windows["bare-libv-te-01"]`, `task.libvirt_domain.windows["bare-libv-te-02"]`},
		"task.libvirt_domain.node":    {`task.libvirt_domain.node["bare-libvirt-controller-01"]`},
		"task.cloudinit_seed.node":    {`task.cloudinit_seed.node["bare-libvirt-controller-01"]`},
		"task.windows_seed.node":      {`task.windows_seed.node["bare-libv-te-01"]`, `task.windows_seed.node["bare-libv-te-02"]`},
		"task.windows_install.node":   {`task.windows_install.node["bare-libv-te-01"]`, `task.windows_install.node["bare-libv-te-02"]`},
		// The ISO is where it is; drivers and OpenSSH are fetched.
		"task.download.windows": {
			`task.download.windows["a/drivers"]`, `task.download.windows["a/openssh"]`,
			`task.download.windows["b/drivers"]`, `task.download.windows["b/openssh"]`,
		},
	} {
		got := blocks[block]
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", block, got, want)
		}
	}
}

func TestSealedImageNeedsNoInstallation(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, "bare-libvirt-1-1-1", []string{"a"}, map[string]string{
		"compute_os": "windows-2025", "windows_image": `{ url = "https://example.org/sealed.qcow2", sha256 = "` + strings.Repeat("a", 64) + `" }`,
	})
	if got := blocks["task.windows_image.node"]; len(got) > 0 {
		t.Errorf("%v is planned", got)
	}
	if got := blocks["task.download.windows"]; !slices.Equal(got, []string{`task.download.windows["a/image"]`}) {
		t.Errorf("%v is fetched", got)
	}
}

func TestWhatWindowsLacksIsSaidBeforeAnyHostIsAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		vars map[string]string
		want string
	}{
		"no ISO":         {map[string]string{}, "The nodes bare-libv-te-01 are to run Windows, and there is no ISO to install it from. Set the variable windows_iso"},
		"no activation":  {map[string]string{"windows_iso": iso}, "There is no windows_product_key, so the ISO is an evaluation medium"},
		"unknown system": {map[string]string{"compute_os": "windows-2016", "windows_iso": iso, "windows_activation": "none"}, "There is no system windows-2016: expected one of windows, windows-2019, windows-2022, windows-2025."},
		"little memory":  {map[string]string{"compute_memory": "2GiB", "windows_iso": iso, "windows_activation": "none"}, "A Windows node needs 4GiB of memory at least: bare-libv-te-01 has 2GiB."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "bare-libvirt-1-1-1")
			o.Vars = map[string]string{"compute_os": "windows"}
			for key, value := range c.vars {
				o.Vars[key] = value
			}
			report := engine.Validate(t.Context(), o)
			err := report.Diagnostics.Err()
			if err == nil || !report.Invalid || len(report.Diagnostics) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s and nothing else", err, c.want)
			}
		})
	}
}
