package ovnsweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

// start has foreign rows in every table.
func start(t *testing.T) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Northbound(), ovn.Southbound())
	s.NB("ls-add", "foreign", "--", "lsp-add", "foreign", "foreign-port", "--", "lr-add", "foreign",
		"--", "lrp-add", "foreign", "foreign-lrp", "02:00:00:00:00:01", "192.0.2.1/24",
		"--", "lr-nat-add", "foreign", "snat", "192.0.2.9", "10.0.0.0/24", "--", "lr-route-add", "foreign", "0.0.0.0/0", "192.0.2.254",
		"--", "ha-chassis-group-add", "foreign", "--", "ha-chassis-group-add-chassis", "foreign", "x", "1",
		"--", "create", "DHCP_Options", "cidr=10.0.0.0/24")
	s.SB("set-connection", "punix:"+s.Dir+"/foreign.sock")
	return s
}

// cluster plants everything a cluster has, as the modules write it.
func cluster(s *ovntest.Servers, name string) {
	mine, shares := "external_ids:kinit-owner="+name, "external_ids:kinit-owner-"+name+"=true"
	s.NB("--may-exist", "ls-add", "external", "--", "set", "Logical_Switch", "external", shares,
		"--", "--may-exist", "lsp-add", "external", "external-localnet", "--", "set", "Logical_Switch_Port", "external-localnet", "type=localnet", shares,
		"--", "ls-add", name, "--", "set", "Logical_Switch", name, mine)
	for _, port := range []string{name + "-node-1", name + "-node-2"} {
		s.NB("lsp-add", name, port, "--", "set", "Logical_Switch_Port", port, mine)
	}
	s.NB("lr-add", name, "--", "set", "Logical_Router", name, mine)
	for _, to := range []string{name, "external"} {
		lrp, lsp := name+"-to-"+to, to+"-to-"+name
		s.NB("lrp-add", name, lrp, "02:00:00:00:00:09", "10.0.0.254/24", "--", "set", "Logical_Router_Port", lrp, mine,
			"--", "lsp-add", to, lsp, "--", "set", "Logical_Switch_Port", lsp, "type=router", "options:router-port="+lrp, mine)
	}
	s.NB("--id=@c", "create", "HA_Chassis", "chassis_name=x", "priority=1", mine,
		"--", "--id=@g", "create", "HA_Chassis_Group", "name="+name+"-to-external", "ha_chassis=@c", mine,
		"--", "set", "Logical_Router_Port", name+"-to-external", "ha_chassis_group=@g",
		"--", "--id=@n", "create", "NAT", "type=snat", "external_ip=172.16.0.1", "logical_ip=10.0.0.0/24", mine, "--", "add", "Logical_Router", name, "nat", "@n",
		"--", "create", "DHCP_Options", "cidr=10.0.0.0/24", mine, "external_ids:kinit-name="+name)
	s.SB("--id=@s", "create", "SSL", "private_key=k", "certificate=c", "ca_cert=a", shares, "--", "set", "SB_Global", ".", "ssl=@s",
		"--", "--id=@c", "create", "Connection", `target="punix:`+s.Dir+`/`+name+`.sock"`, shares, "--", "add", "SB_Global", ".", "connections", "@c")
}

// rows are the marks and names of everything in both databases.
func rows(s *ovntest.Servers) string {
	var all []string
	for _, table := range []string{"Logical_Router name,nat,static_routes", "Logical_Router_Port name", "NAT external_ip", "Logical_Router_Static_Route ip_prefix",
		"HA_Chassis_Group name", "HA_Chassis chassis_name", "Logical_Switch name,ports", "Logical_Switch_Port name", "DHCP_Options cidr"} {
		name, columns, _ := strings.Cut(table, " ")
		all = append(all, name+": "+strings.Join(s.Rows(ovn.Northbound(), name, columns+",external_ids"), "; "))
	}
	for _, table := range []string{"Connection target", "SSL private_key"} {
		name, columns, _ := strings.Cut(table, " ")
		all = append(all, name+": "+strings.Join(s.Rows(ovn.Southbound(), name, columns+",external_ids"), "; "))
	}
	return strings.Join(all, "\n")
}

func sweepAll() module.Task { return &Task{Sweep: ovn.Sweep{All: true}} }

func TestSweepRemovesAllOfTheClusterAndNothingElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	before := rows(s)
	cluster(s, "c1")
	h := s.Host("c1")
	if got := moduletest.Count(t, &Task{}, h); got != 16 {
		t.Errorf("count before: %d, want 16", got)
	}
	want := []string{
		"delete logical router c1 with 2 ports, 1 translations and 0 routes",
		"delete logical switch c1 with 3 ports",
		"delete logical switch external with 2 ports",
		"delete DHCP options c1",
		"delete listener punix:" + s.Dir + "/c1.sock\nuse no TLS in the southbound database",
	}
	if got := moduletest.Texts(t, sweepAll(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q\nwant %q", got, want)
	}
	moduletest.Run(t, moduletest.Case{New: sweepAll, Host: h, Snapshot: func() string { return rows(s) }})
	if after := rows(s); after != before {
		t.Errorf("after the sweep:\n%s\nwant as before:\n%s", after, before)
	}
	if got := moduletest.Count(t, &Task{}, h); got != 0 {
		t.Errorf("count after: %d, want 0", got)
	}
}

