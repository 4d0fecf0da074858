package examples

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"kinit/engine"
	"kinit/specs"
	"kinit/test/kube"
)

// everyAddon is a value of the variable addons.
const everyAddon = `["metrics-server", "ingress", "local-path", "nfs", "node-problem-detector"]`

// withAddons are options of a cluster with addons.
func withAddons(t *testing.T, spec, addons string) engine.Options {
	t.Helper()
	o, _ := pinned(t, spec)
	o.Vars["addons"], o.Vars["nfs"] = addons, `{ server = "files.example.org", path = "/export" }`
	return o
}

func TestAddonsAreValidOnEveryDistribution(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"k8s-podman-1-1-1", "k8s-libvirt-1-0-1", "eksd-podman-1-1-1", "k3s-podman-1-1-1", "rke2-libvirt-1-1-1"} {
		if err := engine.Validate(t.Context(), withAddons(t, spec, everyAddon)).Diagnostics.Err(); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

func TestAnAddonBringsItsImagesAndTheirPins(t *testing.T) {
	t.Parallel()
	const expression = `[for name in local.addon_pins : "${local.tagged[name]} ${local.container_images[local.tagged[name]]} ${contains(local.distribution_pins, name)}"]`
	for _, tc := range []struct {
		addons, version, images string
		want                    []string
	}{
		{`["metrics-server"]`, "v1.34.4", "", []string{"registry.k8s.io/metrics-server/metrics-server:v0.9.0 docker://registry.k8s.io/metrics-server/metrics-server@DIGEST true"}},
		{`["metrics-server"]`, "v1.33.1", "", []string{"registry.k8s.io/metrics-server/metrics-server:v0.8.0 docker://registry.k8s.io/metrics-server/metrics-server@DIGEST true"}},
		{`["local-path"]`, "v1.34.4", `{"docker.io/rancher/local-path-provisioner:v0.0.30" = "oci:/i:l"}`,
			[]string{"docker.io/rancher/local-path-provisioner:v0.0.30 oci:/i:l false"}},
		{`[]`, "v1.34.4", "", nil},
	} {
		o := withAddons(t, "k8s-podman-1-1-1", tc.addons)
		o.Vars["kubernetes_version"], o.Vars["allow_untested"], o.Vars["allow_unpinned"] = tc.version, "true", "true"
		if tc.images != "" {
			o.Vars["container_images"] = tc.images
		}
		_, list := pinned(t, "k8s-podman-1-1-1")
		var got []string
		for _, line := range evaluate(t, o, expression) {
			for _, pin := range list {
				line = strings.Replace(line, pin.Digest, "DIGEST", 1)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s with %s (-want +got):\n%s", tc.addons, tc.version, diff)
		}
	}
}

// object is what the tests read of an object.
type object struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	Spec struct {
		Type, ClusterIP string
		Ports           []struct {
			NodePort int `yaml:"nodePort"`
		}
	}
}

// objects are those of contents, as kubectl gets them.
func objects(t *testing.T, contents ...string) []object {
	t.Helper()
	var all []object
	for _, content := range contents {
		decoder := yaml.NewDecoder(strings.NewReader(content))
		for {
			var o object
			err := decoder.Decode(&o)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v:\n%s", err, content)
			}
			if o.Kind != "" {
				all = append(all, o)
			}
		}
	}
	return all
}

const addonContents = "[for addon in values(local.addons) : addon.content]"

