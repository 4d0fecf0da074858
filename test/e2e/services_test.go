//go:build life

package e2e

import (
	"bufio"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A cluster whose services are on one hypervisor, and on both.
var (
	single = []string{"k8s-podman-1-1-2", "--hosts", hosts}
	double = []string{"k8s-podman-1-1-2", "--hosts", hosts, "--set", "services.count=2"}
)

// servicesAddress is by what everybody finds the services, however many there are.
const servicesAddress = "10.0.0.253"

// TestLifeServicesOnSeveralHypervisors lets services grow to two hypervisors and shrink again, and takes
// each of the two away in between.
func TestLifeServicesOnSeveralHypervisors(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	one, two := slices.Concat([]string{"run"}, single), slices.Concat([]string{"run"}, double)
	k.must(t, one...)
	api := newAPI(t, k, single)

	step(t, "a second pod joins, and the address stays", func(t *testing.T) {
		if away := api.meanwhile(t, "second", func() { k.must(t, two...) }); away > mostAway {
			t.Errorf("the API was away for %s in sum, and may be for %s", away, mostAway)
		}
		if holders := holding(t); len(holders) != 1 {
			t.Errorf("%s is on %v, want one hypervisor", servicesAddress, holders)
		}
		unchanged(t, k, two)
	})

	step(t, "both answer by themselves, with the same names and images", func(t *testing.T) {
		for _, ask := range []string{askNames, askImages} {
			first, second := on(t, "nyctea", ask), on(t, "tyto", ask)
			if diff := cmp.Diff(first, second); diff != "" || first == "" {
				t.Errorf("the services of nyctea say %q, those of tyto differ (-nyctea +tyto):\n%s", first, diff)
			}
		}
		servers := on(t, "nyctea", `ovn-nbctl --bare --columns=options find DHCP_Options | tr ' ' '\n' | grep -c '^dns_server={10.0.0.253'`)
		if servers != "1\n" {
			t.Errorf("%s DHCP options name several name servers, the moving address first", strings.TrimSpace(servers))
		}
		s := look(t, k, double, 0)
		var services []string
		for _, c := range s.Services {
			services = append(services, c.Name+" "+strings.Replace(c.State, "starting", "healthy", 1))
		}
		healthy := []string{"dns healthy", "haproxy healthy", "registry healthy", "web healthy"}
		if diff := cmp.Diff(slices.Concat(healthy, healthy), services); diff != "" {
			t.Errorf("the status shows (-want +got):\n%s", diff)
		}
	})

	step(t, "a kubectl outside and a place to work in are on both hypervisors", func(t *testing.T) {
		both := newAPI(t, k, double)
		for _, context := range []string{"k8s-podman", "k8s-podman@tyto"} {
			both.context = context
			if said := both.get(t, "nodes", "--output", "name"); said != "node/k8s-podman-compute-01\nnode/k8s-podman-controller-01\n" {
				t.Errorf("by the context %s the nodes are %q", context, said)
			}
		}
		for _, host := range []string{"services", "services-tyto"} {
			r := k.call(t, slices.Concat([]string{"ssh"}, double, []string{host, "--", "kubectl", "get", "nodes", "--output", "name"})...)
			if r.code != 0 || r.stdout != "node/k8s-podman-compute-01\nnode/k8s-podman-controller-01\n" {
				t.Errorf("%s: exit %d, printed %q\n%s", host, r.code, r.stdout, r.stderr)
			}
		}
	})

	step(t, "another configuration recreates no container and ends no connection", func(t *testing.T) {
		const ids = "podman inspect --format '{{.Name}} {{.Id}} {{.State.StartedAt}}' kinit-k8s-podman-haproxy kinit-k8s-podman-dns"
		was := on(t, "nyctea", ids) + on(t, "tyto", ids)
		watch := watching(t, api)
		changed := append(slices.Clone(two), "--var", `ingress_node_ports={"80"=30080,"443"=30444}`, "--var", `dns_public=["192.0.2.53"]`)
		k.must(t, changed...)
		unchanged(t, k, changed)
		if diff := cmp.Diff(was, on(t, "nyctea", ids)+on(t, "tyto", ids)); diff != "" {
			t.Errorf("containers (-before +after):\n%s", diff)
		}
		watch.lives(t)
		k.must(t, two...)
	})

	for _, way := range []string{"podman pod stop kinit-k8s-podman-services", "podman pod kill kinit-k8s-podman-services"} {
		step(t, "services that end are found elsewhere by the same address: "+way, func(t *testing.T) {
			holder := holding(t)[0]
			other := map[string]string{"nyctea": "tyto", "tyto": "nyctea"}[holder]
			for what, away := range awayMeanwhile(t, other, func() { on(t, holder, way) }) {
				t.Logf("%s was away for %s", what, away)
				if away > mostAway {
					t.Errorf("%s was away for %s, and may be for %s", what, away, mostAway)
				}
			}
			if holders := holding(t); !slices.Equal(holders, []string{other}) {
				t.Errorf("%s is on %v, want %s", servicesAddress, holders, other)
			}
			reach := newAPI(t, k, double)
			if reach.context = "k8s-podman"; other != "nyctea" {
				reach.context += "@" + other
			}
			reach.await(t, "k8s-podman-compute-01", "k8s-podman-controller-01")
			k.must(t, two...)
			unchanged(t, k, two)
			if holders := holding(t); !slices.Equal(holders, []string{other}) {
				t.Errorf("when both are there again, %s is on %v, want %s", servicesAddress, holders, other)
			}
		})
	}

	step(t, "services leave a hypervisor, and nothing of them is left there", func(t *testing.T) {
		if away := api.meanwhile(t, "single", func() { k.must(t, one...) }); away > mostAway {
			t.Errorf("the API was away for %s in sum, and may be for %s", away, mostAway)
		}
		const left = "podman ps --all --format '{{.Names}}' | grep -v -e -compute- -e -controller-; ls /var/lib/kinit/clusters/k8s-podman | grep -e services -e place -e address -e registry; ip -o link | grep ksvc-; ls /etc/systemd/system | grep -e address -e services; true"
		if said := on(t, "tyto", left); said != "" {
			t.Errorf("tyto still has\n%s", said)
		}
		unchanged(t, k, one)
	})

	step(t, "clean-up leaves nothing", func(t *testing.T) {
		k.must(t, two...)
		removed(t, k, two)
		asBefore(t, before)
	})
}

// askNames and askImages ask the services of a hypervisor itself, by its pod.
const (
	inPod = `infra=$(podman pod inspect --format '{{.InfraContainerID}}' kinit-k8s-podman-services 2>/dev/null) &&
pod() { nsenter --net="$(podman inspect --format '{{.NetworkSettings.SandboxKey}}' $infra)" "$@"; } &&
`
	askNames  = inPod + `for name in api registry k8s-podman-controller-01 k8s-podman-compute-01; do pod dig +short @127.0.0.1 $name.k8s-podman.kinit.local; done`
	askImages = inPod + `pod curl --silent 'http://127.0.0.1:5001/v2/_catalog?n=1000'`
)

// holding lists the hypervisors whose pod has the address.
func holding(t *testing.T) (hosts []string) {
	t.Helper()
	for _, host := range []string{"nyctea", "tyto"} {
		if strings.Contains(on(t, host, "{ "+inPod+"pod ip -4 -o addr show dev overlay; } || true"), " "+servicesAddress+"/32 ") {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// probe asks the API, the registry and the name server by their address, again and again, until the file
// ends is there, and prints for how many milliseconds each did not answer, in sum.
const probe = `
now() { date +%s%3N; }
for what in api registry dns; do eval "last_$what=$(now) away_$what=0"; done
note() {
	if [ "$2" = "$3" ]; then eval "[ -z \"\$bad_$1\" ] || away_$1=\$((away_$1 + $(now) - last_$1)); bad_$1= last_$1=$(now)"; else eval "bad_$1=1"; fi
}
bad_api= bad_registry= bad_dns=
until [ -e /root/ends ]; do
	note api 200 "$(curl --silent --insecure --max-time 1 --output /dev/null --write-out '%{http_code}' https://10.0.0.253:6443/readyz)"
	note registry 401 "$(curl --silent --insecure --max-time 1 --output /dev/null --write-out '%{http_code}' https://10.0.0.253:5000/v2/)"
	note dns 10.0.0.253 "$(dig +short +time=1 +tries=1 @10.0.0.253 api.k8s-podman.kinit.local)"
	touch /root/probed
	sleep 0.1
done
for what in api registry dns; do eval "echo \$bad_$what $what \$away_$what"; done
`

// awayMeanwhile does something while a hypervisor asks the services, and returns for how long each
// was away. All of them answer at the end.
func awayMeanwhile(t *testing.T, host string, do func()) map[string]time.Duration {
	t.Helper()
	on(t, host, "rm -f /root/ends /root/probed")
	said := make(chan string, 1)
	cmd := exec.CommandContext(t.Context(), "podman", "exec", container(host), "sh", "-c", probe)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = fmt.Appendf(out, "%v", err)
		}
		said <- string(out)
	}()
	on(t, host, "until [ -e /root/probed ]; do sleep 0.2; done")
	do()
	on(t, host, "until curl --silent --insecure --fail --max-time 1 https://10.0.0.253:6443/readyz >/dev/null; do sleep 0.2; done; sleep 5; touch /root/ends")
	all := map[string]time.Duration{}
	text := <-said
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 2 {
			t.Fatalf("not all services answer again:\n%s", text)
		}
		ms, err := strconv.Atoi(words[1])
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		all[words[0]] = time.Duration(ms) * time.Millisecond
	}
	if len(all) != 3 {
		t.Fatalf("the services say:\n%s", text)
	}
	return all
}

// watch is a connection through the load balancer that stays open.
type watch struct{ ended chan error }

// watching opens one, and waits until something has come through it.
func watching(t *testing.T, api *api) *watch {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), api.kubectl, "--kubeconfig", api.kubeconfig, "get", "namespaces", "--watch", "--output", "name")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("nothing came through the load balancer")
	}
	w := &watch{ended: make(chan error, 1)}
	go func() {
		for lines.Scan() {
		}
		w.ended <- cmd.Wait()
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended by itself
	return w
}

// lives checks that the connection has not ended.
func (w *watch) lives(t *testing.T) {
	t.Helper()
	select {
	case err := <-w.ended:
		t.Errorf("a connection through the load balancer has ended: %v", err)
	default:
	}
}
