package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The cluster whose nodes are containers: three controllers and two compute nodes on two
// hypervisors, whose order means nothing. OVN's router carries packets between their pods.
var wide = []string{"k8s-podman-3-2-2", "--hosts", hostsReversed, "--var", routed}

// narrow is the same cluster before it grows.
var narrow = []string{"k8s-podman-1-1-2", "--hosts", hosts, "--var", routed}

const routed = "pod_network=ovn-routes"

// wideNodes are its nodes.
var wideNodes = []string{"k8s-podman-compute-01", "k8s-podman-compute-02", "k8s-podman-controller-01", "k8s-podman-controller-02", "k8s-podman-controller-03"}

// wideRoutes are the way out and the ways to their pods.
const wideRoutes = `0.0.0.0/0,172.16.0.254
10.244.1.0/24,10.0.0.1
10.244.2.0/24,10.0.0.2
10.244.3.0/24,10.0.0.3
10.244.4.0/24,10.0.0.4
10.244.5.0/24,10.0.0.5
`

// machines exist in the lab beside its hypervisors; windowsMachines do too, and each runs a
// SIMULATED Windows.
const (
	machines        = "m1,m2"
	windowsMachines = "w1,w2"
)

// TestClustersOfContainersAndMachines is the life of clusters whose nodes are containers,
// machines that exist, or both. The steps stand on each other.
func TestClustersOfContainersAndMachines(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--machines", machines, "--windows", buildSimulator(t, k), "--windows-machines", windowsMachines)
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	run := slices.Concat([]string{"run"}, wide)

	const certificates, labels, restarted, leaving = "certificates", "labels and taints", "a restarted hypervisor", "nodes that leave"
	chosen := choose(t, certificates, labels, restarted, leaving)

	killed(t, k, slices.Concat([]string{"run"}, narrow))

	step(t, "a controller and a compute node are Ready", func(t *testing.T) {
		k.must(t, slices.Concat([]string{"run"}, narrow, []string{"--output", "json"})...)
	})
	first := newAPI(t, k, narrow)
	small := newPlaces(t, first, hosts)

	step(t, "nodes may pull and not push", func(t *testing.T) {
		if diff := cmp.Diff("none 401\npull 200\npush 403\nuser 202\n", on(t, "nyctea", askRegistry)); diff != "" {
			t.Errorf("the registry answers (-want +got):\n%s", diff)
		}
	})

	if chosen(certificates) {
		step(t, "certificates of Kubernetes are renewed, and used", func(t *testing.T) {
			renewed(t, k)
		})
	}

	step(t, "two controllers and a compute node join: all are Ready, and those that were there have not changed", func(t *testing.T) {
		var r result
		first.meanwhile(t, "grown", func() { r = k.must(t, append(run, "--output", "json")...) })
		for _, node := range wideNodes {
			if !strings.Contains(r.stdout, node+"=Ready") {
				t.Errorf("%s is not Ready\n%s", node, tail(r.stdout, 3))
			}
		}
		grown(t, small, newPlaces(t, newAPI(t, k, wide), hosts))
	})

	step(t, "the second run changes nothing, in any order of the hypervisors", func(t *testing.T) {
		unchanged(t, k, run)
		unchanged(t, k, []string{"run", wide[0], "--hosts", hosts, "--var", routed})
	})

	step(t, "the overlay's router has a route to the pods of each node, and Kubernetes says the same", func(t *testing.T) {
		routes := on(t, "nyctea", "ovn-nbctl --no-headings --format=csv --columns=ip_prefix,nexthop list Logical_Router_Static_Route | tr -d '\"' | sort")
		if diff := cmp.Diff(wideRoutes, routes); diff != "" {
			t.Errorf("the routes (-want +got):\n%s", diff)
		}
		said := newAPI(t, k, wide).get(t, "nodes", "--output", `go-template={{range .items}}{{.spec.podCIDR}},{{(index .status.addresses 0).address}}{{"\n"}}{{end}}`)
		cidrs := slices.Sorted(strings.Lines("0.0.0.0/0,172.16.0.254\n" + said))
		if diff := cmp.Diff(wideRoutes, strings.Join(cidrs, "")); diff != "" {
			t.Errorf("the nodes' podCIDR (-want +got):\n%s", diff)
		}
	})

	step(t, "a hypervisor that has nodes is not left out", func(t *testing.T) {
		r := k.call(t, "run", "k8s-podman-1-1-1", "--hosts", "nyctea", "--var", routed)
		r.refuses(t, 1, `The cluster "k8s-podman" has on tyto: k8s-podman-compute-01, k8s-podman-controller-02.`, "name it by --hosts too")
	})

	step(t, "commands run on a node, through its host key and in its console", func(t *testing.T) {
		r := k.call(t, slices.Concat([]string{"ssh"}, wide, []string{"k8s-podman-compute-02", "--", "sh", "-c", "hostname; exit 7"})...)
		if r.code != 7 || r.stdout != "k8s-podman-compute-02\n" {
			t.Errorf("exit %d, printed %q\n%s", r.code, r.stdout, r.stderr)
		}
		if said := console(t, k, "k8s-podman-compute-01", "hostname; exit"); !strings.Contains(said, "root@k8s-podman-compute-01") {
			t.Errorf("the console said %q", said)
		}
	})

	step(t, "people work with the cluster on the hypervisor of its services", func(t *testing.T) {
		r := k.call(t, slices.Concat([]string{"ssh"}, wide, []string{"services", "--", "kubectl", "get", "nodes", "--output", "jsonpath={.items[*].metadata.name}"})...)
		if want := strings.Join(wideNodes, " "); r.code != 0 || r.stdout != want {
			t.Errorf("exit %d, printed %q, want %q\n%s", r.code, r.stdout, want, r.stderr)
		}
	})

	step(t, "a status says that all is as declared, and names what is not", func(t *testing.T) {
		status(t, k, wide)
	})

	step(t, "a service that ends begins again", func(t *testing.T) {
		if got := on(t, "nyctea", endedServices); got != "dns healthy\nhaproxy healthy\nregistry healthy\nweb healthy\n" {
			t.Errorf("after their end the services are\n%s", got)
		}
		unchanged(t, k, run)
	})

	api := newAPI(t, k, wide)

	step(t, "nothing to join with is left", func(t *testing.T) {
		// Kubernetes looks for tokens that are over once a minute at the latest.
		api.none(t, "secrets", "--namespace", "kube-system", "--output", "name")
	})

	if chosen(labels) {
		step(t, "labels and taints of the spec are given to nodes that have joined, and taken from them", func(t *testing.T) {
			settings(t, k, api, run)
		})
	}

	step(t, "a second services pod is refused", func(t *testing.T) {
		r := k.call(t, append(run, "--set", "services.hypervisor=tyto")...)
		want := "The services of cluster k8s-podman run on nyctea, not on tyto, and kinit does not move them yet."
		if r.code == 0 || !strings.Contains(r.stdout+r.stderr, want) {
			t.Errorf("exit %d, and it does not say %q:\n%s", r.code, want, tail(r.stdout+r.stderr, 20))
		}
	})

	if chosen(restarted) {
		step(t, "a hypervisor that was stopped and started brings its nodes back", func(t *testing.T) {
			restart(t, "nyctea")
			api.await(t, wideNodes...)
			unchanged(t, k, run)
		})
	}

	if chosen(leaving) {
		step(t, "a controller that is lost takes no written object with it", func(t *testing.T) {
			loseController(t, api)
		})

		step(t, "nodes leave: one that does not answer only when that is accepted, and nothing that was written is lost", func(t *testing.T) {
			left(t, k, api, small)
		})
	}

	step(t, "clean-up, killed in the middle, leaves nothing", func(t *testing.T) {
		k.until(t, atStep(60), kill, append(run, "--stop-after", "cleanup")...)
		removed(t, k, run)
		asBefore(t, before)
	})

	existing(t, k)
}

