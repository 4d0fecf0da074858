//go:build sequences

package e2e

import (
	"fmt"
	"os"
	"testing"
)

// clusterSequences says which sequences run: FROM+N, N seeds from FROM on.
const clusterSequences = "KINIT_CLUSTER_SEQUENCES"

// foundOnACluster are sequences that once broke an invariant. They run before seed 1. Each key says what must hold.
var foundOnACluster = map[string][]move{
	"a node that leaves all the same is replaced while the only controller is stopped": {
		{verb: "stop", spec: smallSpec, node: "controller-01"},
		{verb: "replace", spec: smallSpec, node: "compute-01", flags: []string{"--yes-destroy", "compute-01"}, must: true},
	},
}

// TestSequencesOnAClusterHarmNothing runs random sequences of commands, faults and failures on one real cluster, and checks
// after each of them that no foreign object has changed and that no node or data is gone that nothing named. At the end of each
// sequence the cluster must reach its declared state, also by following the advice of refusals literally. After
// a finding the lab is built again, so that the next seed starts from a healthy cluster.
func TestSequencesOnAClusterHarmNothing(t *testing.T) {
	from, count := uint64(1), uint64(15)
	if text := os.Getenv(clusterSequences); text != "" {
		if _, err := fmt.Sscanf(text, "%d+%d", &from, &count); err != nil {
			t.Fatalf("%s is FROM+N, as in 1+15: %v", clusterSequences, err)
		}
	}
	k := build(t)
	t.Cleanup(func() { tearDown(t, k, labName) })
	var w *world
	try := func(name string, seed uint64, sequence []move) bool {
		passed := t.Run(name, func(t *testing.T) {
			if w == nil {
				w = newWorld(t, k)
			}
			w.begin(t, seed)
			for i, m := range sequence {
				progress(t, "%s, command %d of %d: %s", name, i+1, len(sequence), m)
				w.do(t, m)
				w.check(t)
				w.write(t, i+1)
			}
			w.settle(t)
		})
		if !passed {
			w = nil
			t.Logf("%s is\n%s", name, listed(sequence))
		}
		return passed
	}
	if from == 1 {
		for name, sequence := range foundOnACluster {
			try(name, 0, sequence)
		}
	}
	for seed := from; seed < from+count; seed++ {
		passed := try(fmt.Sprintf("seed %d", seed), seed, newSequence(seed))
		t.Logf("seed %d: passed %t; continue with FROM=%d N=%d", seed, passed, seed+1, from+count-seed-1)
	}
}
