package ovsport

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ownership"
)

func veth(netns string, set func(*Veth)) func() module.Task {
	return func() module.Task {
		return moduletest.Make(VethKind(), func(t *Veth) {
			t.Name, t.Peer, t.Netns, t.Bridge = "k8s-services", "eth1", "/run/netns/"+netns, "br-int"
			t.MAC, t.MTU, t.IfaceID = "52:54:00:00:00:fd", 1442, "service-port"
			t.Addresses = []string{"10.0.0.253/24"}
		}, set)
	}
}

func TestVethOnRealOpenVSwitch(t *testing.T) {
	t.Parallel()
	m := machine(t)
	netns := m.Pod("pod")
	moduletest.Run(t, moduletest.Case{New: veth(netns, nil), Host: m.Host("c1"), Snapshot: func() string { return m.VS("show") }})
	got := m.Output("ip", "-n", netns, "-br", "addr", "show", "dev", "eth1")
	if !strings.Contains(got, "10.0.0.253/24") || !strings.Contains(got, "UP") {
		t.Errorf("inside: %q, want 10.0.0.253/24 and up", got)
	}
	got = m.Output("ip", "-n", netns, "link", "show", "dev", "eth1")
	if !strings.Contains(got, "mtu 1442") || !strings.Contains(got, "52:54:00:00:00:fd") {
		t.Errorf("inside: %q, want mtu 1442 and its MAC", got)
	}
	want := "k8s-services|attached-mac=52:54:00:00:00:fd iface-id=service-port"
	if got := m.Rows(ovn.Switch(), "Interface", "name,external_ids"); !slices.Contains(got, want) {
		t.Errorf("interfaces %q, want %q", got, want)
	}
	if got := m.Rows(ovn.Switch(), "Port", "name,external_ids"); !slices.Contains(got, "k8s-services|kinit-device=veth kinit-owner=c1") {
		t.Errorf("ports %q, want k8s-services with its marks", got)
	}
}

func TestVethIsRemovedWithItsPort(t *testing.T) {
	t.Parallel()
	m := machine(t)
	netns := m.Pod("pod")
	moduletest.Run(t, moduletest.Case{
		New: veth(netns, nil), Host: m.Host("c1"),
		Absent: veth("", func(v *Veth) { v.State = "absent" }),
	})
	if got := m.Output("ip", "-br", "link"); strings.Contains(got, "k8s-services") {
		t.Errorf("devices left: %q", got)
	}
	if got := m.VS("list-ports", "br-int"); got != "theirs" {
		t.Errorf("ports left: %q, want theirs", got)
	}
}

func TestVethFollowsARestartedPod(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	first := m.Pod("first")
	moduletest.Do(t, veth(first, nil)(), h)
	second := m.Pod("second")
	steps := moduletest.Texts(t, veth(second, nil)(), h)
	if want := "create veth k8s-services with eth1 in /run/netns/" + second; len(steps) == 0 || steps[0] != want {
		t.Fatalf("after a restart: %q, want %q first", steps, want)
	}
	row := m.VS("get", "port", "k8s-services", "_uuid")
	moduletest.Do(t, veth(second, nil)(), h)
	if m.VS("get", "port", "k8s-services", "_uuid") == row {
		t.Error("the port is the old one, which holds on to a device that is gone")
	}
	if left := moduletest.Texts(t, veth(second, nil)(), h); len(left) > 0 {
		t.Errorf("planned again: %q", left)
	}
	if got := m.Output("ip", "-n", first, "-br", "link"); strings.Contains(got, "eth1") {
		t.Errorf("the old pod still has %q", got)
	}
}

func TestVethDoesNotReplaceADeviceOfSomebodyElse(t *testing.T) {
	t.Parallel()
	m := machine(t)
	netns := m.Pod("pod")
	m.Output("ip", "link", "add", "k8s-services", "type", "veth", "peer", "name", "far0")
	_, err := veth(netns, nil)().Plan(t.Context(), m.Host("c1"))
	want := `device k8s-services exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with "ip link del k8s-services" if nothing needs it`
	if err == nil || err.Error() != want {
		t.Errorf("plan: %v, want %q", err, want)
	}
}

// A connection may end after each of the commands that make the pair.
func TestVethGoesOnFromAHalfMadePair(t *testing.T) {
	t.Parallel()
	for made := 1; made <= 3; made++ {
		t.Run(fmt.Sprint(made), func(t *testing.T) {
			t.Parallel()
			m := machine(t)
			h := m.Host("c1")
			task := veth(m.Pod("pod"), nil)().(*Veth)
			commands := task.create(task.netns(), ownership.Signature(h))
			half := func() {
				for _, argv := range commands[:min(made, len(commands))] {
					m.Output(argv[0], argv[1:]...)
				}
			}
			half()
			absent := veth("", func(v *Veth) { v.State = "absent" })()
			moduletest.Settle(t, absent, h)
			half()
			moduletest.Settle(t, task, h)
			moduletest.Settle(t, absent, h)
			if got := m.Output("ip", "-br", "link", "show", "type", "veth"); got != "" {
				t.Errorf("devices left: %q", got)
			}
		})
	}
}

func TestBootScriptAttachesAPodThatWasStartedAgain(t *testing.T) {
	t.Parallel()
	m := machine(t)
	h := m.Host("c1")
	moduletest.Do(t, veth(m.Pod("first"), nil)(), h)
	again := m.Pod("again")
	task := veth(again, func(v *Veth) { v.Routes = map[string]string{"10.1.0.0/16": "10.0.0.254"} })
	values := moduletest.Outputs(t, task().(*Veth), h)
	m.Output("ln", "-s", m.Socket(ovn.Switch()), filepath.Join(m.Dir, "db.sock")) // where ovs-vsctl looks
	row := m.VS("get", "port", "k8s-services", "_uuid")
	m.Output("sh", "-c", values["boot_script"].AsString(), "attach", "/run/netns/"+again)
	moved := m.VS("get", "port", "k8s-services", "_uuid")
	if moved == row {
		t.Error("the port is the old one, which holds on to a device that is gone")
	}
	m.Output("sh", "-c", values["boot_script"].AsString(), "attach", "/run/netns/"+again)
	if got := m.VS("get", "port", "k8s-services", "_uuid"); got != moved {
		t.Error("the second start recreated the port though all was right")
	}
	if left := moduletest.Texts(t, task(), h); len(left) > 0 {
		t.Errorf("after the script: %q, want no steps", left)
	}
}

func TestVethLeavesChecksumsToItsEnds(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ethtool", "ethtool")
	m := machine(t)
	netns := m.Pod("pod")
	moduletest.Run(t, moduletest.Case{New: veth(netns, func(v *Veth) { v.TxOffload = false }), Host: m.Host("c1")})
	for _, got := range []string{m.Output("ethtool", "-k", "k8s-services"), m.Output("ip", "netns", "exec", netns, "ethtool", "-k", "eth1")} {
		if !strings.Contains(got, "tx-checksumming: off") {
			t.Errorf("features %q, want tx-checksumming off", got)
		}
	}
}

func TestVethSaysWhichNamespaceIsMissing(t *testing.T) {
	t.Parallel()
	m := machine(t)
	_, err := veth("none", nil)().Plan(t.Context(), m.Host("c1"))
	if err == nil || !strings.HasPrefix(err.Error(), "look into network namespace /run/netns/none: ") {
		t.Errorf("plan: %v, want the namespace named", err)
	}
}