func TestSweepLeavesOtherClustersTheirShare(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	c1, c2 := s.Host("c1"), s.Host("c2")
	s.NB("ls-add", "c2", "--", "set", "Logical_Switch", "c2", "external_ids:kinit-owner=c2",
		"--", "set", "Logical_Switch", "external", "external_ids:kinit-owner-c2=true",
		"--", "set", "Logical_Switch_Port", "external-localnet", "external_ids:kinit-owner-c2=true")
	want := []string{
		"delete logical router c1 with 2 ports, 1 translations and 0 routes",
		"leave port external-localnet to cluster c2",
		"delete logical switch c1 with 3 ports",
		"leave logical switch external to cluster c2",
		"delete DHCP options c1",
	}
	if got := moduletest.Texts(t, sweepAll(), c1); !slices.Equal(got[:5], want) {
		t.Errorf("steps %q\nwant %q first", got, want)
	}
	moduletest.Do(t, sweepAll(), c1)
	got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", "name,external_ids")
	if want := []string{"external-localnet|kinit-owner-c2=true", "foreign-port|"}; !slices.Equal(got, want) {
		t.Errorf("ports left %q, want %q", got, want)
	}
	if moduletest.Count(t, &Task{}, c1) != 0 || moduletest.Count(t, &Task{}, c2) != 3 {
		t.Errorf("counts %d and %d, want 0 and 3", moduletest.Count(t, &Task{}, c1), moduletest.Count(t, &Task{}, c2))
	}
	moduletest.Do(t, sweepAll(), c2)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name"); !slices.Equal(got, []string{"foreign"}) {
		t.Errorf("switches left %q", got)
	}
}

func TestSweepKeepsWhatIsNamed(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	h := s.Host("c1")
	// A router port of an earlier spec is gone, its peer and its group are not.
	s.NB("lsp-add", "c1", "c1-to-old", "--", "set", "Logical_Switch_Port", "c1-to-old", "type=router", "options:router-port=old", "external_ids:kinit-owner=c1",
		"--", "create", "HA_Chassis_Group", "name=old", "external_ids:kinit-owner=c1")
	task := func() module.Task {
		return &Task{Sweep: ovn.Sweep{Keep: []string{"c1", "external", "external-localnet", "c1-node-1"}}}
	}
	want := []string{"delete port c1-node-2 of logical switch c1", "delete port c1-to-old of logical switch c1", "delete chassis group old"}
	if got := moduletest.Texts(t, task(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Run(t, moduletest.Case{New: task, Host: h, Snapshot: func() string { return rows(s) }})
	if got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", "name"); !slices.Equal(got,
		[]string{"c1-node-1", "c1-to-c1", "external-localnet", "external-to-c1", "foreign-port"}) {
		t.Errorf("ports left %q", got)
	}
	if got := s.Rows(ovn.Northbound(), "HA_Chassis_Group", "name"); !slices.Equal(got, []string{"c1-to-external", "foreign"}) {
		t.Errorf("chassis groups left %q", got)
	}
}

func TestSweepRemovesRoutesThatARemainingRouterNoLongerHas(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	h := s.Host("c1")
	for prefix, owner := range map[string]string{"0.0.0.0/0": "c1", "10.244.1.0/24": "c1", "10.244.2.0/24": "c1", "10.9.0.0/16": "somebody"} {
		s.NB("--id=@r", "create", "Logical_Router_Static_Route", "ip_prefix="+prefix, "nexthop=10.0.0.1", "external_ids:kinit-owner="+owner,
			"--", "add", "Logical_Router", "c1", "static_routes", "@r")
	}
	keep := []string{"c1", "external", "external-localnet", "c1-node-1", "c1-node-2"}
	if got := moduletest.Texts(t, &Task{Sweep: ovn.Sweep{Keep: keep}}, h); len(got) > 0 {
		t.Errorf("without keep_routes steps %q, want none", got)
	}
	task := func() module.Task {
		return &Task{Sweep: ovn.Sweep{Keep: keep}, KeepRoutes: []string{"0.0.0.0/0", "10.244.1.0/24"}}
	}
	want := []string{"delete route 10.244.2.0/24 via 10.0.0.1 of logical router c1"}
	if got := moduletest.Texts(t, task(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Run(t, moduletest.Case{New: task, Host: h, Snapshot: func() string { return rows(s) }})
	left := s.Rows(ovn.Northbound(), "Logical_Router_Static_Route", "ip_prefix,external_ids")
	if want := []string{"0.0.0.0/0|", "0.0.0.0/0|kinit-owner=c1", "10.244.1.0/24|kinit-owner=c1", "10.9.0.0/16|kinit-owner=somebody"}; !slices.Equal(left, want) {
		t.Errorf("routes left %q, want %q", left, want)
	}
}

func TestSweepNamesWhatKeepsASwitchAndGoesOnBefore(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	h := s.Host("c1")
	s.NB("lsp-add", "c1", "theirs")
	ovntest.Refused(t, h, sweepAll(), `logical switch c1 has ports that are not owned by cluster c1: theirs; remove them with "ovn-nbctl lsp-del" if nothing needs them`)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name"); !slices.Equal(got, []string{"c1", "foreign"}) {
		t.Errorf("switches left %q, want c1 and foreign", got)
	}
	if got := s.Rows(ovn.Northbound(), "DHCP_Options", "cidr,external_ids"); !slices.Equal(got, []string{"10.0.0.0/24|"}) {
		t.Errorf("DHCP options left %q", got)
	}
}

func TestListenerOutlivesConnectedChassis(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	h := s.Host("c1")
	s.SB("set", "SB_Global", ".", "nb_cfg=7")
	for name, change := range map[string]string{"alive": "7", "died": "3"} {
		s.SB("chassis-add", name, "geneve", "192.0.2."+change, "--", "--id=@p", "create", "Chassis_Private", "name="+name, "nb_cfg="+change)
	}
	ovntest.Refused(t, h, sweepAll(), `chassis alive are still connected and could not leave without the listener; end ovn-controller there first, with "systemctl stop ovn-controller"`)
	if got := s.Rows(ovn.Northbound(), "Logical_Switch", "name"); !slices.Equal(got, []string{"foreign"}) {
		t.Errorf("switches left %q, want only foreign", got)
	}
	s.SB("chassis-del", "alive")
	moduletest.Do(t, sweepAll(), h)
	if got := moduletest.Count(t, &Task{}, h); got != 0 {
		t.Errorf("count %d, want 0", got)
	}
}

// stopped is a host whose northbound database is stopped, with the file of a
// server of the test.
func stopped(t *testing.T, s *ovntest.Servers, owner string) *moduletest.FakeHost {
	db := ovn.Northbound()
	h := moduletest.NewFakeHost(t, owner)
	h.FS.Put(db.File, "", 0o640)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		if len(c.Argv) != 4 || c.Argv[0] != "ovsdb-tool" || c.Argv[2] != db.File {
			return moduletest.Reply{}, false
		}
		return moduletest.Reply{Stdout: s.Output("ovsdb-tool", "query", s.Dir+"/"+db.Name+".db", c.Argv[3])}, true
	})
	return h
}

