package ovsbridge

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

// bridge makes a task with the defaults and the given arguments.
func bridge(set func(*Task)) func() module.Task {
	return func() module.Task {
		return moduletest.Make(Kind(), set)
	}
}

func external(t *Task) {
	t.Name, t.DatapathType, t.MAC, t.MTU = "br-ex", "netdev", "52:54:00:ac:10:fe", 1400
	t.Addresses = []string{"172.16.0.254/24"}
}

func TestBridgeOnRealOpenVSwitch(t *testing.T) {
	t.Parallel()
	m := ovntest.StartMachine(t)
	m.VS("add-br", "other", "--", "set", "bridge", "other", "datapath_type=netdev")
	h := m.Host("c1")
	moduletest.Run(t, moduletest.Case{New: bridge(external), Host: h, Snapshot: func() string { return m.VS("show") }})
	want := "br-ex|netdev|hwaddr=52:54:00:ac:10:fe|kinit-owner-c1=true"
	if got := m.Rows(ovn.Switch(), "Bridge", "name,datapath_type,other_config,external_ids"); !slices.Contains(got, want) {
		t.Errorf("bridges %q, want %q", got, want)
	}
	if got := m.Output("ip", "-br", "addr", "show", "dev", "br-ex"); !strings.Contains(got, "172.16.0.254/24") {
		t.Errorf("br-ex has %q, want 172.16.0.254/24", got)
	}
	if got := m.Output("ip", "link", "show", "dev", "br-ex"); !strings.Contains(got, "mtu 1400") || !strings.Contains(got, "52:54:00:ac:10:fe") {
		t.Errorf("br-ex is %q, want mtu 1400 and its MAC", got)
	}
	m.Output("ip", "addr", "add", "172.17.0.1/24", "dev", "br-ex")
	want = "configure device br-ex\n  ip addr del 172.17.0.1/24 dev br-ex\n  ip addr replace 172.16.0.254/24 dev br-ex"
	if got := moduletest.Texts(t, bridge(external)(), h); !slices.Equal(got, []string{want}) {
		t.Errorf("after an address was added by hand: %q, want %q", got, want)
	}
	remove(t, h, "br-ex")
	if got := m.VS("list-br"); got != "other" {
		t.Errorf("bridges left: %q, want other", got)
	}
}

func remove(t *testing.T, h module.Host, name string) {
	t.Helper()
	moduletest.Do(t, bridge(func(b *Task) { b.Name, b.State = name, "absent" })(), h)
}

// dummy starts Open vSwitch with dummy devices, which needs no rights.
func dummy(t *testing.T) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Switch())
	s.DummyVswitchd()
	return s
}

func TestBridgeGoesWithItsLastCluster(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	c1, c2 := s.Host("c1"), s.Host("c2")
	plain := bridge(func(b *Task) { b.Name = "br-ex" })
	moduletest.Do(t, plain(), c1)
	if got := moduletest.Texts(t, plain(), c2); !slices.Equal(got, []string{"share bridge br-ex with cluster c1"}) {
		t.Errorf("second cluster: %q", got)
	}
	moduletest.Do(t, plain(), c2)
	remove(t, c1, "br-ex")
	if got := s.Rows(ovn.Switch(), "Bridge", "name,external_ids"); !slices.Equal(got, []string{"br-ex|kinit-owner-c2=true"}) {
		t.Errorf("after the first cluster left: %q", got)
	}
	remove(t, c2, "br-ex")
	if got := s.VS("list-br"); got != "" {
		t.Errorf("after the last cluster left: %q, want no bridge", got)
	}
}

func TestBridgeOfAnotherClusterIsNotChanged(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	moduletest.Do(t, bridge(func(b *Task) { b.Name = "br-ex" })(), s.Host("c1"))
	_, err := bridge(func(b *Task) { b.Name, b.FailMode = "br-ex", "secure" })().Plan(t.Context(), s.Host("c2"))
	want := "bridge br-ex differs, and it is shared by cluster c1; give all the same arguments\nchange bridge br-ex\n  fail_mode: none -> secure"
	if err == nil || err.Error() != want {
		t.Errorf("plan: %v, want %q", err, want)
	}
}

