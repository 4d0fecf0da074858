package view

import "testing"

func TestFindingsHaveTheirRemediesBelow(t *testing.T) {
	t.Parallel()
	list := []Finding{
		{Host: "nyctea", Probe: "cpu", Level: LevelOK, Detail: "8 processors with vmx", Remedy: "Buy one."},
		{Host: "nyctea", Probe: "packages", Level: LevelNote, Detail: "a run will install: podman", Remedy: "Update the sources."},
		{Host: "nyctea", Probe: "mtu", Level: LevelFail, Detail: "eth0 has 1300, which leaves guests 1242", Remedy: "Give the interface an MTU of 1500 or more."},
	}
	out, text := file()
	if err := out.Findings(list); err != nil {
		t.Fatal(err)
	}
	equal(t, text.String(), `nyctea
  ok    cpu       8 processors with vmx
  note  packages  a run will install: podman
                  Update the sources.
  fail  mtu       eth0 has 1300, which leaves guests 1242
                  Give the interface an MTU of 1500 or more.
`)
	narrow := newTerminal(t, 40)
	if err := narrow.screen().Findings(list[2:]); err != nil {
		t.Fatal(err)
	}
	equal(t, narrow.text(), `nyctea
  fail  mtu  eth0 has 1300, which leaves
             guests 1242
             Give the interface an MTU
             of 1500 or more.
`)
}
