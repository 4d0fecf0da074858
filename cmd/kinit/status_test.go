package main

import (
	"testing"

	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/health"
)

func TestTheGravestFindingDecidesTheExitCodeOfAStatus(t *testing.T) {
	t.Parallel()
	change := health.Difference{Kind: "task"}
	broken := health.Difference{Kind: "etcd", Broken: true}
	for name, test := range map[string]struct {
		code int // by the report of the engine
		list []health.Difference
		want int
	}{
		"as declared":                       {exit.OK, nil, exit.OK},
		"a change":                          {exit.Pending, []health.Difference{change}, exit.Pending},
		"broken, and every task in place":   {exit.OK, []health.Difference{broken}, exit.Failed},
		"broken, and a change":              {exit.Pending, []health.Difference{change, broken}, exit.Failed},
		"a cordoned node and no change":     {exit.OK, []health.Difference{{Kind: "node"}}, exit.Failed},
		"a node of another version":         {exit.Pending, []health.Difference{change, {Kind: "node"}}, exit.Pending},
		"a silent host, and what is broken": {exit.Unreachable, []health.Difference{broken}, exit.Unreachable},
	} {
		if got := statusCode(test.code, health.Status{AsDeclared: len(test.list) == 0, Differences: test.list}); got != test.want {
			t.Errorf("%s: exit code %d, want %d", name, got, test.want)
		}
	}
}