// settings gives labels and taints to compute nodes, changes some and takes all of them.
func settings(t *testing.T, k *kinit, api *api, run []string) {
	const show = `go-template={{range .items}}{{.metadata.name}}:{{range $k, $v := .metadata.labels}}{{if or (eq $k "tier") (eq $k "zone")}} {{$k}}={{$v}}{{end}}{{end}}{{range .spec.taints}} {{.key}}={{.value}}:{{.effect}}{{end}}
{{end}}`
	for i, tc := range []struct {
		set  []string
		want string
	}{
		{[]string{`pool.compute.vars.labels={tier="gold", zone="a"}`, `node.compute-02.vars.taints=["gpu=1:PreferNoSchedule"]`},
			"k8s-podman-compute-01: tier=gold zone=a\nk8s-podman-compute-02: tier=gold zone=a gpu=1:PreferNoSchedule\n"},
		{[]string{`pool.compute.vars.labels={tier="silver"}`, `node.compute-02.vars.taints=["gpu=2:PreferNoSchedule"]`},
			"k8s-podman-compute-01: tier=silver\nk8s-podman-compute-02: tier=silver gpu=2:PreferNoSchedule\n"},
		{nil, "k8s-podman-compute-01:\nk8s-podman-compute-02:\n"},
	} {
		with := slices.Clone(run)
		for _, setting := range tc.set {
			with = append(with, "--set", setting)
		}
		k.must(t, with...)
		got := api.get(t, "nodes", "--selector", "!node-role.kubernetes.io/control-plane", "--output", show)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("with %v (-want +got):\n%s", tc.set, diff)
		}
		if i == 0 {
			unchanged(t, k, with)
		}
	}
}

