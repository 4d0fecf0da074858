package ovn_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
	"kinit/modules/ovn_central"
	"kinit/modules/ovn_chassis"
	"kinit/modules/ovn_port"
	"kinit/modules/ovn_router"
	"kinit/modules/ovn_sweep"
	"kinit/modules/ovn_switch"
	"kinit/modules/ovn_sync"
	"kinit/modules/ovs_bridge"
	"kinit/modules/ovs_port"
	"kinit/modules/ovs_sweep"
	"kinit/test/executable"
)

// overlay is two hypervisors with a cable between them, the first with
// ovn-central.
type overlay struct {
	t    *testing.T
	a, b *ovntest.Machine
	keys map[string]string // paths of key, cert and ca
}

// newTask makes a module's task with its defaults.
func newTask[T any](kind module.Kind, set func(T)) module.Task {
	task := kind.New()
	set(task.(T))
	return task
}

func startOverlay(t *testing.T) *overlay {
	need.Programs(t, "ovn-host", "ovn-controller", "busybox", "ovs-pki")
	o := &overlay{t: t, a: ovntest.StartMachine(t, ovn.Northbound(), ovn.Southbound()), b: ovntest.StartMachine(t)}
	o.pki()
	o.a.Output("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", o.b.Netns)
	for m, address := range map[*ovntest.Machine]string{o.a: "192.0.2.1/24", o.b: "192.0.2.2/24"} {
		h := m.Host("c1")
		// A userspace tunnel leaves only through a bridge that has the address.
		moduletest.Do(t, newTask(ovsbridge.Kind(), func(b *ovsbridge.Task) {
			b.Name, b.DatapathType, b.Addresses = "br-phy", "netdev", []string{address}
		}), h)

		moduletest.Do(t, newTask(ovsport.Kind(), func(p *ovsport.Task) { p.Bridge, p.Name = "br-phy", "eth0" }), h)
	}
	o.northd()
	return o
}

// pki makes one key and certificate for all, with Open vSwitch's own tool.
// northd starts ovn-northd, which carries the northbound database into the
// southbound one.
func (o *overlay) northd() {
	need.Programs(o.t, "ovs", "ovn-northd")
	o.a.Daemon("ovn-northd", "--ovnnb-db=unix:"+o.a.Socket(ovn.Northbound()), "--ovnsb-db=unix:"+o.a.Socket(ovn.Southbound()),
		"--unixctl="+filepath.Join(o.a.Dir, "northd.ctl"), "--log-file="+filepath.Join(o.a.Dir, "northd.log"))
}

// controller starts ovn-controller and returns what ends it as its service does.
func (o *overlay) controller(m *ovntest.Machine) (stop func()) {
	pid := filepath.Join(m.Dir, "ovn-controller.pid")
	m.Daemon("ovn-controller", "unix:"+m.Socket(ovn.Switch()), "--pidfile="+pid, "--log-file="+filepath.Join(m.Dir, "ovn-controller.log"))
	return func() {
		o.t.Helper()
		number, err := os.ReadFile(pid)
		if err != nil {
			o.t.Fatal(err)
		}
		m.Output("ovn-appctl", "-t", filepath.Join(m.Dir, "ovn-controller."+strings.TrimSpace(string(number))+".ctl"), "exit")
		m.Until("ovn-controller has ended", func() bool {
			_, err := os.Stat(pid)
			return os.IsNotExist(err)
		})
	}
}

// succeeds reports whether a program ends well.
func succeeds(m *ovntest.Machine, name string, args ...string) bool {
	return m.Command(name, args...).Run() == nil
}

func (o *overlay) pki() {
	o.t.Helper()
	dir := filepath.Join(o.a.Dir, "pki")
	o.a.Output("ovs-pki", "--dir="+dir, "--log="+dir+".log", "init")
	o.a.Output("ovs-pki", "--dir="+dir, "--log="+dir+".log", "req+sign", "chassis", "switch")
	o.keys = map[string]string{
		"key":  filepath.Join(o.a.Dir, "chassis-privkey.pem"),
		"cert": filepath.Join(o.a.Dir, "chassis-cert.pem"),
		"ca":   filepath.Join(dir, "switchca", "cacert.pem"),
	}
}

// central is the first host, whose ports kinit reaches from inside it.
func (o *overlay) central() *moduletest.FakeHost {
	h := o.a.Host("c1")
	for _, path := range o.keys {
		h.FS.Put(path, "", 0o600)
	}
	h.Dialer = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		return client, server.Close()
	}
	return h
}