func TestStoppedDatabaseWithRowsOfTheClusterIsTold(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	ovntest.Refused(t, stopped(t, s, "c1"), sweepAll(), "OVN_Northbound on fake is stopped and still has 14 rows of cluster c1; start ovn-central and try again")
	if got := moduletest.Texts(t, sweepAll(), stopped(t, s, "c2")); len(got) > 0 {
		t.Errorf("steps of another cluster %q, want none", got)
	}
}

func TestDatabaseThatWasUninstalledIsNothing(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "c1")
	h.FS.Put(ovn.Northbound().File, "", 0o640)
	h.Handle(func(moduletest.Call) (moduletest.Reply, bool) { return moduletest.Reply{Code: 127}, true })
	if got := moduletest.Texts(t, sweepAll(), h); len(got) > 0 {
		t.Errorf("steps %q, want none", got)
	}
}

func TestSweepWithoutOVNOrOwnerIsDone(t *testing.T) {
	t.Parallel()
	for _, h := range []module.Host{moduletest.NewFakeHost(t, "c1"), start(t).Host("")} {
		if got := moduletest.Texts(t, sweepAll(), h); len(got) > 0 {
			t.Errorf("steps %q, want none", got)
		}
		if got := moduletest.Count(t, &Task{}, h); got != 0 {
			t.Errorf("count %d, want 0", got)
		}
	}
}

// The engine lets ports of nodes that stay go only if something names them. A sweep of all says itself what it removes.
func TestPortsThatMayBelongToNodesAreListedForTheEngine(t *testing.T) {
	t.Parallel()
	s := start(t)
	cluster(s, "c1")
	h := s.Host("c1")
	keep := func(names ...string) module.Task {
		return &Task{Sweep: ovn.Sweep{Keep: append(names, "external", "external-localnet")}}
	}
	for name, c := range map[string]struct {
		task module.Task
		want []module.Removed
	}{
		"a port":                {keep("c1", "c1-node-1"), []module.Removed{{Kind: "port of node", Parts: []string{"c1-node-2"}}}},
		"a switch with its own": {keep(), []module.Removed{{Kind: "port of node", Parts: []string{"c1-node-1", "c1-node-2", "c1-to-c1"}}}},
		"everything":            {sweepAll(), nil},
	} {
		if diff := cmp.Diff(c.want, module.Removals(moduletest.Steps(t, c.task, h))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