// askRegistry asks the registry without a login, as nodes do, and as its user does.
const askRegistry = `
cd /var/lib/kinit/clusters/k8s-podman
ask() { what=$1; shift; curl --silent --output /dev/null --write-out "$what %{http_code}\n" --cacert registry-ca.crt "$@"; }
ip=$(podman exec kinit-k8s-podman-dns ip -4 -o addr show dev overlay | sed 's/.*inet \([0-9.]*\).*/\1/')
ask none https://$ip:5000/v2/
ask pull --user "nodes:$(cat registry-nodes)" https://$ip:5000/v2/
ask push --user "nodes:$(cat registry-nodes)" --request POST https://$ip:5000/v2/test/blobs/uploads/
ask user --user "kinit:$(cat registry-password)" --request POST https://$ip:5000/v2/test/blobs/uploads/
`

// endedServices kills what the services' containers run, and says whether they are healthy then.
const endedServices = `
for name in dns haproxy registry web; do
	pid=$(podman inspect --format '{{.State.Pid}}' kinit-k8s-podman-$name)
	kill -9 $pid
	for i in $(seq 60); do
		now=$(podman inspect --format '{{.State.Pid}}' kinit-k8s-podman-$name)
		[ $now = 0 ] || [ $now = $pid ] || ! podman healthcheck run kinit-k8s-podman-$name >/dev/null 2>&1 || { echo $name healthy; break; }
		sleep 1
	done
done
`

// killed kills a deployment at several places of its work, and starts it again each time; "make kills" has
// every place.
func killed(t *testing.T, k *kinit, run []string) {
	step(t, "killed on the way", func(t *testing.T) {
		chosen := choose(t, "task 75", "task 150", "task 210")
		for _, place := range []int{75, 150, 210} {
			if chosen(fmt.Sprint("task ", place)) {
				k.until(t, after(place), kill, run...)
			}
		}
	})
}

