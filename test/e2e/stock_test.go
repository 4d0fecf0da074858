package e2e

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stockVariable is an environment variable: with "all", there are more distributions, upstream's
// container runtime, and nodes that are guests.
const stockVariable = "KINIT_STOCK"

// TestNodesOfStockImages deploys on nodes that nobody has prepared: their image is Debian's
// own, and packages, programs and images come from mirrors in the layouts of the sites that
// they stand for.
func TestNodesOfStockImages(t *testing.T) {
	t.Run("containers", containersOfStockImages)
	if os.Getenv(stockVariable) == "all" {
		t.Run("guests", guestsOfStockImages)
	}
}

func containersOfStockImages(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", "nyctea", "--machines", "m1", "--drivers", "podman", "--stock")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea")}
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", "nyctea"}
	prepared := on(t, "nyctea", "podman images --format '{{.Repository}}'")
	if strings.Contains(prepared, "docker.io/") {
		t.Fatalf("the hypervisor has images already:\n%s", prepared)
	}

	step(t, "what a mirror lacks is named, with the place and the variable that says it", func(t *testing.T) {
		registry, site := labAddress(5)+":5000", "http://"+labAddress(4)
		for _, tc := range []struct {
			without string // the mirror that is stopped
			more    []string
			want    []string
		}{
			{"registry", nil, []string{"docker.io/library/debian@sha256:", registry, "The variable image_mirrors names another place of its registry"}},
			{"mirror", nil, []string{"Failed to fetch " + site + "/debian/", "The variable debian_mirror names another site"}},
			{"", []string{"--var", "kubernetes_url=" + site + "/nowhere"}, []string{site + "/nowhere/v1.34.4/bin/linux/amd64/kube", "The variable kubernetes_url names another site"}},
		} {
			if tc.without != "" {
				machinePodman(t, "stop", "--time", "1", container(tc.without))
			}
			r := k.call(t, slices.Concat(run, tc.more)...)
			if tc.without != "" {
				machinePodman(t, "start", container(tc.without))
			}
			for _, want := range tc.want {
				if said := r.stdout + r.stderr; r.code == 0 || !strings.Contains(said, want) {
					t.Errorf("without %q: exit %d, and it does not say %q:\n%s", tc.without+strings.Join(tc.more, " "), r.code, want, tail(said, 60))
				}
			}
		}
	})

	withAddons := append(slices.Clone(run), "--var", `addons=["metrics-server", "local-path"]`)
	step(t, "nodes of Debian's image are Ready, and have addons that serve", func(t *testing.T) {
		bothReady(t, k.must(t, append(withAddons, "--output", "json")...))
		const image = "docker.io/library/debian"
		if got := on(t, "nyctea", "podman images --format '{{.Repository}}'"); !slices.Contains(strings.Fields(got), image) {
			t.Errorf("%s was not fetched:\n%s", image, got)
		}
	})
	step(t, "the second run changes nothing", func(t *testing.T) { unchanged(t, k, withAddons) })
	step(t, "addons that are no longer chosen are removed", func(t *testing.T) {
		api := newAPI(t, k, []string{"k8s-podman-1-1-1", "--hosts", "nyctea"})
		const kinds = "apiservices,deployments,persistentvolumes,storageclasses,clusterroles"
		if got := api.get(t, kinds, "--all-namespaces", "--selector", "kinit/addon", "--output", "name"); !strings.Contains(got, "/metrics-server") || !strings.Contains(got, "/local-path") {
			t.Errorf("before there are only\n%s", got)
		}
		k.must(t, run...)
		api.none(t, kinds, "--all-namespaces", "--selector", "kinit/addon", "--output", "name")
		unchanged(t, k, run)
	})
	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})

	if os.Getenv(stockVariable) == "all" {
		upstreamsRuntime(t, k, before)
		anotherDistribution(t, k, before)
	}
}

// anotherDistribution shows that the layer that distributions share holds: the same with another
// vendor's names, tags and layout of its site. The programs are those of the lab.
func anotherDistribution(t *testing.T, k *kinit, before map[string]map[string]bool) {
	other := []string{"run", "eksd-podman-1-1-1", "--hosts", "nyctea"}
	step(t, "another distribution on the same layer is Ready", func(t *testing.T) {
		r := k.must(t, append(other, "--output", "json")...)
		if want := "eksd-compute-01=Ready eksd-controller-01=Ready"; !strings.Contains(r.stdout, want) {
			t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
		}
		for _, image := range []string{"kubernetes/kube-apiserver:v1.34.4", "etcd-io/etcd:v3.5.21", "coredns/coredns:v1.13.2", "kubernetes/pause:v1.34.4"} {
			want := "public.ecr.aws/eks-distro/" + image + "-eks-1-34-17"
			if has := on(t, "nyctea", "podman exec eksd-controller-01 ctr --namespace k8s.io images ls --quiet"); !strings.Contains(has, want) {
				t.Errorf("the controller does not have %s:\n%s", want, has)
			}
		}
	})
	step(t, "its second run changes nothing", func(t *testing.T) { unchanged(t, k, other) })
	step(t, "its clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, other)
		asBefore(t, before)
	})
}

// guestsOfStockImages deploys guests of an image as Debian makes them for clouds. Nothing
// is installed in it that Kubernetes needs.
func guestsOfStockImages(t *testing.T) {
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--stock")
	before := map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
	run := []string{"run", spec, "--hosts", hosts}

	step(t, "a mirror without packages is named, with the variable that says it", func(t *testing.T) {
		r := k.call(t, append(run, "--var", "debian_mirror=http://"+labAddress(4)+"/nowhere")...)
		for _, want := range []string{"http://" + labAddress(4) + "/nowhere/debian", "The variable debian_mirror names another site"} {
			if said := r.stdout + r.stderr; r.code == 0 || !strings.Contains(said, want) {
				t.Errorf("exit %d, and it does not say %q:\n%s", r.code, want, tail(said, 60))
			}
		}
		removed(t, k, run)
	})
	step(t, "guests of Debian's image are Ready", func(t *testing.T) {
		bothReady(t, k.must(t, append(run, "--output", "json")...))
	})
	step(t, "the second run changes nothing", func(t *testing.T) { unchanged(t, k, run) })
	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})
}

// labAddress is an address of the lab's network.
func labAddress(last int) string {
	return strings.TrimSuffix(labSubnet, "0/24") + strconv.Itoa(last)
}

func machinePodman(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "podman", args...).CombinedOutput(); err != nil {
		t.Fatalf("podman %v: %v\n%s", args, err, out)
	}
}