func TestBridgeThatWasThereIsUsedAndNeverClaimed(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	s.VS("add-br", "br-ex", "--", "set-fail-mode", "br-ex", "secure")
	h := s.Host("c1")
	if got := moduletest.Texts(t, bridge(func(b *Task) { b.Name, b.FailMode = "br-ex", "secure" })(), h); len(got) > 0 {
		t.Errorf("steps %q, want none", got)
	}
	_, err := bridge(func(b *Task) { b.Name, b.FailMode = "br-ex", "standalone" })().Plan(t.Context(), h)
	want := "bridge br-ex was there before kinit and differs; change the arguments, or the thing itself by hand\nchange bridge br-ex\n  fail_mode: secure -> standalone"
	if err == nil || err.Error() != want {
		t.Errorf("plan: %v, want %q", err, want)
	}
	_, err = bridge(func(b *Task) { b.Name, b.State = "br-ex", "absent" })().Plan(t.Context(), h)
	want = "bridge br-ex exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with \"ovs-vsctl del-br br-ex\" if nothing needs it"
	if err == nil || err.Error() != want {
		t.Errorf("absent: %v, want %q", err, want)
	}
}

func TestIntegrationBridgeChangesDatapathAndIsRestored(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	s.VS("add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=system", "fail_mode=secure", "other_config:disable-in-band=true")
	integration := bridge(func(b *Task) { b.Name, b.DatapathType, b.FailMode = "br-int", "netdev", "secure" })
	c1, c2 := s.Host("c1"), s.Host("c2")
	moduletest.Do(t, integration(), c1)
	moduletest.Do(t, integration(), c2)
	if left := moduletest.Texts(t, integration(), c1); len(left) > 0 {
		t.Errorf("planned again: %q", left)
	}
	want := "netdev|kinit-prior-datapath_type=system kinit-users-datapath_type=c1,c2"
	if got := s.Rows(ovn.Switch(), "Bridge", "datapath_type,external_ids"); !slices.Equal(got, []string{want}) {
		t.Errorf("bridge %q, want %q", got, want)
	}
	remove(t, c1, "br-int")
	if got := s.VS("get", "bridge", "br-int", "datapath_type"); got != "netdev" {
		t.Errorf("datapath %q after the first cluster left, want netdev", got)
	}
	remove(t, c2, "br-int")
	if got := s.VS("get", "bridge", "br-int", "datapath_type", "external_ids"); got != "system\n{}" {
		t.Errorf("bridge %q after the last cluster left, want system and no keys", got)
	}
}

func TestBridgeWithForeignPortsStays(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	h := s.Host("c1")
	moduletest.Do(t, bridge(func(b *Task) { b.Name = "br-ex" })(), h)
	s.VS("add-port", "br-ex", "theirs")
	steps := moduletest.Steps(t, bridge(func(b *Task) { b.Name, b.State = "br-ex", "absent" })(), h)
	err := steps[0].Do(t.Context(), h)
	want := "bridge br-ex has ports that are not owned by cluster c1: theirs; remove them with \"ovs-vsctl del-port\" if nothing needs them"
	if err == nil || err.Error() != want {
		t.Errorf("delete: %v, want %q", err, want)
	}
}

func TestBridgeWithoutOwnerHasNoMark(t *testing.T) {
	t.Parallel()
	s := dummy(t)
	h := s.Host("")
	plain := bridge(func(b *Task) { b.Name = "br-ex" })
	moduletest.Run(t, moduletest.Case{New: plain, Host: h, Absent: bridge(func(b *Task) { b.Name, b.State = "br-ex", "absent" })})
	if got := s.VS("list-br"); got != "" {
		t.Errorf("bridges left: %q", got)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*Task){
		`name "": a device's name has 1 to 15 characters`:                                     func(b *Task) {},
		`datapath_type is "x", want one of system, netdev`:                                    func(b *Task) { b.Name, b.DatapathType = "b", "x" },
		`fail_mode is "x", want one of standalone, secure`:                                    func(b *Task) { b.Name, b.FailMode = "b", "x" },
		`mtu is 1, want 68 to 65535 bytes`:                                                    func(b *Task) { b.Name, b.MTU = "b", 1 },
		`mac: "AA:00:00:00:00:01" is no MAC address in lower case, such as 52:54:00:00:00:01`: func(b *Task) { b.Name, b.MAC = "b", "AA:00:00:00:00:01" },
		`addresses: "10.0.0.1" is no address with prefix length, such as 10.0.0.1/24`:         func(b *Task) { b.Name, b.Addresses = "b", []string{"10.0.0.1"} },
		`state is "gone", want one of present, absent`:                                        func(b *Task) { b.Name, b.State = "b", "gone" },
	} {
		task := bridge(set)().(*Task)
		moduletest.Refused(t, task, want)
	}
}
