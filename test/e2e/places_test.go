package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// places are where the nodes of a cluster of containers are, and who they are.
type places struct {
	where map[string]string // the hypervisor and the address of a node, by its name
	uid   map[string]string // that Kubernetes has given it
}

// newPlaces asks Kubernetes and the hypervisors.
func newPlaces(t *testing.T, a *api, hypervisors string) places {
	t.Helper()
	p := places{where: map[string]string{}, uid: map[string]string{}}
	const show = `go-template={{range .items}}{{.metadata.name}} {{.metadata.uid}} {{(index .status.addresses 0).address}}{{"\n"}}{{end}}`
	for line := range strings.Lines(a.get(t, "nodes", "--output", show)) {
		words := strings.Fields(line)
		p.where[words[0]], p.uid[words[0]] = words[2], words[1]
	}
	for _, host := range strings.Split(hypervisors, ",") {
		for name := range strings.Lines(on(t, host, "podman ps --format '{{.Names}}'")) {
			if name = strings.TrimSpace(name); p.uid[name] != "" {
				p.where[name] = host + " " + p.where[name]
			}
		}
	}
	return p
}

// grown checks that the nodes of a controller and a compute node are what they were, and that the
// further ones have the next addresses.
func grown(t *testing.T, before, after places) {
	t.Helper()
	want := map[string]string{"k8s-podman-controller-01": "nyctea 10.0.0.1", "k8s-podman-compute-01": "tyto 10.0.0.2"}
	if diff := cmp.Diff(want, before.where); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	for _, more := range [][2]string{{"k8s-podman-controller-02", "tyto 10.0.0.3"}, {"k8s-podman-controller-03", "nyctea 10.0.0.4"}, {"k8s-podman-compute-02", "nyctea 10.0.0.5"}} {
		want[more[0]] = more[1]
	}
	if diff := cmp.Diff(want, after.where); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
	for name, uid := range before.uid {
		if after.uid[name] != uid {
			t.Errorf("%s was %s and is %s", name, uid, after.uid[name])
		}
	}
}
