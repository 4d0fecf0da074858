package examples

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/ownroot"
	"kinit/engine/transport/transporttest/sshd"
)

// hypervisor is a host with a root of its own, reached over SSH, which has nothing of a cluster but what is known of
// it. It returns the inventory, and a function that runs a script there.
func hypervisor(t *testing.T) (inventory string, run func(script string)) {
	t.Helper()
	need.Root(t, "overlay")
	need.Programs(t, "overlay", "unshare", "nsenter")
	pid, err := ownroot.Start(t, t.TempDir(), os.TempDir())
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	enter := ownroot.Enter(pid)
	s := sshd.Within(t, enter)
	inventory = filepath.Join(t.TempDir(), "inventory.hcl")
	text := fmt.Sprintf("host \"h1\" {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  known_hosts = %q\n}\n", s.Host, s.Port, s.User, s.ClientKey, s.KnownHosts)
	if err := os.WriteFile(inventory, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return inventory, func(script string) {
		t.Helper()
		argv := append(slices.Clone(enter), "sh", "-ec", script)
		if out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// clusterPlanned plans one task of a spec over h1, and returns the name of the cluster and the error.
func clusterPlanned(t *testing.T, inventory, spec string, vars map[string]string, set ...string) (cluster string, err error) {
	t.Helper()
	o := options(t, spec)
	o.Hosts, o.Inventories, o.Set, o.Adopt = []string{"h1"}, []string{inventory}, set, true
	o.Only = []string{"task.directory.root"}
	for name, value := range vars {
		o.Vars[name] = value
	}
	report := engine.Plan(t.Context(), o)
	return report.Cluster, report.Diagnostics.Err()
}

// madeAs writes what a host has of a cluster whose nodes are containers. A fake podman lists them.
func madeAs(name, record string) string {
	return fmt.Sprintf(`mkdir -p /var/lib/kinit/clusters/%[1]s/owned
echo '{"id": "ONE", "by": "alice@ws"}' >/var/lib/kinit/clusters/%[1]s/owned/instance.json
cat >/var/lib/kinit/clusters/%[1]s/cluster.json <<'END'
%[2]s
END
printf '#!/bin/sh\necho %[1]s-controller-01 %[1]s.ONE\necho %[1]s-compute-01 %[1]s.ONE\n' >/usr/local/bin/podman
chmod 755 /usr/local/bin/podman`, name, record)
}

func TestSiblingSpecsNeverMeanTheSameCluster(t *testing.T) {
	t.Parallel()
	inventory, run := hypervisor(t)
	names := func(when string, want map[string]string) {
		t.Helper()
		for spec, name := range want {
			if got, err := clusterPlanned(t, inventory, spec, nil); err != nil || got != name {
				t.Errorf("%s: %s is the cluster %q, want %q: %v", when, spec, got, name, err)
			}
		}
	}
	names("nothing exists", map[string]string{"k8s-podman-1-1-1": "k8s-podman", "k8s-podman-3-2-1": "k8s-podman", "k8s-libvirt-1-1-1": "k8s-libvirt", "bare-podman-1-1-1": "bare-podman"})

	// What kinit made when the name was that of the distribution, and when records had places alone.
	run(madeAs("k8s", `{
  "version": 1,
  "generation": 1,
  "cluster": "k8s",
  "hypervisors": [{"name": "h1", "ip": "10.0.0.252"}],
  "pods": [{"name": "k8s-pod-01", "hypervisor": "h1", "ip": "10.0.0.253"}],
  "nodes": [
    {"name": "k8s-compute-01", "hypervisor": "h1", "ip": "10.0.0.2"},
    {"name": "k8s-controller-01", "hypervisor": "h1", "ip": "10.0.0.1", "leads": true}
  ]
}`))
	names("an older cluster exists", map[string]string{"k8s-podman-1-1-1": "k8s", "k8s-podman-3-2-1": "k8s", "k8s-libvirt-1-1-1": "k8s-libvirt", "eksd-podman-1-1-1": "eksd-podman", "bare-podman-1-1-1": "bare-podman"})
	if got, err := clusterPlanned(t, inventory, "k8s-podman-1-1-1", nil, "cluster.name=k8s-podman"); err != nil || got != "k8s-podman" {
		t.Errorf("--set: %q, %v", got, err)
	}
	for name, test := range map[string]struct {
		spec string
		vars map[string]string
		set  []string
		want string
	}{
		"the driver of a pool":       {"k8s-podman-1-1-1", nil, []string{"pool.compute.driver=libvirt"}, "\n  driver of pool compute: exists podman, requested libvirt\n"},
		"the driver":                 {"k8s-libvirt-1-1-1", nil, []string{"cluster.name=k8s"}, "\n  driver of pool controller: exists podman, requested libvirt\n  driver of pool compute: exists podman, requested libvirt\n"},
		"a forgotten --network_cidr": {"k8s-podman-1-1-1", map[string]string{"network_cidr": "10.7.0.0/24"}, nil, "\n  network: exists one with 10.0.0.2, the address of k8s-compute-01, requested 10.7.0.0/24\n"},
	} {
		if _, err := clusterPlanned(t, inventory, test.spec, test.vars, test.set...); !errors.Is(err, engine.ErrFixed) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClusterKeepsItsDistributionAndItsNetworks(t *testing.T) {
	t.Parallel()
	inventory, run := hypervisor(t)
	run(madeAs("k8s-podman", `{
  "version": 2,
  "generation": 1,
  "cluster": "k8s-podman",
  "instance": "ONE",
  "network": "10.0.0.0/24",
  "fixed": {"distribution": "k8s", "pod_cidr": "10.244.0.0/16", "pod_network": "flannel-vxlan", "service_cidr": "10.96.0.0/12"},
  "hypervisors": [{"name": "h1", "ip": "10.0.0.252"}],
  "pods": [{"name": "k8s-podman-pod-01", "hypervisor": "h1", "ip": "10.0.0.253"}],
  "nodes": [
    {"name": "k8s-podman-compute-01", "pool": "compute", "driver": "podman", "hypervisor": "h1", "ip": "10.0.0.2"},
    {"name": "k8s-podman-controller-01", "pool": "controller", "driver": "podman", "hypervisor": "h1", "ip": "10.0.0.1", "leads": true}
  ]
}`))
	for name, test := range map[string]struct {
		spec string
		vars map[string]string
		set  []string
		want string // "" for no error
	}{
		"other numbers":     {"k8s-podman-3-2-1", nil, nil, ""},
		"the driver":        {"k8s-libvirt-1-1-1", nil, []string{"cluster.name=k8s-podman"}, "driver of pool controller: exists podman, requested libvirt\n  driver of pool compute: exists podman, requested libvirt\n"},
		"the distribution":  {"bare-podman-1-1-1", nil, []string{"cluster.name=k8s-podman"}, "distribution: exists k8s, requested bare\n"},
		"the network":       {"k8s-podman-1-1-1", map[string]string{"network_cidr": "10.7.0.0/24"}, nil, "network: exists 10.0.0.0/24, requested 10.7.0.0/24\n"},
		"the pods' network": {"k8s-podman-1-1-1", map[string]string{"pod_cidr": "10.128.0.0/16", "pod_network": "flannel-host-gw"}, nil, "pod_cidr: exists 10.244.0.0/16, requested 10.128.0.0/16\n  pod_network: exists flannel-vxlan, requested flannel-host-gw\n"},
		"by the cluster":    {"k8s-podman-1-1-1", nil, []string{"cluster.vars.pod_network=ovn-routes"}, "pod_network: exists flannel-vxlan, requested ovn-routes\n"},
		"the services'":     {"k8s-podman-1-1-1", map[string]string{"service_cidr": "10.97.0.0/16"}, nil, "service_cidr: exists 10.96.0.0/12, requested 10.97.0.0/16\n"},
	} {
		_, err := clusterPlanned(t, inventory, test.spec, test.vars, test.set...)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (!errors.Is(err, engine.ErrFixed) || !strings.Contains(err.Error(), "asks for another one of that name:\n  "+test.want+"Nothing was changed.")):
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}
