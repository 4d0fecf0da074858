package ovssweep

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

func sweepAll() module.Task { return &Task{Sweep: ovn.Sweep{All: true}} }

// start is a machine with a bridge, a port and settings of its administrator.
func start(t *testing.T) *ovntest.Machine {
	m := ovntest.StartMachine(t)
	m.VS("add-br", "theirs", "--", "set", "bridge", "theirs", "datapath_type=netdev", "--", "add-port", "theirs", "theirs0",
		"--", "set", "interface", "theirs0", "type=internal", "--", "set", "Open_vSwitch", ".", "external_ids:keep=this")
	return m
}

// cluster plants everything a cluster has, as the modules write it.
func cluster(t *testing.T, m *ovntest.Machine, name string) {
	t.Helper()
	mine, shares := "external_ids:kinit-owner="+name, "external_ids:kinit-owner-"+name+"=true"
	for _, bridge := range []string{"br-ex", "br-int"} {
		m.VS("--may-exist", "add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev", shares)
	}
	m.VS("add-port", "br-int", name+"-mgmt", "--", "set", "interface", name+"-mgmt", "type=internal", "--", "set", "port", name+"-mgmt", mine)
	m.Output("ip", "link", "add", name+"-svc", "type", "veth", "peer", "name", name+"-in")
	m.VS("add-port", "br-int", name+"-svc", "--", "set", "port", name+"-svc", mine, "external_ids:kinit-device=veth")
	m.Output("ip", "link", "add", name+"-nic", "type", "veth", "peer", "name", name+"-far")
	m.Output("ip", "addr", "add", "192.0.2.7/24", "dev", name+"-nic")
	m.VS("add-port", "br-ex", name+"-nic", "--", "set", "port", name+"-nic", mine, "external_ids:kinit-addresses=192.0.2.7/24")
	m.Output("ip", "link", "add", name+"-half", "type", "veth", "peer", "name", name+"-h")
	m.Output("ip", "link", "set", "dev", name+"-half", "alias", "kinit-owner="+name)
	m.VS("set", "Open_vSwitch", ".", "external_ids:ovn-remote=ssl:x", "external_ids:kinit-users-ovn-remote="+name, "external_ids:kinit-prior-ovn-remote=old",
		"--", "set", "Open_vSwitch", ".", "external_ids:ovn-bridge-mappings=a:b,provider:br-ex", `external_ids:kinit-users-ovn-bridge-mappings/provider=`+name,
		"--", "--id=@s", "create", "SSL", "private_key=k", "certificate=c", "ca_cert=a", shares, "--", "set", "Open_vSwitch", ".", "ssl=@s")
}

