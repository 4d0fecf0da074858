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

func TestSecondNameOfARecordedMachineCanBeGivenUp(t *testing.T) {
	t.Parallel()
	x := Existing{known: map[string]string{"h1": "a"}, record: Record{Nodes: []Place{{Name: "c-db-01", Hypervisor: "h1"}, {Name: "c-web-01", Hypervisor: "h1b"}}}}
	answers := func(nodes ...string) []Answer {
		a := Answer{Host: "h1b", Machine: Machine{ID: "a", Boot: "b"}, Record: &Record{Generation: 1}, Nodes: map[string]string{}}
		for _, node := range nodes {
			a.Nodes[node] = "file"
		}
		return []Answer{a}
	}
	if found := x.Returned(Cluster{Name: "c"}, answers("c-db-01")); len(found) > 0 {
		t.Errorf("a name without nodes on the machine is refused: %v", found)
	}
	if found := x.Returned(Cluster{Name: "c"}, answers("c-db-01", "c-web-01")); len(found) != 1 || found[0].Summary != "Host is not lost" {
		t.Errorf("a name whose node is on the machine: %v", found)
	}
}
