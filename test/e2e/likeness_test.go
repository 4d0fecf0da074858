package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// preparedImages deploys the spec of a cluster of stock images once more, with nodes of the lab's own
// image, which has everything in it that nodes need. What the nodes are is the same. stock says what
// those of stock images were.
func preparedImages(t *testing.T, k *kinit, stock map[string]string, before map[string]map[string]bool) {
	spec := []string{"k8s-podman-1-1-1", "--hosts", "nyctea"}
	run := slices.Concat([]string{"run"}, spec, []string{
		"--var", `node_image={ name = "` + preparedImage(t) + `", archive = "/srv/kinit/node.tar" }`, "--var", "kubernetes_preinstalled=true",
	})
	step(t, "nodes of a prepared image are Ready, without what stock images lack", func(t *testing.T) {
		r := k.must(t, append(run, "--output", "json")...)
		bothReady(t, r)
		for _, e := range r.events {
			if e.Kind == "task_finished" && e.Status != "skipped" && strings.HasPrefix(e.Task, "task.download.kubernetes") {
				t.Errorf("%s is done, and the image has the programs", e.Task)
			}
		}
	})
	step(t, "nodes of a prepared image and those of a stock image are the same", func(t *testing.T) {
		prepared := nodesAre(t, k, spec, "nyctea", "nyctea")
		for node := range prepared {
			if diff := cmp.Diff(stock[node], prepared[node]); diff != "" {
				t.Errorf("%s (-stock +prepared):\n%s", node, diff)
			}
		}
	})
	step(t, "the clean-up of nodes of a prepared image leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})
}

// preparedImage is the name of the image that a lab's nodes have if it is not a stock lab.
func preparedImage(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(on(t, "nyctea", "cat /srv/kinit/node.ref"))
}

// nodesAre says what a controller and a compute node are, by their names; each is on a hypervisor.
func nodesAre(t *testing.T, k *kinit, spec []string, controllerOn, computeOn string) map[string]string {
	t.Helper()
	api := newAPI(t, k, spec)
	are := map[string]string{}
	for node, host := range map[string]string{"k8s-podman-controller-01": controllerOn, "k8s-podman-compute-01": computeOn} {
		said := on(t, host, "podman exec "+node+" sh -c '"+lookAtNode+"'") + api.node(t, node)
		for _, differs := range differing {
			said = differs.is.ReplaceAllString(said, differs.as)
		}
		are[node] = said
	}
	return are
}

// differing is what differs between two deployments of one spec.
var differing = []struct {
	what string
	is   *regexp.Regexp
	as   string
}{
	{"a cluster's password of its registry", regexp.MustCompile(`Basic [A-Za-z0-9+/=]+`), "Basic PASSWORD"},
	{"a token, for joining or for a pod", regexp.MustCompile(`token: \S+`), "token: TOKEN"},
	{"keys and certificates", regexp.MustCompile(`(-data): \S+`), "$1: DATA"},
	{"the card at the end of a tunnel between nodes", regexp.MustCompile(`\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b`), "MAC"},
	{"a unit that comes with Open vSwitch, which the lab's image has for machines on the overlay", regexp.MustCompile(`(?m)^uuidd\.socket .*\n`), ""},
	{"the id of a machine", regexp.MustCompile(`"(machineID|systemUUID)": "[^"]+"`), `"$1": "ID"`},
}

// lookAtNode prints what a node is: its programs, its files, its settings and its units. There are no
// single quotes in it.
const lookAtNode = `
echo "# programs"
for program in kubelet kubeadm kubectl containerd containerd-shim-runc-v2 ctr runc iptables nft conntrack ethtool socat ipset ebtables; do
  echo "$program $(sha256sum <"$(command -v $program)")"
done
kubelet --version; kubeadm version --output short; containerd --version; runc --version
echo "# network plugins"
(cd /opt/cni/bin/ && sha256sum *)
echo "# packages"
dpkg-query --show containerd runc containernetworking-plugins iptables nftables conntrack ethtool socat ipset ebtables systemd openssh-server kmod iproute2 procps libc6 libseccomp2
echo "# files"
for file in $(find /etc/containerd /etc/cni /etc/kubernetes/manifests /etc/kubernetes/kinit-* /etc/modules-load.d /etc/sysctl.d /etc/crictl.yaml \
  /etc/default/kubelet /etc/systemd/system/kubelet.service* /etc/systemd/system/containerd.service* /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env \
  /var/lib/kubelet/instance-config.yaml /run/flannel/subnet.env ! -type d ! -name "kinit-ca.crt" 2>/dev/null | sort); do
  echo "## $file $(stat --format "%a %U %G" "$file")"
  cat "$file"
done
echo "# settings of the kernel"
sysctl --all 2>/dev/null | grep -E "^(net\.(bridge|ipv4\.(ip_|conf\.(all|default|eth0)|tcp_|neigh\.default)|ipv6\.conf\.(all|default))|vm\.(swap|overcommit|max_map)|kernel\.(panic|pid_max|keys)|fs\.inotify)" | grep -v metrics | sort
swapon --show
echo "# enabled units"
systemctl list-unit-files --state=enabled --no-legend --plain | sort
echo "# running services"
systemctl list-units --type=service --state=active --no-legend --plain | while read -r unit load active sub rest; do echo "$unit $active $sub"; done | sort
echo "# failed units"
systemctl --failed --no-legend --plain
echo "# sshd"
sshd -T | sort
`

// node prints what the API knows of a node, and of the pods that belong to it alone.
func (a *api) node(t *testing.T, name string) string {
	t.Helper()
	type owned struct {
		Metadata struct {
			Name            string
			OwnerReferences []struct{ Kind string }
		}
		Spec struct {
			NodeName   string
			Containers []struct{ Name, Image string }
		}
		Status struct {
			ContainerStatuses []struct{ Name, ImageID string }
		}
	}
	var node struct {
		Metadata struct {
			Labels, Annotations map[string]string
		}
		Spec   map[string]any
		Status struct {
			Capacity, Allocatable map[string]string
			NodeInfo              map[string]any
		}
	}
	var pods struct{ Items []owned }
	read := func(into any, args ...string) {
		if err := json.Unmarshal([]byte(a.get(t, append(args, "--output", "json")...)), into); err != nil {
			t.Fatalf("what the API says of %v: %v", args, err)
		}
	}
	read(&node, "node", name)
	read(&pods, "pods", "--all-namespaces", "--field-selector", "spec.nodeName="+name)
	images := map[string]string{}
	for _, pod := range pods.Items {
		if len(pod.Metadata.OwnerReferences) == 0 || !slices.Contains([]string{"Node", "DaemonSet"}, pod.Metadata.OwnerReferences[0].Kind) {
			continue // it may be on another node the next time
		}
		for _, c := range pod.Spec.Containers {
			images[c.Name] = c.Image
		}
		for _, c := range pod.Status.ContainerStatuses {
			images[c.Name] += " " + c.ImageID
		}
	}
	said, err := json.MarshalIndent(map[string]any{"node": node, "images": images}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return "# API\n" + string(said) + "\n"
}