func TestSweepRemovesAllOfTheClusterAndNothingElse(t *testing.T) {
	t.Parallel()
	m := start(t)
	before := m.VS("list-br")
	cluster(t, m, "c1")
	h := m.Host("c1")
	want := []string{
		"delete port c1-mgmt of bridge br-int", "delete port c1-nic of bridge br-ex", "delete port c1-svc of bridge br-int", "delete veth c1-half",
		"change the settings of Open vSwitch\n  external_ids:kinit-prior-ovn-remote: old -> none\n" +
			"  external_ids:kinit-users-ovn-bridge-mappings/provider: c1 -> none\n  external_ids:kinit-users-ovn-remote: c1 -> none\n" +
			"  external_ids:ovn-bridge-mappings: a:b,provider:br-ex -> a:b\n  external_ids:ovn-remote: ssl:x -> old\nuse no TLS in Open vSwitch",
		"delete bridge br-ex", "delete bridge br-int",
	}
	if got := moduletest.Texts(t, sweepAll(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q\nwant %q", got, want)
	}
	if got := moduletest.Count(t, &Task{}, h); got != 7 {
		t.Errorf("count before: %d, want 7", got)
	}
	moduletest.Run(t, moduletest.Case{New: sweepAll, Host: h, Snapshot: func() string { return m.VS("show") + m.Output("ip", "-br", "link") }})
	if after := m.VS("list-br"); after != before {
		t.Errorf("bridges %q, want %q", after, before)
	}
	if got := m.VS("get", "Open_vSwitch", ".", "external_ids"); got != `{keep=this, ovn-bridge-mappings="a:b", ovn-remote=old}` {
		t.Errorf("settings %q", got)
	}
	devices := m.Output("ip", "-br", "addr")
	if strings.Contains(devices, "c1-svc") || strings.Contains(devices, "c1-half") || strings.Contains(devices, "192.0.2.7") || !strings.Contains(devices, "c1-nic") {
		t.Errorf("devices %q, want c1-nic without its address and no veth", devices)
	}
	if got := moduletest.Count(t, &Task{}, h); got != 0 {
		t.Errorf("count after: %d, want 0", got)
	}
}

func TestSweepKeepsWhatIsNamedAndTheSettings(t *testing.T) {
	t.Parallel()
	m := start(t)
	cluster(t, m, "c1")
	h := m.Host("c1")
	task := func() module.Task {
		return &Task{Sweep: ovn.Sweep{Keep: []string{"br-int", "br-ex", "c1-nic", "c1-half"}}}
	}
	if got, want := moduletest.Texts(t, task(), h), []string{"delete port c1-mgmt of bridge br-int", "delete port c1-svc of bridge br-int"}; !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Run(t, moduletest.Case{New: task, Host: h})
	if got := moduletest.Count(t, &Task{}, h); got != 5 {
		t.Errorf("count after: %d, want 5", got)
	}
}

func TestSweepLeavesSharedBridges(t *testing.T) {
	t.Parallel()
	m := start(t)
	cluster(t, m, "c1")
	m.VS("set", "bridge", "br-ex", "external_ids:kinit-owner-c2=true")
	moduletest.Do(t, sweepAll(), m.Host("c1"))
	if got := m.VS("list-br"); got != "br-ex\ntheirs" {
		t.Errorf("bridges left %q, want br-ex and theirs", got)
	}
}

func TestSweepNamesWhatKeepsABridgeAndGoesOnBefore(t *testing.T) {
	t.Parallel()
	m := start(t)
	cluster(t, m, "c1")
	m.VS("add-port", "br-ex", "guest0", "--", "set", "interface", "guest0", "type=internal")
	// The port of a guest that was killed keeps nothing.
	m.VS("add-port", "br-int", "dead0")
	ovntest.Refused(t, m.Host("c1"), sweepAll(),
		`bridge br-ex has ports that are not owned by cluster c1: guest0; remove them with "ovs-vsctl del-port" if nothing needs them`)
	if got := m.VS("list-br"); got != "br-ex\ntheirs" {
		t.Errorf("bridges left %q, want br-ex and theirs", got)
	}
}

func TestSweepWithoutOpenVSwitchOrOwnerIsDone(t *testing.T) {
	t.Parallel()
	bare := moduletest.NewFakeHost(t, "c1")
	bare.On("ip", "-json", "-details", "addr", "show").Out("[]")
	for _, h := range []module.Host{bare, start(t).Host("")} {
		if got := moduletest.Texts(t, sweepAll(), h); len(got) > 0 {
			t.Errorf("steps %q, want none", got)
		}
		if got := moduletest.Count(t, &Task{}, h); got != 0 {
			t.Errorf("count %d, want 0", got)
		}
	}
}

// Debian's package has a link where the database is expected, and the first start makes the file.
func TestOpenVSwitchThatWasNeverStartedIsNothing(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "c1")
	h.On("ip", "-json", "-details", "addr", "show").Out("[]")
	h.FS.Put("/etc/openvswitch/default.conf", "", 0o644)
	if err := h.FS.Symlink(t.Context(), "/var/lib/openvswitch/conf.db", ovn.Switch().File); err != nil {
		t.Fatal(err)
	}
	if got := moduletest.Texts(t, sweepAll(), h); len(got) > 0 {
		t.Errorf("steps %q, want none", got)
	}
}

// The engine lets ports of nodes that stay go only if something names them. A sweep of all says itself what it removes.
func TestPortsThatMayBelongToNodesAreListedForTheEngine(t *testing.T) {
	t.Parallel()
	m := start(t)
	cluster(t, m, "c1")
	m.VS("set", "interface", "c1-svc", "external_ids:iface-id=the-port-of-a-node")
	h := m.Host("c1")
	want := []module.Removed{{Kind: "port of node", Parts: []string{"the-port-of-a-node"}}}
	if diff := cmp.Diff(want, module.Removals(moduletest.Steps(t, &Task{}, h))); diff != "" {
		t.Errorf("removals (-want +got):\n%s", diff)
	}
	if got := module.Removals(moduletest.Steps(t, sweepAll(), h)); len(got) > 0 {
		t.Errorf("a sweep of all lists %v", got)
	}
}
