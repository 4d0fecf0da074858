package main

import (
	"path/filepath"
	"testing"

	"kinit/test/sequences"
)

// findings are sequences that once broke an invariant. Each key says what must hold.
var findings = map[string][]sequences.Command{
	"the advice to evacuate a host that is down with --lost works": {
		{Verb: "run", Hosts: []string{"h3", "h1"}},
		{Verb: "down", On: "h3"},
		{Verb: "evacuate", Hosts: []string{"h1"}, Node: "h3"},
	},
	"clean-up removes the line of one of two clusters in a foreign file": {
		{Verb: "run", Hosts: []string{"h1"}, Extras: []string{"line", "block"}},
		{Verb: "run", Hosts: []string{"h1"}, Spec: "renamed", Extras: []string{"line"}},
		{Verb: "run", Hosts: []string{"h1"}, StopAfter: "cleanup"},
	},
	"clean-up keeps the line that an administrator has written into a foreign file beside that of the cluster": {
		{Verb: "run", Hosts: []string{"h1"}, Extras: []string{"line", "block"}},
		{Verb: "edit", On: "h1"},
		{Verb: "run", Hosts: []string{"h1"}, StopAfter: "cleanup"},
	},
	"evacuating a host that is not part of the run is refused": {
		{Verb: "run", Hosts: []string{"h2", "h1"}},
		{Verb: "evacuate", Hosts: []string{"h2"}, Node: "h3"},
	},
	"blocks of two clusters in a foreign file stay": {
		{Verb: "run", Hosts: []string{"h3"}, Extras: []string{"block"}},
		{Verb: "run", Spec: "renamed", Hosts: []string{"h3"}, Extras: []string{"block"}},
	},
	"a second cluster that a refusal proposes has lines of its own": {
		{Verb: "run", Hosts: []string{"h3"}},
		{Verb: "run", Hosts: []string{"h3"}, CIDR: "10.9.0.0/24", Extras: []string{"line"}},
		{Verb: "run", Hosts: []string{"h3"}, Spec: "sibling", Extras: []string{"block"}},
	},
	"the refusal of a second name for a host that is down says which name to use": {
		{Verb: "run", Hosts: []string{"h3", "h1"}},
		{Verb: "down", On: "h3"},
		{Verb: "run", Hosts: []string{"h1"}},
		{Verb: "run", Hosts: []string{"h3b", "h1"}, Aliases: true},
	},
	"folders that a sweep lists are removed if the next command names them": {
		{Verb: "run", Hosts: []string{"h3"}},
		{Verb: "run", Spec: "sibling", Hosts: []string{"h3"}},
		{Verb: "run", Spec: "sibling", Hosts: []string{"h2"}},
		{Verb: "run", Spec: "sibling", Hosts: []string{"h2"}, Lost: "h3"},
	},
	"one of two names that a run recorded for a host that was down can be given up": {
		{Verb: "run", Hosts: []string{"h2", "h3"}},
		{Verb: "down", On: "h2"},
		{Verb: "run", Hosts: []string{"h2b", "h2", "h3"}, Aliases: true, Web: 3, Limit: "h3"},
	},
	"the command that status proposes brings the cluster to its declared state": {
		{Verb: "run", Hosts: []string{"h2", "h1"}},
		{Verb: "status", Hosts: []string{"h2", "h1"}, Web: 1},
	},
	"a cluster that lost its only host recovers on other hosts": {
		{Verb: "run", Hosts: []string{"h3"}},
		{Verb: "down", On: "h3"},
		{Verb: "run", Hosts: []string{"h3"}, Limit: "h1"},
	},
	"a second cluster is proposed only if its nodes can be placed": {
		{Verb: "run", Hosts: []string{"h1"}},
		{Verb: "run", Hosts: []string{"h1"}, CIDR: "10.9.0.0/24", Place: "h2"},
	},
	"status may still report differences after its advice was followed": {
		{Verb: "run", Hosts: []string{"h3", "h2"}},
		{Verb: "status", Hosts: []string{"h2"}, Web: 1},
	},
}

// Each finding of the random sequences stays a test.
func TestSequencesThatWereFoundHarmNothing(t *testing.T) {
	t.Parallel()
	bench := sequences.Bench{Rack: sequences.NewRack(t, 101, hostsOfSequence), Dir: filepath.Join(t.TempDir(), "bench"), Program: inProcess}
	for name, commands := range findings {
		t.Run(name, func(t *testing.T) {
			finding, err := bench.Try(sequences.Sequence{Seed: 1, Commands: commands, Follow: true})
			if err != nil {
				t.Fatal(err)
			}
			if finding != nil {
				t.Error(finding.Text)
			}
		})
	}
}
