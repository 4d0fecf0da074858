package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
)

// addresses lists the tasks of a spec on the hosts a, b and c that begin with one of the words.
func addresses(t *testing.T, o engine.Options, words ...string) (found []string) {
	t.Helper()
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, task := range graph.Tasks {
		if slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(task.Address, word) }) {
			found = append(found, task.Address)
		}
	}
	slices.Sort(found)
	return found
}

func TestServicesAreOnAsManyHypervisorsAsAsked(t *testing.T) {
	t.Parallel()
	const pods = `concat([join(",", local.services_hosts), local.services_address, join(",", local.name_servers), join(",", local.moving_address)], [for name, port in local.ports : "${name} ${port.ip}" if strcontains(name, "-pod-")])`
	for _, tc := range []struct {
		spec, hosts string
		set         []string
		want        []string
	}{
		{"k8s-podman-1-1-2", "a,b", nil, []string{"a", "10.0.0.253", "10.0.0.253", "", "k8s-podman-pod-01 10.0.0.253"}},
		{"k8s-podman-1-1-2", "a,b", []string{"services.count=2"}, []string{"a,b", "10.0.0.253", "10.0.0.253,10.0.0.252,10.0.0.251", "10.0.0.253", "k8s-podman-pod-01 10.0.0.252", "k8s-podman-pod-01-02 10.0.0.251"}},
		{"bare-libvirt-1-1-3", "a,b,c", []string{"services.count=2"}, []string{"a,b", "10.0.0.253", "10.0.0.253,10.0.0.252,10.0.0.251", "10.0.0.253", "bare-libvirt-pod-01 10.0.0.252", "bare-libvirt-pod-01-02 10.0.0.251"}},
		{"k8s-libvirt-3-1-3", "a,b,c", []string{"services.count=3"}, []string{"a,b,c", "10.0.0.253", "10.0.0.253,10.0.0.252,10.0.0.251", "10.0.0.253", "k8s-libvirt-pod-01 10.0.0.252", "k8s-libvirt-pod-01-02 10.0.0.251", "k8s-libvirt-pod-01-03 10.0.0.250"}},
		{"k8s-podman-3-2-3", "a,b,c", []string{"services.count=1"}, []string{"a", "10.0.0.253", "10.0.0.253", "", "k8s-podman-pod-01 10.0.0.253"}},
	} {
		o := options(t, tc.spec)
		o.Hosts, o.Set = strings.Split(tc.hosts, ","), tc.set
		if diff := cmp.Diff(tc.want, evaluate(t, o, pods)); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tc.spec, tc.set, diff)
		}
	}
}

func TestEachPodOfServicesHasAllThatOneHas(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-2")
	o.Hosts = []string{"a", "b"}
	words := []string{"task.podman_", "task.copy.service", "task.command.push", "task.x509_certificate.registry", "task.copy.place_kubeconfig", "task.service.address", "task.package.address", "task.command.load_"}
	on := func(list []string, host string) (all []string) {
		for _, address := range list {
			if strings.Contains(address, `["`+host+`"]`) && !strings.Contains(address, "_sweep.") && !strings.Contains(address, ".node") && !strings.Contains(address, ".podman") {
				all = append(all, strings.Replace(address, `["`+host+`"]`, "", 1))
			}
		}
		return all
	}
	single := addresses(t, o, words...)
	if others := on(single, "b"); len(others) > 0 {
		t.Errorf("with one pod, b has %q", others)
	}
	o.Set = []string{"services.count=2"}
	double := addresses(t, o, words...)
	if diff := cmp.Diff(on(double, "a"), on(double, "b")); diff != "" {
		t.Errorf("the two pods differ (-a +b):\n%s", diff)
	}
	want := slices.Concat(on(single, "a"), []string{"task.package.address", "task.service.address"})
	slices.Sort(want)
	if diff := cmp.Diff(want, on(double, "a")); diff != "" {
		t.Errorf("a pod that is not alone has more than one that is (-want +got):\n%s", diff)
	}
}

