package main

import (
	"path/filepath"
	"testing"

	"kinit/test/sequences"
)

// findings are sequences that once did what they must not do, by what is right.
var findings = map[string][]sequences.Command{
	"the advice to evacuate a host that is down with --lost works": {
		{Verb: "run", Hosts: []string{"h3", "h1"}},
		{Verb: "down", On: "h3"},
		{Verb: "evacuate", Hosts: []string{"h1"}, Node: "h3"},
	},
	"a status that finds differences after advice was followed is an answer": {
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
