package ovn

import (
	"slices"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ownership"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	owned, shared := Owned("c1", map[string]string{"a": "b"}), Shared("c1", nil)
	for name, c := range map[string]struct {
		ids      map[string]string
		owner    string
		owned    bool
		shares   bool
		standing Standing
	}{
		"an own row":                    {owned, "c1", true, false, Sole},
		"a row of another cluster":      {owned, "c2", false, false, Others},
		"an unmarked row":               {nil, "c1", false, false, Unmarked},
		"an unmarked row without owner": {nil, "", true, false, Sole},
		"a marked row without owner":    {owned, "", false, false, Others},
		"a row that is only shared":     {shared, "c1", false, true, Sole},
		"a row that others share":       {shared, "c2", false, false, Others},
		"a row that both share":         {map[string]string{"kinit-owner-c1": "true", "kinit-owner-c2": "true"}, "c1", false, true, Joined},
		"a shared row without owner":    {shared, "", false, false, Others},
		"a row of an owner of one name": {Owned("c1.OTHER", nil), "c1.MINE", false, false, Others},
		"a row without an instance":     {owned, "c1.MINE", false, false, Others},
		"a row shared by one name":      {map[string]string{"kinit-owner-c1.MINE": "true", "kinit-owner-c1.OTHER": "true"}, "c1.MINE", false, true, Joined},
	} {
		if got := IsOwned(c.ids, c.owner); got != c.owned {
			t.Errorf("%s: owned %v, want %v", name, got, c.owned)
		}
		if got := Shares(c.ids, c.owner); got != c.shares {
			t.Errorf("%s: shares %v, want %v", name, got, c.shares)
		}
		if got := StandingOf(c.ids, c.owner); got != c.standing {
			t.Errorf("%s: stands %v, want %v", name, got, c.standing)
		}
	}
}

func TestMessagesTellOwnersOfOneNameApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ids  map[string]string
		want string
	}{
		"another cluster": {Owned("c2.X", nil), "it belongs to cluster c2"},
		"a namesake":      {Owned("c1.X", nil), "it belongs to another cluster c1"},
		"several":         {map[string]string{"kinit-owner-c1.X": "true", "kinit-owner-c2.Y": "true"}, "it is shared by cluster another c1, c2"},
		"no owner":        {nil, "it has no mark of kinit"},
	} {
		want := "switch s exists and is not owned by cluster c1 (" + c.want + `); use another name, or remove it with "del" if nothing needs it`
		if got := Foreign("switch s", c.ids, "c1.MINE", "del").Error(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRowsOfANamesakeAreNamedAndNotCounted(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "c1")
	h.SetInstance("MINE")
	rows := nb.Rows{
		Switches: []nb.Switch{
			{Name: "theirs", ExternalIDs: Owned("c1.OTHER", nil)}, {Name: "old", ExternalIDs: Owned("c1", nil)},
			{Name: "mine", ExternalIDs: Owned("c1.MINE", nil)}, {Name: "else", ExternalIDs: Owned("c2.OTHER", nil)}, {Name: "free"},
		},
		DHCP: []nb.DHCP{{UUID: "1-2-3", ExternalIDs: Owned("c1.OTHER", nil)}},
	}
	if got, want := namesakes(h, rows), []string{"DHCP 1-2-3", "Switch old", "Switch theirs"}; !slices.Equal(got, want) {
		t.Errorf("named %q, want %q", got, want)
	}
	if got, want := LeftAlone(h, nb.Rows{Switches: rows.Switches}),
		"Switch old is left alone: another cluster c1 made it\nSwitch theirs is left alone: another cluster c1 made it"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := Marked(rows, ownership.Signature(h)); got != 1 {
		t.Errorf("%d rows have a mark, want 1", got)
	}
}

func TestCompareTellsEachDifference(t *testing.T) {
	t.Parallel()
	old, tag := "10.0.0.1", 7
	have := nb.SwitchPort{Type: "x", Addresses: []string{"b", "a"}, Options: map[string]string{"keep": "1", "gone": "2"}, DHCPv4: &old}
	want := nb.SwitchPort{Addresses: []string{"a", "b"}, PortSecurity: []string{"m"}, Options: map[string]string{"keep": "1", "new": "3"}, TagRequest: &tag}
	edit, lines := Compare(have, want, "type", "addresses", "port_security", "options", "tag_request", "dhcpv4_options")
	expected := []string{
		"type: x -> none", "options:gone: 2 -> none", "options:new: none -> 3", "port_security: none -> m", "tag_request: none -> 7", "dhcpv4_options: 10.0.0.1 -> none",
	}
	if edit == nil || !slices.Equal(lines, expected) {
		t.Errorf("lines %q, want %q", lines, expected)
	}
	if edit, lines := Compare(have, want, "addresses", "name"); edit != nil || lines != nil {
		t.Errorf("sets in another order: %q, want no difference", lines)
	}
	if got := Show(want, "options", "tag_request", "type"); !slices.Equal(got, []string{"options:keep: 1", "options:new: 3", "tag_request: 7"}) {
		t.Errorf("show %q", got)
	}
}

func TestMarkedCountsEveryKindOfMark(t *testing.T) {
	t.Parallel()
	rows := nb.Rows{
		Switches:    []nb.Switch{{ExternalIDs: Owned("c1", nil)}, {ExternalIDs: Shared("c1", nil)}, {ExternalIDs: Owned("c2", nil)}, {}},
		SwitchPorts: []nb.SwitchPort{{ExternalIDs: map[string]string{"kinit-users-x": "c2,c1"}}},
	}
	if got := Marked(rows, "c1"); got != 3 {
		t.Errorf("marked %d, want 3", got)
	}
	if got := Marked(rows, ""); got != 0 {
		t.Errorf("marked without owner %d, want 0", got)
	}
}