// tasks is the network of a cluster with two nodes, as a playbook has it.
func (o *overlay) tasks() []module.Task {
	mac := map[string]string{"n1": "52:54:00:00:00:01", "n2": "52:54:00:00:00:02", "router": "52:54:00:00:00:fe", "gateway": "52:54:00:00:10:01"}
	tasks := []module.Task{
		newTask(ovnswitch.Kind(), func(s *ovnswitch.Task) { s.Name = "k8s" }),
		newTask(ovnswitch.Kind(), func(s *ovnswitch.Task) { s.Name, s.Shared = "external", true }),
		newTask(ovnport.Kind(), func(p *ovnport.Task) {
			p.Switch, p.Name, p.Type, p.Network, p.Shared = "external", "external-localnet", "localnet", "provider", true
		}),
		newTask(ovnrouter.Kind(), func(r *ovnrouter.Task) { r.Name = "k8s" }),
		newTask(ovnrouter.PortKind(), func(p *ovnrouter.Port) {
			p.Router, p.Switch, p.MAC, p.Networks = "k8s", "k8s", mac["router"], []string{"10.0.0.254/24"}
		}),
		newTask(ovnrouter.PortKind(), func(p *ovnrouter.Port) {
			p.Router, p.Switch, p.MAC, p.Networks = "k8s", "external", mac["gateway"], []string{"172.16.0.1/24"}
			p.GatewayChassis, p.GatewayMTU = []string{"nyctea", "tyto"}, 1442
		}),
		newTask(ovnrouter.NATKind(), func(n *ovnrouter.NAT) {
			n.Router, n.Type, n.ExternalIP, n.LogicalIP = "k8s", "snat", "172.16.0.1", "10.0.0.0/24"
		}),
		newTask(ovnrouter.RouteKind(), func(r *ovnrouter.Route) {
			r.Router, r.Prefix, r.Nexthop, r.OutputPort = "k8s", "0.0.0.0/0", "172.16.0.254", "k8s-on-external"
		}),
		newTask(ovnswitch.DHCPKind(), func(d *ovnswitch.DHCP) {
			d.Name, d.CIDR, d.Router, d.ServerMAC, d.MTU, d.Domain = "k8s", "10.0.0.0/24", "10.0.0.254", mac["router"], 1442, "k8s.kinit.local"
			d.DNSServers = []string{"10.0.0.253"}
		}),
	}
	for node, ip := range map[string]string{"n1": "10.0.0.1", "n2": "10.0.0.2"} {
		tasks = append(tasks, newTask(ovnport.Kind(), func(p *ovnport.Task) {
			p.Switch, p.Name, p.MAC, p.IP, p.DHCP = "k8s", node, mac[node], ip, "k8s"
		}))
	}
	return tasks
}

func (o *overlay) chassis(name, ip string) module.Task {
	return newTask(ovnchassis.Kind(), func(c *ovnchassis.Task) {
		c.Name, c.Remote, c.EncapIP, c.DatapathType = name, "ssl:192.0.2.1:6642", ip, "netdev"
		c.BridgeMappings = map[string]string{"provider": "br-ex"}
		c.PrivateKey, c.Certificate, c.CACert = o.keys["key"], o.keys["cert"], o.keys["ca"]
	})
}

// hypervisors sets both up and returns what ends their ovn-controllers.
func (o *overlay) hypervisors() map[string]func() {
	o.t.Helper()
	stops := map[string]func(){}
	for name, m := range map[string]*ovntest.Machine{"nyctea": o.a, "tyto": o.b} {
		stops[name] = o.controller(m)
		m.Until("ovn-controller has made its bridge", func() bool { return strings.Contains(m.VS("list-br"), "br-int") })
		ip := map[string]string{"nyctea": "192.0.2.1", "tyto": "192.0.2.2"}[name]
		for _, task := range []module.Task{
			newTask(ovsbridge.Kind(), func(b *ovsbridge.Task) { b.Name, b.DatapathType, b.FailMode = "br-int", "netdev", "secure" }),
			newTask(ovsbridge.Kind(), func(b *ovsbridge.Task) {
				b.Name, b.DatapathType, b.MAC, b.Addresses = "br-ex", "netdev", "52:54:00:ac:10:fe", []string{"172.16.0.254/24"}
			}),
			o.chassis(name, ip),
		} {
			moduletest.Do(o.t, task, m.Host("c1"))
		}
	}
	return stops
}

// node attaches a namespace in the place of a guest and returns its name.
func (o *overlay) node(m *ovntest.Machine, port, mac string, addresses ...string) string {
	o.t.Helper()
	pod := m.Pod(port)
	moduletest.Do(o.t, newTask(ovsport.VethKind(), func(v *ovsport.Veth) {
		v.Name, v.Peer, v.Netns, v.Bridge, v.IfaceID = "veth-"+port, "eth1", "/run/netns/"+pod, "br-int", port
		v.MAC, v.MTU, v.Addresses, v.TxOffload = mac, 1442, addresses, !canTurnOff()
		if len(addresses) > 0 {
			v.Routes = map[string]string{"default": "10.0.0.254"}
		}
	}), m.Host("c1"))

	return pod
}

