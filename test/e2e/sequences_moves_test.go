//go:build sequences

package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The cluster of the sequences, and the same cluster with one more compute node.
const (
	smallSpec = "k8s-podman-1-1-1"
	largeSpec = "k8s-podman-1-2-1"
)

// move is one step of a sequence: a command of kinit, or what an administrator or a failure does behind its back.
type move struct {
	verb   string // run, backup, restore, replace, certs, status; or stop, lose (nodes) and power (hypervisors)
	spec   string
	node   string   // of replace and stop and lose, or the hypervisor of power
	flags  []string // further words of the command line
	killAt int      // kinit is killed at this event; 0 for never
	must   bool     // it must succeed without advice
}

func (m move) String() string {
	words := slices.Concat(strings.Fields(m.verb+" "+m.spec+" "+m.node), m.flags)
	if m.killAt > 0 {
		words = append(words, fmt.Sprintf("(kill -9 at event %d)", m.killAt))
	}
	return strings.Join(words, " ")
}

func listed(sequence []move) string {
	var b strings.Builder
	for i, m := range sequence {
		fmt.Fprintf(&b, "%d. %s\n", i+1, m)
	}
	return b.String()
}

// mostMoves is the length of the longest sequence.
const mostMoves = 6

// moveKinds are the kinds of moves with their weights.
var moveKinds = []struct {
	name   string
	weight int
}{
	{"run", 2}, {"only", 2}, {"limit", 2}, {"stop-after", 2}, {"large", 3}, {"small", 2}, {"backup", 4}, {"restore", 4}, {"replace", 4},
	{"kill", 6}, {"stop", 2}, {"lose", 2}, {"power", 2}, {"certs", 2}, {"status", 1},
}

// newSequence makes a sequence from a seed. A restore comes after a backup.
func newSequence(seed uint64) []move {
	r := rand.New(rand.NewPCG(seed, 0xc105fe2))
	var all []move
	spec, backed := smallSpec, false
	for range 3 + r.IntN(mostMoves-2) {
		m := nextMove(r, spec, &backed)
		if m.verb == "run" && len(m.flags) == 0 {
			spec = m.spec
		}
		all = append(all, m)
	}
	return all
}

func oneOf(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

func nextMove(r *rand.Rand, spec string, backed *bool) move {
	m := move{verb: pickMove(r), spec: spec}
	switch m.verb {
	case "large":
		return move{verb: "run", spec: largeSpec}
	case "small":
		return move{verb: "run", spec: smallSpec}
	case "only":
		m.verb, m.flags = "run", []string{"--only", oneOf(r, "validate", "places", "network", "services", "nodes", "cluster", "verify")}
	case "limit":
		m.verb, m.flags = "run", []string{"--limit", oneOf(r, "nyctea", "tyto")}
	case "stop-after":
		m.verb, m.flags = "run", []string{"--stop-after", oneOf(r, "validate", "places", "network", "services", "nodes")}
	case "backup":
		*backed = true
	case "restore":
		if !*backed {
			m.verb, *backed = "backup", true
		}
	case "replace":
		m.node = oneOf(r, "compute-01", "compute-01", "controller-01", "services")
	case "stop":
		m.node = oneOf(r, "compute-01", "controller-01")
	case "lose":
		m.node = "compute-01"
		if *backed {
			m.node = oneOf(r, "compute-01", "controller-01")
		}
	case "power":
		m.spec, m.node = "", oneOf(r, "nyctea", "tyto")
	case "kill":
		m = killedMove(r, spec, *backed)
	}
	return m
}

func killedMove(r *rand.Rand, spec string, backed bool) move {
	m := move{verb: "run", spec: spec, killAt: 1 + r.IntN(700)}
	switch r.IntN(4) {
	case 0:
		m.spec = oneOf(r, smallSpec, largeSpec)
	case 1:
		m.verb, m.node = "replace", oneOf(r, "compute-01", "controller-01")
		if r.IntN(2) == 0 {
			m.flags = []string{"--yes-destroy", m.node}
		}
	case 2:
		m.verb, m.killAt = "backup", 1+r.IntN(120)
	case 3:
		if backed {
			m.verb, m.flags = "restore", []string{"--yes-destroy", "controller-01"}
		}
	}
	return m
}

func pickMove(r *rand.Rand) string {
	total := 0
	for _, k := range moveKinds {
		total += k.weight
	}
	n := r.IntN(total)
	for _, k := range moveKinds {
		if n -= k.weight; n < 0 {
			return k.name
		}
	}
	panic("the weights do not add up")
}

func TestClusterSequencesFollowFromTheirSeed(t *testing.T) {
	for seed := range uint64(500) {
		sequence := newSequence(seed)
		if len(sequence) > mostMoves || listed(sequence) != listed(newSequence(seed)) {
			t.Fatalf("seed %d is\n%sand then\n%s", seed, listed(sequence), listed(newSequence(seed)))
		}
		backed := false
		for _, m := range sequence {
			if m.verb == "restore" && !backed {
				t.Fatalf("seed %d restores without a backup:\n%s", seed, listed(sequence))
			}
			backed = backed || m.verb == "backup"
		}
	}
}