func TestThePodThatHadTheAddressAloneGivesItUpFirst(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-2")
	o.Hosts, o.Set = []string{"a", "b"}, []string{"services.count=2"}
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	if !waits(graph, `task.service.address["b"]`, `task.ovs_veth.services["a"]`, map[string]bool{}) {
		t.Error("the second pod takes the address while the first one may still have it for itself")
	}
}

func TestServicesBesideAnOverlayAreOnOneHypervisor(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-host-1-1-3")
	inventory := filepath.Join(t.TempDir(), "inventory.hcl")
	if err := os.WriteFile(inventory, []byte(hosts+"host \"m1\" { address = \"192.0.2.4\" }\nhost \"m2\" { address = \"192.0.2.5\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Hosts, o.Inventories = []string{"a", "b", "c"}, []string{inventory}
	o.Vars["controller_hosts"], o.Vars["compute_hosts"] = `["m1"]`, `["m2"]`
	if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	o.Set = []string{"services.count=2"}
	err := engine.Validate(t.Context(), o).Diagnostics.Err()
	if want := "the services have no address that could move from one hypervisor to another, and are on one. Give --set services.count=1."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// podman and the service itself are stood in for.
func TestAServiceReadsItsConfigurationAgainWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		accepts, reads string // commands of the service
		want, did      string
	}{
		"it reads the files at the signal": {"true", "cp wanted loaded", "", "test kill USR2"},
		"it does not accept them":          {"false", "cp wanted loaded", "box does not accept its new configuration and goes on with the one that it has. (exit status 1)", "test"},
		"it does not know the signal":      {"true", "true", "", "test kill USR2 restart"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write := func(file, text string, mode os.FileMode) {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), mode); err != nil {
					t.Fatal(err)
				}
			}
			write("wanted", "two\n", 0o644)
			write("loaded", "\"one\"\n", 0o644)
			write("did", "", 0o644)
			write("podman", "#!/bin/sh\ncd "+folder+`
case $1 in
exec) printf 'test ' >>did; shift 2; exec "$@" ;;
kill) printf 'kill %s ' "$3" >>did; `+tc.reads+` ;;
restart) printf 'restart ' >>did; cp wanted loaded ;;
esac
`, 0o755)
			write("sleep", "#!/bin/sh\n", 0o755)
			run := func(verb, loaded string) string {
				return script(t, []string{"PATH=" + folder + ":/usr/bin:/bin"}, "common/files/reload.sh", verb, "box", "USR2", loaded, tc.accepts, "cat", folder+"/loaded")
			}
			for loaded, want := range map[string]string{"one": "", "two": " (exit status 1)", "file:" + folder + "/wanted": " (exit status 1)", "file:" + folder + "/none": " (exit status 1)"} {
				if got := run("check", loaded); strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("check %s: %q, want %q", loaded, got, want)
				}
			}
			if got := run("reload", "file:"+folder+"/wanted"); got != tc.want {
				t.Errorf("reload: %q, want %q", got, tc.want)
			}
			did, err := os.ReadFile(filepath.Join(folder, "did"))
			if got := strings.TrimSpace(string(did)); err != nil || got != tc.did {
				t.Errorf("it did %q (%v), want %q", got, err, tc.did)
			}
		})
	}
}

// A certificate for another address is of use only when the load balancer has read it.
func TestTheRegistryIsAskedWhenItsNewCertificateIsLoaded(t *testing.T) {
	t.Parallel()
	o := options(t, "k8s-podman-1-1-1")
	o.Hosts = []string{"a"}
	graph, report := engine.Order(t.Context(), o)
	if err := report.Diagnostics.Err(); err != nil {
		t.Fatal(err)
	}
	for _, earlier := range []string{`task.wait.balancer["a"]`, `task.command.load_haproxy["a"]`} {
		if !waits(graph, `task.wait.service["a"]["registry"]`, earlier, map[string]bool{}) {
			t.Errorf("the registry is asked without waiting for %s", earlier)
		}
	}
}