func TestOverlayOfTwoHypervisors(t *testing.T) {
	o := startOverlay(t)
	central := o.central()
	moduletest.Do(t, newTask(ovncentral.Kind(), func(c *ovncentral.Task) {
		c.SBListen, c.PrivateKey, c.Certificate, c.CACert = "pssl:6642", o.keys["key"], o.keys["cert"], o.keys["ca"]
	}), central)

	stops := o.hypervisors()
	for _, task := range o.tasks() {
		moduletest.Do(t, task, central)
	}
	n1 := o.node(o.a, "n1", "52:54:00:00:00:01", "10.0.0.1/24")
	n2 := o.node(o.b, "n2", "52:54:00:00:00:02")
	sync := newTask(ovnsync.Kind(), func(s *ovnsync.Task) { s.Chassis, s.Ports = []string{"nyctea", "tyto"}, []string{"n1", "n2"} })
	moduletest.Do(t, sync, central)
	for _, task := range append(o.tasks(), sync) {
		if left := moduletest.Texts(t, task, central); len(left) > 0 {
			t.Errorf("planned again: %q", left)
		}
	}
	lease := o.b.Output("ip", "netns", "exec", n2, "busybox", "udhcpc", "-f", "-i", "eth1", "-n", "-q", "-s", leaseScript(t, o.b.Dir))
	if want := "10.0.0.2 255.255.255.0 10.0.0.254 1442 10.0.0.253 k8s.kinit.local"; !strings.Contains(lease, want) {
		t.Errorf("OVN's DHCP answered %q, want %q", lease, want)
	}
	reaches(o.b, n2, "10.0.0.1") // over the tunnel
	reaches(o.a, n1, "10.0.0.2") // and back
	o.carriesTCP(n1, n2, "10.0.0.2")
	reaches(o.a, n1, "172.16.0.254") // through the router and its translation
	reaches(o.b, n2, "172.16.0.254") // from the other hypervisor through the first

	stops["nyctea"]()
	reaches(o.b, n2, "172.16.0.254") // the second hypervisor has taken the gateway over
	if err := sweep(t, central); err == nil || !strings.Contains(err.Error(), "chassis tyto are still connected") {
		t.Errorf("sweep while ovn-controller runs: %v, want the chassis named", err)
	}
	stops["tyto"]()
	if got := o.a.SB("--format=csv", "--no-headings", "--columns=name", "list", "Chassis"); got != "" {
		t.Errorf("chassis left after ovn-controller ended: %q", got)
	}
	if err := sweep(t, central); err != nil {
		t.Errorf("sweep: %v", err)
	}
	for _, m := range []*ovntest.Machine{o.a, o.b} {
		moduletest.Do(t, &ovssweep.Task{Sweep: ovn.Sweep{All: true}}, m.Host("c1"))
	}
	if got := o.a.NB("show"); got != "" {
		t.Errorf("left in the northbound database: %q", got)
	}
	if got := o.b.VS("list-br"); got != "br-int" {
		t.Errorf("bridges left: %q, want ovn-controller's br-int", got)
	}
	if got := o.b.VS("get", "bridge", "br-int", "datapath_type", "external_ids"); !strings.HasPrefix(got, "system\n") || strings.Contains(got, "kinit") {
		t.Errorf("br-int is %q, want it as ovn-controller made it", got)
	}
	if got := o.b.VS("get", "Open_vSwitch", ".", "external_ids"); got != "{}" {
		t.Errorf("settings left: %q", got)
	}
}

// sweep removes the cluster from OVN's databases, up to the first error.
func sweep(t *testing.T, h module.Host) error {
	t.Helper()
	for _, step := range moduletest.Steps(t, &ovnsweep.Task{Sweep: ovn.Sweep{All: true}}, h) {
		if err := step.Do(t.Context(), h); err != nil {
			return err
		}
	}
	return nil
}

// canTurnOff reports whether checksums can be left to the ends here.
func canTurnOff() bool {
	_, err := exec.LookPath("ethtool")
	return err == nil
}

// carriesTCP sends from one pod to the other. In the userspace datapath this works
// only when the ends compute the checksums.
func (o *overlay) carriesTCP(from, to, address string) {
	o.t.Helper()
	if !canTurnOff() {
		o.t.Log("TCP is not tried: ethtool is not installed")
		return
	}
	got := filepath.Join(o.b.Dir, "received")
	done := make(chan bool)
	go func() {
		done <- succeeds(o.b, "ip", "netns", "exec", to, "timeout", "20", "sh", "-c", "busybox nc -l -p 5000 > "+got)
	}()
	o.a.Until("the other end has the text", func() bool {
		return succeeds(o.a, "ip", "netns", "exec", from, "timeout", "2", "sh", "-c", "echo over the tunnel | busybox nc "+address+" 5000")
	})
	ended := <-done // before that the text may not be written
	if text, err := os.ReadFile(got); !ended || err != nil || string(text) != "over the tunnel\n" {
		o.t.Errorf("received %q, %v; the listener ended well: %t", text, err, ended)
	}
}

// reaches waits until an address answers: the first packets teach the switches.
func reaches(m *ovntest.Machine, pod, address string) {
	m.Until(pod+" reaches "+address, func() bool {
		return succeeds(m, "ip", "netns", "exec", pod, "busybox", "ping", "-c", "1", "-W", "1", address)
	})
}

// leaseScript is what udhcpc runs with a lease: it sets the address and tells all.
func leaseScript(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "lease.sh")
	script := `#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/24" dev "$interface"
ip route add default via "$router"
echo "$ip $subnet $router $mtu $dns $domain"
`
	executable.Write(t, path, script)
	return path
}
