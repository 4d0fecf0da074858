package ovsport

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

func port(set func(*Task)) func() module.Task {
	return func() module.Task {
		return moduletest.Make(Kind(), set)
	}
}

func management(t *Task) {
	t.Bridge, t.Name, t.Type = "br-int", "k8s-mgmt", "internal"
	t.MAC, t.MTU, t.IfaceID = "52:54:00:00:00:c8", 1442, "8a6b5d40-1a1a-4c3e-9c39-0c3f3f3a0001"
	t.Addresses, t.Routes = []string{"10.0.0.200/24"}, map[string]string{"10.244.0.0/16": "10.0.0.254"}
}

// machine has bridge br-int and a port of somebody else.
func machine(t *testing.T) *ovntest.Machine {
	m := ovntest.StartMachine(t)
	m.VS("add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=netdev",
		"--", "add-port", "br-int", "theirs", "--", "set", "interface", "theirs", "type=internal")
	return m
}

func TestInternalPortOnRealOpenVSwitch(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	moduletest.Run(t, moduletest.Case{New: port(management), Host: h, Snapshot: func() string { return m.VS("show") }})
	want := "k8s-mgmt|internal|52:54:00:00:00:c8|1442|attached-mac=52:54:00:00:00:c8 iface-id=8a6b5d40-1a1a-4c3e-9c39-0c3f3f3a0001"
	if got := m.Rows(ovn.Switch(), "Interface", "name,type,mac,mtu_request,external_ids"); !slices.Contains(got, want) {
		t.Errorf("interfaces %q, want %q", got, want)
	}
	if got := m.Rows(ovn.Switch(), "Port", "name,external_ids"); !slices.Contains(got, "k8s-mgmt|kinit-owner=c1") {
		t.Errorf("ports %q, want k8s-mgmt with its mark", got)
	}
	if got := m.Output("ip", "-br", "addr", "show", "dev", "k8s-mgmt"); !strings.Contains(got, "10.0.0.200/24") {
		t.Errorf("k8s-mgmt has %q, want 10.0.0.200/24", got)
	}
	if got := m.Output("ip", "route", "show", "dev", "k8s-mgmt"); !strings.Contains(got, "10.244.0.0/16 via 10.0.0.254") {
		t.Errorf("routes %q, want 10.244.0.0/16 via 10.0.0.254", got)
	}
	absent := port(func(p *Task) { p.Name, p.Type, p.State = "k8s-mgmt", "internal", "absent" })
	moduletest.Do(t, absent(), h)
	if left := moduletest.Texts(t, absent(), h); len(left) > 0 {
		t.Errorf("absent, planned again: %q", left)
	}
	if got := m.VS("list-ports", "br-int"); got != "theirs" {
		t.Errorf("ports left: %q, want theirs", got)
	}
}

func TestDeviceKeepsItselfAndLosesItsAddressWhenItsPortGoes(t *testing.T) {
	t.Parallel()
	m := machine(t)
	m.Output("ip", "link", "add", "nic0", "type", "veth", "peer", "name", "far0")
	h := m.Host("c1")
	nic := func(p *Task) { p.Bridge, p.Name, p.Addresses = "br-int", "nic0", []string{"192.0.2.1/24"} }
	moduletest.Run(t, moduletest.Case{
		New: port(nic), Host: h,
		Absent: port(func(p *Task) { nic(p); p.State = "absent" }),
	})
	if got := m.Output("ip", "-br", "addr", "show", "dev", "nic0"); strings.Contains(got, "192.0.2.1") {
		t.Errorf("nic0 still has its address: %q", got)
	}
}

func TestMissingDeviceIsNamedAndSetUpOnceItIsThere(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	nic := port(func(p *Task) { p.Bridge, p.Name = "br-int", "nic0" })
	err := moduletest.Steps(t, nic(), h)[0].Do(t.Context(), h)
	want := "change Open_vSwitch: ovs-vswitchd cannot set up nic0: could not open network device nic0 (No such device)"
	if err == nil || err.Error() != want {
		t.Errorf("add a missing device: %v, want %q", err, want)
	}
	steps := moduletest.Texts(t, nic(), h)
	want = "replace port nic0 on bridge br-int\n  could not open network device nic0 (No such device)"
	if len(steps) == 0 || steps[0] != want {
		t.Errorf("planned again: %q, want %q first", steps, want)
	}
	m.Output("ip", "link", "add", "nic0", "type", "veth", "peer", "name", "far0")
	moduletest.Do(t, nic(), h)
	if left := moduletest.Texts(t, nic(), h); len(left) > 0 {
		t.Errorf("once the device was there: %q, want no steps", left)
	}
}

func TestPortOfSomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	for _, state := range []string{"present", "absent"} {
		task := port(func(p *Task) { p.Bridge, p.Name, p.Type, p.State = "br-int", "theirs", "internal", state })()
		_, err := task.Plan(t.Context(), h)
		want := `port theirs exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with "ovs-vsctl del-port theirs" if nothing needs it`
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", state, err, want)
		}
	}
}

func TestPortMovesToAnotherBridge(t *testing.T) {
	t.Parallel()
	m := machine(t)
	m.VS("add-br", "br2", "--", "set", "bridge", "br2", "datapath_type=netdev")
	h := m.Host("c1")
	on := func(bridge string) func() module.Task {
		return port(func(p *Task) { p.Bridge, p.Name, p.Type = bridge, "p1", "internal" })
	}
	moduletest.Do(t, on("br-int")(), h)
	moduletest.Do(t, on("br2")(), h)
	if got := m.VS("port-to-br", "p1"); got != "br2" {
		t.Errorf("p1 is on %q, want br2", got)
	}
}

func TestPortWithoutItsBridgeIsPlannedAndRefused(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	task := port(func(p *Task) { p.Bridge, p.Name, p.Type = "later", "p1", "internal" })()
	if got, want := moduletest.Texts(t, task, h), []string{"create port p1 on bridge later"}; !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	ovntest.Refused(t, h, task, "port p1: there is no bridge later")
}
