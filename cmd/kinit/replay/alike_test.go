package replay_test

import (
	"testing"

	"kinit/cmd/kinit/replay"
	"kinit/engine/event"
)

func TestProblemsThatSayTheSameOfHostsAreOneGroup(t *testing.T) {
	t.Parallel()
	at := &event.Range{File: "site.hcl", Start: event.Position{Line: 3}}
	on := func(host, detail string) event.Problem {
		return event.Problem{Severity: "error", Summary: "Task failed", Address: "task.copy.a[\"" + host + "\"]", Host: host, Range: at, Detail: detail}
	}
	a := on("web1", "dial 192.0.2.1: web1 is full")
	b := on("web2", "dial 192.0.2.2: web2 is full")
	other := on("web3", "no such folder")
	elsewhere := on("web4", "dial 192.0.2.4: web4 is full")
	elsewhere.Range = &event.Range{File: "site.hcl", Start: event.Position{Line: 9}}
	placeless := event.Problem{Severity: "error", Summary: "Task failed", Detail: "a"}
	run := &replay.Run{Problems: []event.Problem{a, b, other, elsewhere, placeless, placeless}}
	alike := run.Alike()
	var got []int
	for _, g := range alike.Groups {
		got = append(got, len(g.Others))
	}
	if want := []int{1, 0, 0, 0, 0}; len(got) != len(want) || got[0] != want[0] || got[1] != 0 || got[2] != 0 {
		t.Fatalf("groups with %v others, want %v", got, want)
	}
	if g := alike.Groups[0]; g.First.Host != "web1" || g.Others[0].Host != "web2" {
		t.Errorf("the first group is %v", g)
	}
	if first, repeats := alike.Repeats(b); !repeats || first.Host != "web1" {
		t.Errorf("web2 repeats %v: %t", first, repeats)
	}
	for _, p := range []event.Problem{a, other, elsewhere, placeless} {
		if _, repeats := alike.Repeats(p); repeats {
			t.Errorf("%s repeats something", p.Address)
		}
	}
}
