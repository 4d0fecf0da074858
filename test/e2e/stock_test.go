package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kinit/cmd/kinit/pins"
	"kinit/specs"
)

// stockVariable is an environment variable: with "all", there are more distributions, upstream's
// container runtime, a prepared image, Calico, further addons, and nodes that are guests.
const stockVariable = "KINIT_STOCK"

// TestNodesOfStockImages deploys on unprepared nodes: their image is Debian's
// own, and packages, programs and images come from mirrors in the layouts of the sites that
// they stand for.
func TestNodesOfStockImages(t *testing.T) {
	t.Parallel() // with TestRolesTwiceOnALab
	t.Run("containers", containersOfStockImages)
	if os.Getenv(stockVariable) == "all" {
		t.Run("choices", choicesOfStockImages)
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

	const noRegistry, noMirror, noPrograms = "no registry", "no mirror of packages", "no programs"
	chosen := choose(t, noRegistry, noMirror, noPrograms) // each takes a minute

	step(t, "what a mirror lacks is named, with the place and the variable that says it", func(t *testing.T) {
		registry, site := labAddress(5)+":5000", "http://"+labAddress(4)
		for _, tc := range []struct {
			part    string
			without string // the mirror that is stopped
			more    []string
			want    []string
		}{
			{noRegistry, "registry", nil, []string{pinned(t, "debian_node").Image + "@sha256:", registry, "The variable image_mirrors names another place of its registry"}},
			{noMirror, "mirror", nil, []string{"Failed to fetch " + site + "/debian/", "The variable debian_mirror names another site"}},
			{noPrograms, "", []string{"--var", "kubernetes_url=" + site + "/nowhere"}, []string{site + "/nowhere/" + pinned(t, "kubelet").Version + "/bin/linux/amd64/kube", "The variable kubernetes_url names another site"}},
		} {
			if !chosen(tc.part) {
				continue
			}
			if tc.without != "" {
				machinePodman(t, "stop", "--time", "1", container(tc.without))
			}
			r := k.call(t, slices.Concat(run, tc.more)...)
			if tc.without != "" {
				machinePodman(t, "start", container(tc.without))
			}
			r.lacks(t, tc.want...)
		}
	})

	withAddons := append(slices.Clone(run), "--var", `addons=["metrics-server", "local-path"]`)
	var stock map[string]string // what the nodes are
	step(t, "nodes of Debian's image are Ready, and have addons that serve", func(t *testing.T) {
		bothReady(t, k.must(t, append(withAddons, "--output", "json")...))
		image := pinned(t, "debian_node").Image
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
		if os.Getenv(stockVariable) == "all" {
			stock = nodesAre(t, k, run[1:], "nyctea", "nyctea")
		}
	})
	step(t, "clean-up leaves nothing", func(t *testing.T) {
		removed(t, k, run)
		asBefore(t, before)
	})

	if os.Getenv(stockVariable) == "all" {
		preparedImages(t, k, stock, before)
		upstreamsRuntime(t, k, before)
		anotherDistribution(t, k, before)
	}
}

// anotherDistribution shows that the layer that distributions share holds: the same with another
// vendor's names, tags and layout of its site. The programs are those of the lab.
func anotherDistribution(t *testing.T, k *kinit, before map[string]map[string]bool) {
	other := []string{"run", "eksd-podman-1-1-1", "--hosts", "nyctea"}
	step(t, "its site without programs is named, with the variable that says it", func(t *testing.T) {
		site := "http://" + labAddress(4) + "/nowhere"
		k.call(t, append(other, "--var", "eksd_url="+site)...).lacks(t, site+"/kubernetes-", "The variable eksd_url names another site")
	})
	step(t, "another distribution on the same layer is Ready", func(t *testing.T) {
		r := k.must(t, append(other, "--output", "json")...)
		if want := "eksd-compute-01=Ready eksd-podman-controller-01=Ready"; !strings.Contains(r.stdout, want) {
			t.Errorf("the output does not say %q\n%s", want, tail(r.stdout, 3))
		}
		for _, pin := range []string{"eksd_kube_apiserver", "eksd_etcd", "eksd_coredns", "eksd_pause"} {
			want := pinned(t, pin).Reference()
			if has := on(t, "nyctea", "podman exec eksd-podman-controller-01 ctr --namespace k8s.io images ls --quiet"); !strings.Contains(has, want) {
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
		site := "http://" + labAddress(4) + "/nowhere"
		k.call(t, append(run, "--var", "debian_mirror="+site)...).lacks(t, site+"/debian", "The variable debian_mirror names another site")
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

// pinned is a pin that ships with kinit.
func pinned(t *testing.T, name string) pins.Pin {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "pins.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := pins.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	pin, has := list[name]
	if !has {
		t.Fatalf("there is no pin %s", name)
	}
	return pin
}

// lacks checks that a run failed and says what it could not have.
func (r result) lacks(t *testing.T, want ...string) {
	t.Helper()
	said := r.stdout + r.stderr
	for _, part := range want {
		if r.code == 0 || !strings.Contains(said, part) {
			t.Errorf("exit %d, and it does not say %q:\n%s", r.code, part, tail(said, 60))
		}
	}
}
