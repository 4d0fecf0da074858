package topology

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run that leaves a host out while it is down records it under each name that the run has for it.
func TestRefusalOfASecondNameSaysWhichNameStays(t *testing.T) {
	t.Parallel()
	const text = `The names "h1" and "h1b" lead to the same machine: the machine-id, a, and the boot are the same. Nothing was changed. %s. If they are containers with a copied /etc/machine-id, give each one its own.`
	for name, test := range map[string]struct {
		hosts map[string]string // of nodes
		want  string
	}{
		"no name has nodes":    {nil, `The cluster knows it as h1b: leave out "h1", in --hosts and in the pools`},
		"the other one has":    {map[string]string{"c-db-01": "h1"}, `The cluster knows it as h1b: leave out "h1", in --hosts and in the pools, and give --lost h1, as the record has nodes there too`},
		"the first one has":    {map[string]string{"c-db-01": "h1b"}, `The cluster knows it as h1b: leave out "h1", in --hosts and in the pools`},
		"each of the two does": {map[string]string{"c-db-01": "h1b", "c-web-01": "h1"}, `The cluster knows it as h1b: leave out "h1", in --hosts and in the pools, and give --lost h1, as the record has nodes there too`},
	} {
		t.Run(name, func(t *testing.T) {
			same := Machine{ID: "a", Boot: "b"}
			x := Existing{record: Record{Generation: 1, Hypervisors: []Place{{Name: "h1b"}, {Name: "h1"}}}, machines: map[string]Machine{"h1": same, "h1b": same}}
			for node, host := range test.hosts {
				x.record.Nodes = append(x.record.Nodes, Place{Name: node, Hypervisor: host})
			}
			found := x.impostors(Cluster{Name: "c"}, func(string) bool { return false })
			if len(found) != 1 {
				t.Fatalf("problems: %v", found)
			}
			if diff := cmp.Diff(fmt.Sprintf(text, test.want), found[0].Detail); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
		})
	}
}