// The port that the ingress controller serves at is the sample's otherwise.
func TestTheSampleLeavesItsPortToTheIngressController(t *testing.T) {
	t.Parallel()
	for addons, want := range map[string][]string{
		`[]`:          {"sample NodePort 30080"},
		`["ingress"]`: {"sample ClusterIP 0", "traefik NodePort 30080", "traefik NodePort 30443"},
	} {
		o := withAddons(t, "k8s-podman-1-1-1", addons)
		var got []string
		for _, o := range objects(t, slices.Concat(evaluate(t, o, "[local.sample]"), evaluate(t, o, addonContents))...) {
			for _, port := range o.Spec.Ports {
				got = append(got, fmt.Sprintf("%s %s %d", o.Metadata.Name, o.Spec.Type, port.NodePort))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", addons, diff)
		}
	}
}

func TestTheFirstStorageOfTheAddonsIsTheDefaultOne(t *testing.T) {
	t.Parallel()
	for addons, want := range map[string]string{
		`["metrics-server", "nfs", "local-path"]`: "nfs",
		`["local-path", "nfs"]`:                   "local-path",
		`["metrics-server"]`:                      "",
	} {
		if got := evaluate(t, withAddons(t, "k8s-podman-1-1-1", addons), "[local.default_storage]"); got[0] != want {
			t.Errorf("%s: %q, want %q", addons, got[0], want)
		}
	}
}

// addons runs addons.sh as a controller does, and returns what it prints.
func addons(t *testing.T, server *kube.Server, args ...string) (string, error) {
	t.Helper()
	text, err := fs.ReadFile(specs.FS, "addons/files/addons.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", string(text), "addons"}, args)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+server.Kubeconfig, "PATH="+server.Folder+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A real API server takes the objects of every addon. What it has then goes again, addon by addon,
// and nothing else does.
func TestAddonsThatAreNoLongerChosenAreRemoved(t *testing.T) {
	t.Parallel()
	server := kube.NewServer(t)
	server.Controllers(t, "namespace-controller", "persistentvolumeclaim-protection-controller", "persistentvolume-protection-controller")
	kubectl := func(input string, args ...string) string {
		t.Helper()
		cmd := server.Kubectl(t.Context(), args...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	site, err := os.ReadFile("../../examples/addons/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kubectl(string(site), "apply", "--server-side", "--dry-run=server", "--filename", "-")
	o := withAddons(t, "k8s-podman-1-1-1", everyAddon)
	contents := evaluate(t, o, addonContents)
	made := map[string]int{}
	for _, object := range objects(t, contents...) {
		made[object.Metadata.Labels["kinit/addon"]]++
	}
	if diff := cmp.Diff(map[string]int{"metrics-server": 9, "ingress": 8, "local-path": 11, "nfs": 10, "node-problem-detector": 3}, made); diff != "" {
		t.Fatalf("objects of addons (-want +got):\n%s", diff)
	}
	kubectl(evaluate(t, o, "[local.sample]")[0], "apply", "--server-side", "--filename", "-")
	before := kubectl("", "get", everyKind, "--all-namespaces", "--output", "name")
	for _, content := range contents {
		kubectl(content, "apply", "--server-side", "--filename", "-")
	}
	count := func() map[string]int {
		t.Helper()
		has := map[string]int{}
		for _, name := range strings.Fields(kubectl("", "get", everyKind, "--all-namespaces", "--selector", "kinit/addon", "--output", `jsonpath={range .items[*]}{.metadata.labels.kinit/addon}{"\n"}{end}`)) {
			has[name]++
		}
		return has
	}
	if diff := cmp.Diff(made, count()); diff != "" {
		t.Fatalf("the cluster has (-want +got):\n%s", diff)
	}
	all := []string{"metrics-server", "ingress", "local-path", "nfs", "node-problem-detector"}
	if out, err := addons(t, server, append([]string{"check"}, all...)...); err != nil {
		t.Errorf("all are chosen: %v\n%s", err, out)
	}
	for _, kept := range [][]string{{"local-path", "nfs", "node-problem-detector"}, {"nfs"}, {}} {
		remove := append([]string{"remove"}, kept...)
		if out, err := addons(t, server, append([]string{"check"}, kept...)...); err == nil || !strings.HasPrefix(out, "others than the chosen addons made ") {
			t.Errorf("only %v are chosen: %v\n%s", kept, err, out)
		}
		if made["local-path"] > 0 && !slices.Contains(kept, "local-path") {
			kubectl(volume, "create", "--filename", "-")
			out, err := addons(t, server, remove...)
			want := "the addon local-path has volumes that it made for claims, and is not removed while they are there; delete the claims, or choose the addon again:\nv1 shop/orders\n"
			if err == nil || out != want {
				t.Errorf("with a volume: %v\n%s", err, out)
			}
			kubectl("", "delete", "persistentvolume", "v1")
		}
		if out, err := addons(t, server, remove...); err != nil {
			t.Fatalf("keep %v: %v\n%s", kept, err, out)
		}
		maps.DeleteFunc(made, func(name string, _ int) bool { return !slices.Contains(kept, name) })
		if diff := cmp.Diff(made, count()); diff != "" {
			t.Errorf("with %v the cluster has (-want +got):\n%s", kept, diff)
		}
	}
	if diff := cmp.Diff(before, kubectl("", "get", everyKind, "--all-namespaces", "--output", "name")); diff != "" {
		t.Errorf("after all are removed (-want +got):\n%s", diff)
	}
}

// everyKind are the kinds of objects that addons have.
const everyKind = "apiservices,ingresses,ingressclasses,deployments,daemonsets,persistentvolumeclaims,services,configmaps," +
	"storageclasses,csidrivers,rolebindings,roles,clusterrolebindings,clusterroles,serviceaccounts,namespaces"

const volume = `{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v1"}, "spec": {
	"storageClassName": "local-path", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/v1"},
	"claimRef": {"namespace": "shop", "name": "orders"}}}`

func TestTheExampleOfAddonsIsACluster(t *testing.T) {
	t.Parallel()
	o, _ := pinned(t, "k8s-podman-1-1-1")
	o.VarFiles = append(o.VarFiles, "examples/addons/addons.hcl")
	if err := engine.Validate(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ingress", "local-path", "metrics-server"}, evaluate(t, o, "keys(local.addons)")); diff != "" {
		t.Errorf("its addons (-want +got):\n%s", diff)
	}
}