// existing is the part of machines that exist: in a cluster with containers, with Linux and
// with a simulated Windows, and alone.
func existing(t *testing.T, k *kinit) {
	smaller := []string{"k8s-podman-1-1-1", "--hosts", hosts, "--var", `compute_hosts=["m1","w1"]`}
	larger := []string{"k8s-podman-1-1-1", "--hosts", hosts, "--var", `compute_hosts=["m1","w1","w2"]`}
	const further, single = "a further machine with Windows", "machines alone"
	chosen := choose(t, further, single)
	spec := smaller
	if chosen(further) {
		spec = larger
	}
	mixed := slices.Concat([]string{"run"}, spec)
	alone := []string{"run", "k8s-host-1-1-1", "--hosts", "tyto", "--var", `controller_hosts=["m1"]`, "--var", `compute_hosts=["m2"]`}
	before := map[string]string{"m1": machine(t, "m1"), "m2": machine(t, "m2")}
	windowsBefore := map[string]string{}
	for _, name := range strings.Split(windowsMachines, ",") {
		withContainers(t, k, larger, name)
		windowsBefore[name] = powershell(t, k, larger, name, windowsFacts)
	}
	same := func(t *testing.T) {
		for name, was := range before {
			if is := machine(t, name); is != was {
				t.Errorf("%s is not as it was:\n%s\nbefore:\n%s", name, is, was)
			}
		}
	}

	step(t, "machines with Linux and with a simulated Windows join a cluster of containers", func(t *testing.T) {
		allJoined(t, k, smaller, "k8s-podman-controller-01=Ready m1=Ready w1=Ready", "w1: "+simulated)
	})

	if chosen(further) {
		step(t, "a further machine with Windows joins when nothing to join with is left", func(t *testing.T) {
			newAPI(t, k, smaller).none(t, "secrets", "--namespace", "kube-system", "--field-selector", "type=bootstrap.kubernetes.io/token", "--output", "name")
			allJoined(t, k, larger, "k8s-podman-controller-01=Ready m1=Ready w1=Ready w2=Ready", "w2: "+simulated)
		})
	}

	step(t, "the second run of a cluster of containers and machines changes nothing", func(t *testing.T) { unchanged(t, k, mixed) })

	step(t, "a machine is in one cluster", func(t *testing.T) {
		r := k.call(t, "run", "bare-host-0-1-1", "--hosts", "tyto", "--var", `compute_hosts=["m1"]`, "--stop-after", "validate", "--output", "quiet")
		r.refuses(t, 1, `this machine is a node of the cluster "k8s-podman"`)
		r = k.call(t, "run", "bare-host-0-1-1", "--hosts", "tyto", "--var", `compute_hosts=["w1"]`, "--stop-after", "validate", "--output", "quiet")
		r.refuses(t, 1, `this machine is a node of the cluster "k8s-podman"`)
	})

	step(t, "clean-up takes back what was done to the machines", func(t *testing.T) {
		removed(t, k, mixed)
		same(t)
		for name, was := range windowsBefore {
			if is := powershell(t, k, larger, name, windowsFacts); is != was {
				t.Errorf("%s is not as it was:\n%s\nbefore:\n%s", name, is, was)
			}
			for line := range strings.Lines(podmanLogs(t, name)) {
				if strings.Contains(line, "simulator: ") {
					t.Errorf("%s: %s", name, strings.TrimSpace(line))
				}
			}
		}
	})

	if chosen(single) {
		step(t, "machines alone are a cluster without an overlay", func(t *testing.T) {
			r := k.must(t, append(alone, "--output", "json")...)
			if !strings.Contains(r.stdout, "m1=Ready m2=Ready") {
				t.Errorf("not both nodes are Ready\n%s", tail(r.stdout, 3))
			}
			if bridges := strings.TrimSpace(on(t, "tyto", "ovs-vsctl list-br")); bridges != "br-phy" {
				t.Errorf("there are the bridges %q", bridges)
			}
			unchanged(t, k, alone)
			removed(t, k, alone)
			same(t)
		})
	}
}

// simulated is how a machine with the simulated Windows names its system.
const simulated = "Windows Server 2025 Datacenter (simulated by kinit)"

// allJoined deploys a cluster whose output says all of this.
func allJoined(t *testing.T, k *kinit, spec []string, said ...string) {
	t.Helper()
	r := k.must(t, slices.Concat([]string{"run"}, spec, []string{"--output", "json"})...)
	for _, want := range said {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
		}
	}
}

// machine is what a deployment could leave on a machine that exists. Folders that
// Kubernetes' programs make for themselves may stay when they are empty.
func machine(t *testing.T, name string) string {
	t.Helper()
	return inside(t, "kinit-"+labName+"-"+name, name, `
find /etc /var/lib/kinit /var/lib/kubelet /var/lib/etcd /opt/cni ! -type d 2>/dev/null | sort
systemctl list-unit-files --state=enabled --no-legend --plain | sed 's/ .*//'
systemctl is-active containerd.service
sha256sum /etc/hosts /etc/containerd/config.toml 2>/dev/null
ip -4 route show
ip -o link show | sed 's/^[0-9]*: \([^:@]*\).*/\1/' | sort
ip rule show
`)
}

