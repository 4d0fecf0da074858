package ovnmember_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn/ovntest"
	"kinit/modules/internal/ovn/raft"
	"kinit/modules/internal/roottest"
	"kinit/modules/ovn_member"
)

func northbound(t *testing.T) raft.Database {
	t.Helper()
	db, found := raft.Find("northbound")
	if !found {
		t.Fatal("no northbound database")
	}
	return db
}

// member is a task for the member with an address. The join is long on a busy machine.
func member(t *testing.T, address, more string) *ovnmember.Task {
	t.Helper()
	return moduletest.Decode(t, ovnmember.Kind(), fmt.Sprintf("database = \"northbound\"\naddress = %q\nunit = \"test-northbound.service\"\nelection = \"1s\"\n%s",
		address, more)).(*ovnmember.Task)
}

func joining(t *testing.T, address, of string) *ovnmember.Task {
	t.Helper()
	return member(t, address, fmt.Sprintf("join = [%q]", of))
}

func address(t *testing.T) string { return "tcp:" + need.Address(t) }

func state(t *testing.T, h module.Host) raft.State {
	t.Helper()
	s, err := raft.Read(t.Context(), h, northbound(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve starts the member that the task has made, and waits until it knows its leader.
func serve(t *testing.T, h *ovntest.Hypervisor, task *ovnmember.Task) {
	t.Helper()
	moduletest.Settle(t, task, h)
	h.Systemctl(t, "start", northbound(t))
	for !state(t, h).Led() {
		if t.Context().Err() != nil {
			t.Fatal("no leader")
		}
	}
	moduletest.Same(t, "steps when it serves", len(roottest.Planned(t, h, task)), 0)
}

func mark(founder bool) module.Mark {
	return module.Mark{Kind: "ovn_member", ID: "northbound", Prior: fmt.Sprintf(`{"unit":"test-northbound.service","founder":%t}`, founder)}
}

func TestFirstMemberKeepsWhatItsDatabaseHas(t *testing.T) {
	t.Parallel()
	h, at := ovntest.StartHypervisor(t, "demo"), address(t)
	h.Systemctl(t, "start", northbound(t))
	h.NB(t, "ls-add", "kept")
	h.Systemctl(t, "stop", northbound(t))
	moduletest.Run(t, moduletest.Case{Host: h, New: func() module.Task { return member(t, at, "") }})
	serve(t, h, member(t, at, ""))
	moduletest.Same(t, "switches", h.NB(t, "--bare", "--columns=name", "list", "Logical_Switch"), "kept")
	moduletest.Same(t, "servers", moduletest.Outputs(t, member(t, at, ""), h)["servers"].AsValueSlice()[0].AsString(), at)
	moduletest.Marks(t, h, mark(true))

	h.NB(t, "ls-add", "later")
	for range 2 {
		if err := ovnmember.Undo(t.Context(), h, mark(true)); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "kind after the end", state(t, h).Kind, raft.Standalone)
	h.Systemctl(t, "start", northbound(t))
	moduletest.Same(t, "switches after the end", h.NB(t, "--bare", "--columns=name", "find", "Logical_Switch", "name=later"), "later")
	moduletest.Same(t, "files", strings.Fields(h.Shell(t, "ls /var/lib/ovn")), []string{"ovnnb_db.db", "ovnsb_db.db"})
}

func TestServerOfSomebodyElseIsNotReplaced(t *testing.T) {
	t.Parallel()
	h := ovntest.StartHypervisor(t, "demo")
	h.Shell(t, "mkdir -p /run/ovn; ovsdb-server --detach --pidfile=/run/ovn/ovnnb_db.pid --unixctl=/run/ovn/theirs.ctl -vconsole:off /var/lib/ovn/ovnnb_db.db")
	task := moduletest.Decode(t, ovnmember.Kind(), "database = \"northbound\"\naddress = \"tcp:127.0.0.1:1\"\nunit = \"another.service\"")
	err := moduletest.Steps(t, task, h)[0].Do(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "a server of this database still runs (process ") {
		t.Errorf("error %v", err)
	}
	moduletest.Same(t, "kind", state(t, h).Kind, raft.Standalone)
}

func TestThreeMembersGoOnWithoutTheFirst(t *testing.T) {
	t.Parallel()
	db := northbound(t)
	a, b, c := ovntest.StartHypervisor(t, "demo"), ovntest.StartHypervisor(t, "demo"), ovntest.StartHypervisor(t, "demo")
	first, second, third := address(t), address(t), address(t)
	serve(t, a, member(t, first, ""))
	a.NB(t, "ls-add", "shared")

	moduletest.Same(t, "steps", roottest.Planned(t, b, joining(t, second, first)),
		[]string{"let the northbound database of OVN join " + first + ", at " + second})
	serve(t, b, joining(t, second, first))
	serve(t, c, joining(t, third, first))
	moduletest.Marks(t, c, mark(false))
	moduletest.Same(t, "what the third has", c.NB(t, "--bare", "--columns=name", "list", "Logical_Switch"), "shared")
	moduletest.Same(t, "servers", len(state(t, c).Servers), 3)

	// The first, which leads, is gone: the others elect a leader, and take changes.
	a.Systemctl(t, "stop", db)
	b.NB(t, "ls-add", "without-the-first")
	serve(t, a, member(t, first, ""))
	moduletest.Same(t, "what the first has", a.NB(t, "--bare", "--columns=name", "find", "Logical_Switch", "name=without-the-first"), "without-the-first")

	// The third is taken out while it is away. When it is back, it joins again.
	gone := state(t, c)
	c.Systemctl(t, "stop", db)
	a.Shell(t, `until ovn-appctl --timeout=20 -t /run/ovn/ovnnb_db.ctl cluster/kick OVN_Northbound "$1"; do sleep 0.1; done`, gone.Server[:4])
	for len(state(t, a).Servers) != 2 {
		if t.Context().Err() != nil {
			t.Fatal("the third is still a member")
		}
	}
	now := state(t, a)
	again := member(t, third, fmt.Sprintf("join = [%q]\ncluster = %q\nservers = [%q, %q]", first, now.Cluster, now.Servers[0].ID, now.Servers[1].ID))
	moduletest.Same(t, "steps of the third", roottest.Planned(t, c, again),
		[]string{"let the northbound database of OVN rejoin " + first + " at " + third})
	moduletest.Settle(t, again, c)
	c.Systemctl(t, "start", db)
	for !state(t, c).Led() || len(state(t, a).Servers) != 3 {
		if t.Context().Err() != nil {
			t.Fatal("the third is no member again")
		}
	}

	// The end: who joined has what it had before, which is nothing.
	for range 2 {
		if err := ovnmember.Undo(t.Context(), c, mark(false)); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "kind of the third", state(t, c).Kind, raft.Standalone)
	moduletest.Same(t, "servers without the third", len(state(t, a).Servers), 2)
	moduletest.Same(t, "files of the third", strings.Fields(c.Shell(t, "ls /var/lib/ovn")), []string{"ovnnb_db.db", "ovnsb_db.db"})
}

func TestDatabaseWithContentOfItsOwnDoesNotJoin(t *testing.T) {
	t.Parallel()
	h := ovntest.StartHypervisor(t, "demo")
	h.Systemctl(t, "start", northbound(t))
	h.NB(t, "ls-add", "web", "--", "lr-add", "edge")
	h.Systemctl(t, "stop", northbound(t))
	want := "OVN's northbound database on localhost has logical switches and routers of its own, which would be lost if it joined the others: web, edge. Remove them with ovn-nbctl, or take another hypervisor"
	moduletest.Same(t, "plan", roottest.Planned(t, h, joining(t, "tcp:127.0.0.1:2", "tcp:127.0.0.1:1")), []string{"error: " + want})
}

func TestMemberOfAnotherClusterIsNotGivenUp(t *testing.T) {
	t.Parallel()
	h, at := ovntest.StartHypervisor(t, "demo"), address(t)
	serve(t, h, member(t, at, ""))
	other := member(t, at, `join = ["tcp:127.0.0.1:1"]`+"\ncluster = \"c\"\nservers = [\"0000\"]")
	got := roottest.Planned(t, h, other)[0]
	if want := "error: the northbound database is a member of another cluster of databases (" + state(t, h).Cluster + ", not c); move /var/lib/ovn/ovnnb_db.db away on this host if nothing needs it, and run again"; got != want {
		t.Errorf("plan %q, want %q", got, want)
	}
	got = roottest.Planned(t, h, member(t, "tcp:127.0.0.1:9", ""))[0]
	if want := "error: the northbound database is a member with the address " + at + ", and a member keeps its address: want tcp:127.0.0.1:9. Take the host out of the cluster, and run again with it"; got != want {
		t.Errorf("plan %q, want %q", got, want)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*ovnmember.Task){
		`"192.0.2.1" is no address of a member, want one such as "ssl:192.0.2.1:6643"`: func(m *ovnmember.Task) { m.Address = "192.0.2.1" },
		`"ssl:x" is no address of a member, want one such as "ssl:192.0.2.1:6643"`:     func(m *ovnmember.Task) { m.Join = []string{"ssl:x"} },
		`join has the member's own address tcp:127.0.0.1:1`:                            func(m *ovnmember.Task) { m.Join = []string{m.Address} },
		`unit is empty, want the unit that serves the member`:                          func(m *ovnmember.Task) { m.Unit = "" },
		`database is "east", want one of northbound, southbound`:                       func(m *ovnmember.Task) { m.Database = "east" },
	} {
		task := member(t, "tcp:127.0.0.1:1", "")
		set(task)
		moduletest.Refused(t, task, want)
	}
}
