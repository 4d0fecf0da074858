package examples

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
)

// What a cluster cannot be is refused before any host is asked.
func TestAClusterThatCannotBeIsRefusedBeforeAnyHostIsAsked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		spec string
		vars map[string]string
		set  []string
		want string // empty where it is valid
	}{
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "latest"}, nil,
			`"latest" is no version of Kubernetes, such as v1.34.4. kinit is tested with v1.34.`},
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.30.2"}, nil,
			"Kubernetes v1.30.2 is too old: its kubeadm does not read the files that kinit writes, which v1.31 and later ones do. kinit is tested with v1.34."},
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.35.0", "allow_unpinned": "true"}, nil,
			"Kubernetes v1.35.0 was not tested with kinit, which is tested with v1.34. Allow it by --var allow_untested=true."},
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.35.0", "allow_unpinned": "true", "allow_untested": "true"}, nil, ""},
		{"k8s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.34.3"}, nil,
			"The images of Kubernetes v1.34.3 have no digests that they could be held to; those of v1.34.4 have. Give container_images, or allow it by --var allow_unpinned=true."},
		{"k8s-libvirt-1-1-1", map[string]string{"compute_os": "windows", "windows_iso": `{url = "file:///w.iso"}`, "windows_activation": "none", "windows_payloads": `{kubernetes = {url = "https://mirror.example/v1.35.1/node.tar.gz"}}`}, nil,
			"Windows nodes have Kubernetes v1.35.1, the control plane has v1.34.4: a kubelet may be up to three minor versions older and never newer. Change windows_payloads.kubernetes or kubernetes_version."},
		{"k8s-libvirt-1-1-1", map[string]string{"compute_os": "windows", "windows_iso": `{url = "file:///w.iso"}`, "windows_activation": "none", "windows_payloads": `{kubernetes = {url = "https://mirror.example/v1.31.9/node.tar.gz"}}`}, nil, ""},
		{"k3s-podman-1-1-1", map[string]string{"kubernetes_version": "v1.34.4"}, nil,
			`"v1.34.4" is no version of Kubernetes, such as v1.34.4+k3s1. kinit is tested with none of its versions.`},
		{"rke2-podman-1-1-1", map[string]string{"kubernetes_version": "v1.31.9+rke2r1"}, nil,
			"rke2 v1.31.9+rke2r1 is too old: it does not read the settings of kubelets that kinit writes, which v1.32 and later ones do."},
		{"k3s-libvirt-1-1-1", map[string]string{"compute_os": "windows", "windows_iso": `{url = "file:///w.iso"}`, "windows_activation": "none"}, nil,
			"Clusters of k3s have no nodes with Windows here: k3s-libvi-te-01. Give the pool another os, or take k8s."},
		{"k3s-podman-1-1-1", map[string]string{"pod_network": "calico-vxlan"}, nil,
			`This distribution has no pod_network = "calico-vxlan". It has flannel-vxlan, flannel-host-gw.`},
		{"k3s-podman-1-1-1", map[string]string{"pod_network": "flannel-host-gw"}, nil, ""},
		{"k3s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes"}, nil,
			`This distribution has no pod_network = "ovn-routes". It has flannel-vxlan, flannel-host-gw.`},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes"}, nil, ""},
		{"k8s-libvirt-1-1-1", map[string]string{"pod_network": "ovn-routes", "compute_os": "windows", "windows_iso": `{url = "file:///w.iso"}`, "windows_activation": "none"}, nil,
			`With pod_network = "ovn-routes" nodes run Linux: k8s-libvi-te-01 runs Windows. Set pod_network to "flannel-vxlan".`},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes", "compute_hosts": `["b"]`}, nil,
			`With pod_network = "ovn-routes" all nodes are on the overlay, whose router knows their pods: b is beside it. Give the pool overlay = true, or set pod_network to "flannel-vxlan".`},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes", "compute_hosts": `["b"]`, "compute_overlay": "true"}, nil, ""},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes", "pod_cidr": "10.244.0.0/18"}, nil,
			`With pod_network = "ovn-routes" each address of the nodes' network 10.0.0.0/24 has a subnet of the pods' network, so pod_cidr has a prefix of 17 or less, and the kubelet's 110 pods have room in a subnet. It is 10.244.0.0/18.`},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes", "pod_cidr": "10.244.0.0/30"}, nil, "so pod_cidr has a prefix of 17 or less"},
		{"k8s-podman-1-1-1", map[string]string{"pod_network": "ovn-routes", "pod_cidr": "10.128.0.0/17"}, nil, ""},
		{"rke2-podman-1-1-1", map[string]string{"pod_network": "flannel-host-gw"}, nil,
			`This distribution has no pod_network = "flannel-host-gw". It has flannel-vxlan.`},
		{"rke2-podman-1-1-1", map[string]string{"compute_hosts": `["b"]`, "compute_overlay": "true"}, nil,
			"The network of rke2's pods would not be on the overlay of these machines: b. Leave overlay out of their pool, or take k3s or k8s."},
		{"k3s-podman-1-1-1", map[string]string{"compute_hosts": `["b"]`, "compute_overlay": "true"}, nil, ""},
		{"k8s-podman-1-1-1", map[string]string{"pod_cidr": "10.0.0.0/8"}, nil,
			"Networks of the cluster have addresses in common: network_cidr 10.0.0.0/24 and pod_cidr 10.0.0.0/8; pod_cidr 10.0.0.0/8 and service_cidr 10.96.0.0/12. Choose others, as by --var pod_cidr=10.200.0.0/16."},
		{"k8s-libvirt-1-1-1", nil, []string{"network.cidr=10.96.3.0/24"},
			"Networks of the cluster have addresses in common: network_cidr 10.96.3.0/24 and service_cidr 10.96.0.0/12."},
		{"k8s-podman-1-1-1", map[string]string{"pod_cidr": "fd00::/64", "service_cidr": "all"}, nil,
			`Each network of a cluster is one of IPv4, such as 10.244.0.0/16: pod_cidr is "fd00::/64", service_cidr is "all".`},
		{"k8s-libvirt-1-1-1", map[string]string{"compute_os": "ubuntu-20.04"}, nil,
			`No nodes can be made with the os "ubuntu-20.04" of pool compute. Give one of centos-stream-10, centos-stream-9, debian-12, debian-13, ubuntu-22.04, ubuntu-24.04; linux is debian-12.`},
		{"k8s-libvirt-1-1-1", map[string]string{"compute_os": "centos-stream-9", "allow_unpinned": "true"}, nil,
			`Kubernetes needs packages that the os "centos-stream-9" of pool compute does not have in its repositories: containerd is in none of CentOS' own. Use an os of debian-12, debian-13, ubuntu-22.04, ubuntu-24.04; clusters of the distribution bare can have it.`},
		{"bare-podman-1-1-1", map[string]string{"allow_unpinned": "true"}, []string{"pool.compute.os=centos-stream-10"},
			`Nodes that are containers cannot have the os "centos-stream-10" of pool compute: kinit builds their image with apt. Use the driver libvirt, or an os of debian-12, debian-13, ubuntu-22.04, ubuntu-24.04.`},
		{"bare-libvirt-1-1-1", map[string]string{"compute_os": "centos-stream-10", "allow_unpinned": "true"}, nil, ""},
		{"bare-podman-1-1-1", nil, []string{"pool.compute.os=fedora"},
			`No nodes can be made with the os "fedora" of pool compute.`},
		{"k8s-libvirt-3-2-1", map[string]string{"compute_os": "debian-13"}, []string{"pool.controller.os=ubuntu-24.04"}, ""},
		{"k8s-podman-1-1-1", nil, []string{`pool.compute.vars.labels={"a b"="c", tier="gold"}`}, "These are no labels that Kubernetes takes: a b=c."},
		{"k8s-podman-1-1-1", nil, []string{`pool.compute.vars.taints=["gpu", "gpu:NoSchedule", "a=b:Never"]`},
			"These are no taints, such as gpu=yes:NoSchedule, PreferNoSchedule or NoExecute: gpu, a=b:Never."},
		{"k8s-podman-1-1-1", nil, []string{"pool.compute.vars.taints=gpu:NoSchedule", "node.controller-01.vars.labels=5"},
			`vars of a node are labels = { name = "value" }, taints = ["name=value:NoSchedule"] and kubelet = { setting = value }; those of k8s-podman-compute-01, k8s-podman-controller-01 are not.`},
		{"k8s-libvirt-1-1-1", nil, []string{`pool.compute.vars.disks=["10GiB"]`, `pool.compute.vars.nics=[{bridge="br0", dhcp=true}]`, `node.compute-01.vars.pci_devices=["0000:03:00.0"]`}, ""},
		{"k8s-libvirt-1-1-1", nil, []string{"pool.compute.vars.disks=10GiB", `node.controller-01.vars.nics=[{dhcp=true}]`},
			`vars of a guest are disks = ["20GiB"], nics = [{ bridge = "br0" }] and pci_devices = ["0000:03:00.0"]; those of k8s-libvirt-compute-01, k8s-libvirt-controller-01 are not.`},
		{"k8s-podman-1-1-1", nil, []string{`pool.compute.vars.disks=["10GiB"]`}, "Only guests of libvirt have disks, nics and pci_devices in their vars: k8s-podman-compute-01 are none."},
		{"k8s-podman-1-1-1", map[string]string{"mirror_images": `["quay.io/team/app:1", "team/app:1"]`}, nil,
			"The cluster's registry knows images by what follows the first slash of their names, which these have in common: docker.io/team/app:1 and quay.io/team/app:1."},
		{"k8s-podman-1-1-1", map[string]string{"mirror_images": `["nginx:1.27", "https://quay.io/a:1", "nginx", "mirror.example:5000/app"]`}, nil,
			"These are no names of images with a tag or a digest, such as mirror.example:5000/team/app:1.0: https://quay.io/a:1, nginx, mirror.example:5000/app."},
		{"k8s-podman-1-1-1", map[string]string{"service_health": `{ proxy = ["true"] }`}, nil, "The services are haproxy, dns, registry and web, not proxy."},
		{"k8s-podman-1-1-1", map[string]string{"addons": `["metrics", "local-path", "storage"]`}, nil,
			`There is no addon "metrics", "storage". The addons are ingress, local-path, metrics-server, nfs, node-problem-detector.`},
		{"k3s-podman-1-1-1", map[string]string{"addons": `["local-path", "local-path"]`}, nil, "The variable addons names one twice: local-path, local-path."},
		{"k8s-podman-1-1-1", map[string]string{"addons": `["nfs"]`}, nil, "The addon nfs needs a file server. Name it, as by --var 'nfs={ server ="},
		{"k8s-podman-1-1-1", map[string]string{"nfs": `{ server = "files.example.org", path = "export" }`}, nil,
			"A file server has a name or an address, and a path that begins with /."},
		{"k8s-podman-1-2-1", nil, []string{"pool.compute.os=ubuntu-22.04", "cluster.name=blue", "services.hypervisor=a", "node.blue-compute-02.memory=1GiB"}, ""},
	} {
		o := options(t, tc.spec)
		o.Hosts, o.Set = []string{"a"}, tc.set
		for name, value := range tc.vars {
			o.Vars[name] = value
		}
		err := engine.Validate(t.Context(), o).Diagnostics.Err()
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s %v %v: %v", tc.spec, tc.vars, tc.set, err)
		case tc.want != "" && (err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tc.want))):
			t.Errorf("%s %v %v: error %v, want %s", tc.spec, tc.vars, tc.set, err, tc.want)
		}
	}
}

func TestAClusterWithoutControllersHasOneErrorThatSaysSo(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"k8s-podman-0-1-1", "eksd-libvirt-0-2-1", "k3s-podman-0-1-1", "rke2-podman-0-1-1", "k8s-podman-0-0-1", "k3s-libvirt-0-0-1"} {
		var errors []string
		for _, d := range engine.Validate(t.Context(), options(t, spec)).Diagnostics {
			if !d.Warning {
				errors = append(errors, d.Detail)
			}
		}
		want := []string{"The cluster would have no controller. Give it at least one; --recreate recreates the whole cluster."}
		if diff := cmp.Diff(want, errors); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", spec, diff)
		}
	}
}
