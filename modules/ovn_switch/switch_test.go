package ovnswitch

import (
	"fmt"
	"slices"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

func northbound(t *testing.T) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Northbound())
	s.NB("ls-add", "foreign", "--", "lsp-add", "foreign", "foreign-port",
		"--", "create", "DHCP_Options", "cidr=10.0.0.0/24", "options:router=10.0.0.1")
	return s
}

func nodes(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.Name = "k8s"
	}, set)
}

func TestSwitchIsMadeOnceAndRemovedTwice(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	before := s.Rows(ovn.Northbound(), "Logical_Switch", "name,other_config,external_ids,ports")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return nodes(func(n *Task) { n.OtherConfig = map[string]string{"mcast_snoop": "true"} })
		},
		Absent:   func() module.Task { return nodes(func(n *Task) { n.State = "absent" }) },
		Host:     s.Host("c1"),
		Snapshot: func() string { return s.Dump(ovn.Northbound()) },
	})
	if after := s.Rows(ovn.Northbound(), "Logical_Switch", "name,other_config,external_ids,ports"); !slices.Equal(after, before) {
		t.Errorf("switches %q, want %q as before", after, before)
	}
}

func TestSwitchSecondRunSendsNothing(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	steps := moduletest.Steps(t, nodes(nil), h)
	moduletest.Do(t, nodes(nil), h)
	before := s.Dump(ovn.Northbound())
	if err := steps[0].Do(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if after := s.Dump(ovn.Northbound()); after != before {
		t.Errorf("a second call changed the database, its counters included:\n%s", after)
	}
	if got := s.Rows(ovn.Northbound(), "NB_Global", "nb_cfg"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("nb_cfg %q, want 1", got)
	}
}

func TestSwitchIsMarkedAndChangedInPlace(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	moduletest.Do(t, nodes(nil), h)
	changed := func() *Task {
		return nodes(func(n *Task) { n.OtherConfig = map[string]string{"subnet": "10.0.0.0/24"} })
	}
	want := []string{"change logical switch k8s\n  other_config:subnet: none -> 10.0.0.0/24"}
	if got := moduletest.Texts(t, changed(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Do(t, changed(), h)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name,other_config,external_ids"); !slices.Contains(got, "k8s|subnet=10.0.0.0/24|kinit-owner=c1") {
		t.Errorf("switches %q", got)
	}
}

func TestSwitchOfSomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	moduletest.Do(t, nodes(nil), s.Host("c2"))
	want := `logical switch %s exists and is not owned by cluster c1 (%s); use another name, or remove it with "ovn-nbctl ls-del %s" if nothing needs it`
	for name, holder := range map[string]string{"foreign": "it has no mark of kinit", "k8s": "it belongs to cluster c2"} {
		for _, state := range []string{"present", "absent"} {
			task := nodes(func(n *Task) { n.Name, n.State = name, state })
			ovntest.Refused(t, s.Host("c1"), task, fmt.Sprintf(want, name, holder, name))
		}
	}
}

func TestSharedSwitchGoesWithItsLastCluster(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	c1, c2 := s.Host("c1"), s.Host("c2")
	outside := func() *Task { return nodes(func(n *Task) { n.Name, n.Shared = "external", true }) }
	gone := func() *Task { return nodes(func(n *Task) { n.Name, n.Shared, n.State = "external", true, "absent" }) }
	moduletest.Do(t, outside(), c1)
	if got := moduletest.Texts(t, outside(), c2); !slices.Equal(got, []string{"share logical switch external with cluster c1"}) {
		t.Errorf("second cluster: %q", got)
	}
	moduletest.Do(t, outside(), c2)
	for _, h := range []module.Host{c1, c2} {
		if left := moduletest.Texts(t, outside(), h); len(left) > 0 {
			t.Errorf("planned again: %q", left)
		}
	}
	if got := moduletest.Texts(t, gone(), c1); !slices.Equal(got, []string{"leave logical switch external to cluster c2"}) {
		t.Errorf("first cluster leaves: %q", got)
	}
	moduletest.Do(t, gone(), c1)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name,external_ids"); !slices.Contains(got, "external|kinit-owner-c2=true") {
		t.Errorf("switches %q, want external left to c2", got)
	}
	moduletest.Do(t, gone(), c2)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name"); !slices.Equal(got, []string{"foreign"}) {
		t.Errorf("switches %q, want only foreign", got)
	}
}

func TestSharedSwitchIsNotTakenOver(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	shared := func(set func(*Task)) *Task { return nodes(func(n *Task) { n.Shared = true; set(n) }) }
	ovntest.Refused(t, s.Host("c1"), shared(func(n *Task) { n.Name = "foreign" }),
		`logical switch foreign exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with "ovn-nbctl ls-del foreign" if nothing needs it`)
	moduletest.Do(t, shared(func(*Task) {}), s.Host("c1"))
	ovntest.Refused(t, s.Host("c2"), shared(func(n *Task) { n.OtherConfig = map[string]string{"a": "b"} }),
		"logical switch k8s differs, and it is shared by cluster c1; give all the same arguments\nchange logical switch k8s\n  other_config:a: none -> b")
}

func TestSwitchWithForeignPortsStays(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	moduletest.Do(t, nodes(nil), h)
	s.NB("lsp-add", "k8s", "theirs")
	ovntest.Refused(t, h, nodes(func(n *Task) { n.State = "absent" }),
		`logical switch k8s has ports that are not owned by cluster c1: theirs; remove them with "ovn-nbctl lsp-del" if nothing needs them`)
}

func TestSwitchWithoutOwnerHasNoMark(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	for _, shared := range []bool{false, true} {
		moduletest.Run(t, moduletest.Case{
			New:    func() module.Task { return nodes(func(n *Task) { n.Shared = shared }) },
			Absent: func() module.Task { return nodes(func(n *Task) { n.Shared, n.State = shared, "absent" }) },
			Host:   s.Host(""),
		})
	}
}

func TestAbsentWithoutOVNIsDone(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "c1")
	if got := moduletest.Texts(t, nodes(func(n *Task) { n.State = "absent" }), h); len(got) > 0 {
		t.Errorf("steps %q, want none", got)
	}
}