// windowsFacts is what a deployment could leave on a machine with Windows.
const windowsFacts = `
function Get-Below([string] $Folder) {
    foreach ($path in [IO.Directory]::GetFileSystemEntries($Folder)) {
        $path
        if ([IO.Directory]::Exists($path)) { Get-Below $path }
    }
}
[IO.Directory]::GetFileSystemEntries('C:\')
Get-Below 'C:\ProgramData'
Get-Below 'C:\Program Files'
$hosts = 'C:\Windows\System32\drivers\etc\hosts'
if ([IO.File]::Exists($hosts)) { [IO.File]::ReadAllText($hosts) } else { 'no hosts file' }
(Get-Service).Name
(Get-NetFirewallRule).Name
(Get-ScheduledTask).TaskName
(Get-HnsNetwork).Name
(Get-MpPreference).ExclusionProcess
(Get-MpPreference).ExclusionPath
[Environment]::GetEnvironmentVariable('Path', 'Machine')
"node name: $([Environment]::GetEnvironmentVariable('NODE_NAME', 'Machine'))"
[Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('SOFTWARE').GetSubKeyNames()
& route.exe print -4
`

// powershell runs a script on a machine with Windows, as kinit reaches it.
func powershell(t *testing.T, k *kinit, spec []string, name, script string) string {
	t.Helper()
	return k.must(t, slices.Concat([]string{"ssh"}, spec, []string{name, "--", script})...).stdout
}

// withContainers installs the feature Containers, which stays at clean-up: so it is there
// before what is compared.
func withContainers(t *testing.T, k *kinit, spec []string, name string) {
	t.Helper()
	powershell(t, k, spec, name, "$null = Install-WindowsFeature -Name Containers")
	ask := func(script string) result {
		return k.call(t, slices.Concat([]string{"ssh"}, spec, []string{name, "--", script})...)
	}
	ask("& shutdown.exe /r /t 0") // its answer may be lost
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		if r := ask("(Get-WindowsFeature -Name Containers).InstallState.ToString()"); strings.TrimSpace(r.stdout) == "Installed" {
			return
		}
	}
	t.Fatalf("%s does not have the feature Containers a minute after its restart", name)
}

// podmanLogs is what a container of the lab has said.
func podmanLogs(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "podman", "logs", container(name)).CombinedOutput()
	if err != nil {
		t.Fatalf("podman logs: %v\n%s", err, out)
	}
	return string(out)
}

// unchanged runs a spec that is deployed.
func unchanged(t *testing.T, k *kinit, run []string) {
	t.Helper()
	if changed := k.must(t, append(run, "--output", "json")...).finished("changed"); len(changed) > 0 {
		t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
	}
}

// removed cleans a spec up.
func removed(t *testing.T, k *kinit, run []string) {
	t.Helper()
	r := k.must(t, append(run, "--stop-after", "cleanup")...)
	if !hasLine(r.stdout, "leftovers", "0") {
		t.Errorf("no \"leftovers = 0\":\n%s", tail(r.stdout, 12))
	}
}

// console types a line at a node's console, on a terminal, and returns what came back.
func console(t *testing.T, k *kinit, node, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := strings.Join(slices.Concat([]string{k.bin, "console"}, wide[:1], []string{node}, wide[1:]), " ")
	cmd := k.command(ctx)
	cmd.Path, cmd.Args = "/usr/bin/script", []string{"script", "--quiet", "--return", "--command", command, "/dev/null"}
	cmd.Stdin = strings.NewReader(line + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("console: %v\n%s", err, out)
	}
	return string(out)
}

// restart stops a hypervisor of the lab as at a shutdown, and starts it again.
func restart(t *testing.T, host string) {
	t.Helper()
	for _, argv := range [][]string{{"stop", "--time", "20", container(host)}, {"start", container(host)}} {
		if out, err := exec.CommandContext(t.Context(), "podman", argv...).CombinedOutput(); err != nil {
			t.Fatalf("podman %s: %v\n%s", argv[0], err, out)
		}
	}
}

// loseController writes objects through the load balancer while a controller is removed
// for good.
func loseController(t *testing.T, api *api) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan writes, 1)
	go func() { done <- api.write(ctx, "written") }()
	api.written(t, 5)
	progress(t, "lose k8s-podman-controller-02")
	on(t, "tyto", "podman rm --force --volumes --time 0 k8s-podman-controller-02")
	lost := time.Now()
	api.written(t, 20)
	stop()
	all := <-done
	if gap := all.gap(lost); gap > 30*time.Second {
		t.Errorf("the API was away for %s", gap)
	}
	api.has(t, all)
}

// api is the cluster's API, from this machine through the load balancer.
type api struct {
	kubectl, kubeconfig string
	context             string        // of the kubeconfig; empty for the one that it chooses
	count               chan struct{} // one for each object that was written
}

func newAPI(t *testing.T, k *kinit, spec []string) *api {
	t.Helper()
	r := k.must(t, slices.Concat([]string{"kubeconfig"}, spec)...)
	a := &api{kubectl: kubectl(t), kubeconfig: filepath.Join(t.TempDir(), "kc"), count: make(chan struct{}, 10000)}
	if err := os.WriteFile(a.kubeconfig, []byte(r.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *api) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, a.kubectl, append([]string{"--kubeconfig", a.kubeconfig, "--context", a.context, "--request-timeout", "5s"}, args...)...)
}

// get asks until the API answers.
func (a *api) get(t *testing.T, args ...string) string {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		out, err := a.command(t.Context(), append([]string{"get"}, args...)...).CombinedOutput()
		if said = string(out); err == nil {
			return said
		}
	}
	t.Fatalf("the API does not answer:\n%s", said)
	return ""
}

// none waits until there is none of what is asked for.
func (a *api) none(t *testing.T, args ...string) {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		if said = a.get(t, args...); said == "" {
			return
		}
	}
	t.Errorf("%s: after %s there is still\n%s", strings.Join(args, " "), apiPatience, said)
}

// await waits until nodes are Ready.
func (a *api) await(t *testing.T, nodes ...string) {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(apiPatience); time.Now().Before(deadline); time.Sleep(time.Second) {
		said = a.get(t, "nodes", "--no-headers")
		if !slices.ContainsFunc(nodes, func(node string) bool { return !hasLine(said, node, " Ready ") }) {
			return
		}
	}
	t.Errorf("not all nodes are Ready after %s:\n%s", apiPatience, said)
}

// writes are the objects whose writing was acknowledged, and when.
type writes struct {
	names []string
	at    []time.Time
	away  time.Duration // between writes that had others in between which were not acknowledged
}

// write makes one object after the other until ctx ends.
func (a *api) write(ctx context.Context, prefix string) writes {
	var w writes
	failed, last := false, time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("%s-%04d", prefix, i)
		if a.command(ctx, "create", "configmap", name, "--namespace", "default").Run() != nil {
			failed = true
			continue
		}
		now := time.Now()
		if failed {
			w.away += now.Sub(last)
		}
		failed, last = false, now
		w.names, w.at = append(w.names, name), append(w.at, now)
		a.count <- struct{}{}
	}
	return w
}

// has checks that all that was written is there.
func (a *api) has(t *testing.T, w writes) {
	t.Helper()
	there := a.get(t, "configmaps", "--namespace", "default", "--output", "name")
	for _, name := range w.names {
		if !strings.Contains(there, "configmap/"+name+"\n") {
			t.Errorf("%s was written and is lost", name)
		}
	}
}

// meanwhile writes objects while something is done, checks that none is lost, and returns for how
// long in sum none could be written.
func (a *api) meanwhile(t *testing.T, prefix string, do func()) time.Duration {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan writes, 1)
	go func() { done <- a.write(ctx, prefix) }()
	a.written(t, 3)
	do()
	for len(a.count) > 0 {
		<-a.count
	}
	a.written(t, 3)
	stop()
	all := <-done
	a.has(t, all)
	progress(t, "%s: %d objects were written, and the API was away for %s in sum", prefix, len(all.names), all.away.Round(100*time.Millisecond))
	return all.away
}

// written waits until so many more objects are written.
func (a *api) written(t *testing.T, n int) {
	t.Helper()
	late := time.After(apiPatience)
	for range n {
		select {
		case <-a.count:
		case <-late:
			t.Fatalf("nothing was written for %s", apiPatience)
		}
	}
}

// gap is the longest time between two writes from a moment on.
func (w writes) gap(from time.Time) time.Duration {
	last, longest := from, time.Duration(0)
	for _, at := range w.at {
		if at.After(from) {
			longest, last = max(longest, at.Sub(last)), at
		}
	}
	return longest
}
