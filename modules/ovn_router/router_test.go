package ovnrouter

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

// northbound has switch k8s of c1, switch external shared by c1 and c2, and a
// router of somebody else with everything a router can have.
func northbound(t *testing.T) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Northbound())
	s.NB("ls-add", "k8s", "--", "set", "Logical_Switch", "k8s", "external_ids:kinit-owner=c1",
		"--", "ls-add", "external", "--", "set", "Logical_Switch", "external", "external_ids:kinit-owner-c1=true", "external_ids:kinit-owner-c2=true")
	s.NB("lr-add", "foreign", "--", "lrp-add", "foreign", "foreign-port", "02:00:00:00:00:01", "192.0.2.1/24",
		"--", "lr-nat-add", "foreign", "snat", "192.0.2.9", "10.0.0.0/24", "--", "lr-route-add", "foreign", "0.0.0.0/0", "192.0.2.254",
		"--", "ha-chassis-group-add", "foreign", "--", "ha-chassis-group-add-chassis", "foreign", "x", "1")
	return s
}

func router(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.Name = "k8s"
	}, set)
}

func outside(set func(*Port)) *Port {
	return moduletest.Make(PortKind(), func(t *Port) {
		t.Router, t.Switch, t.MAC, t.Networks = "k8s", "external", "52:54:00:00:10:01", []string{"172.16.0.1/24"}
		t.GatewayChassis, t.GatewayMTU = []string{"nyctea", "tyto"}, 1442
	}, set)
}

func snat(set func(*NAT)) *NAT {
	return moduletest.Make(NATKind(), func(t *NAT) {
		t.Router, t.Type, t.ExternalIP, t.LogicalIP = "k8s", "snat", "172.16.0.1", "10.0.0.0/24"
	}, set)
}

func byDefault(set func(*Route)) *Route {
	return moduletest.Make(RouteKind(), func(t *Route) {
		t.Router, t.Prefix, t.Nexthop = "k8s", "0.0.0.0/0", "172.16.0.254"
	}, set)
}

// tables is everything that a router is made of.
func tables(s *ovntest.Servers) string {
	var all []string
	for table, columns := range map[string]string{
		"Logical_Router":              "name,options,external_ids,nat,static_routes,ports",
		"Logical_Router_Port":         "name,mac,networks,options,external_ids,ha_chassis_group",
		"NAT":                         "type,external_ip,logical_ip,external_ids",
		"Logical_Router_Static_Route": "ip_prefix,nexthop,output_port,external_ids",
		"HA_Chassis_Group":            "name,external_ids,ha_chassis",
		"HA_Chassis":                  "chassis_name,priority,external_ids",
		"Logical_Switch_Port":         "name,type,addresses,options,external_ids",
		"Logical_Switch":              "name,ports,external_ids",
	} {
		all = append(all, table+"\n"+strings.Join(s.Rows(ovn.Northbound(), table, columns), "\n"))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func TestRouterAndItsPartsAreMadeAndRemoved(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	untouched := tables(s)
	snapshot := func() string { return s.Dump(ovn.Northbound()) }
	for _, task := range []func() module.Task{
		func() module.Task {
			return router(func(r *Task) { r.Options = map[string]string{"mcast_relay": "false"} })
		},
		func() module.Task { return outside(nil) },
		func() module.Task { return snat(nil) },
		func() module.Task { return byDefault(func(r *Route) { r.OutputPort = "k8s-on-external" }) },
	} {
		moduletest.Run(t, moduletest.Case{New: task, Host: h, Snapshot: snapshot})
	}
	expect(t, s, "Logical_Router", "name,options,external_ids", "k8s|mcast_relay=false|kinit-owner=c1")
	expect(t, s, "Logical_Router_Port", "name,mac,networks,options,external_ids", "k8s-on-external|52:54:00:00:10:01|172.16.0.1/24|gateway_mtu=1442|kinit-owner=c1")
	expect(t, s, "Logical_Switch_Port", "name,type,addresses,options,external_ids", "external-to-k8s|router|router|nat-addresses=router router-port=k8s-on-external|kinit-owner=c1")
	expect(t, s, "HA_Chassis", "chassis_name,priority,external_ids", "nyctea|100|kinit-owner=c1", "tyto|99|kinit-owner=c1")
	expect(t, s, "NAT", "type,external_ip,logical_ip,external_ids", "snat|172.16.0.1|10.0.0.0/24|kinit-owner=c1")
	expect(t, s, "Logical_Router_Static_Route", "ip_prefix,nexthop,output_port,external_ids", "0.0.0.0/0|172.16.0.254|k8s-on-external|kinit-owner=c1")
	for range 2 {
		for _, task := range []module.Task{
			byDefault(func(r *Route) { r.State = "absent" }),
			snat(func(n *NAT) { n.State = "absent" }),
			outside(func(p *Port) { p.State = "absent" }),
			router(func(r *Task) { r.State = "absent" }),
		} {
			moduletest.Do(t, task, h)
		}
	}
	if after := tables(s); after != untouched {
		t.Errorf("after removing:\n%s\nwant as before:\n%s", after, untouched)
	}
}

func expect(t *testing.T, s *ovntest.Servers, table, columns string, want ...string) {
	t.Helper()
	got := s.Rows(ovn.Northbound(), table, columns)
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("%s has %q, want %q", table, got, row)
		}
	}
}

func build(t *testing.T, h module.Host) {
	t.Helper()
	for _, task := range []module.Task{router(nil), outside(nil), snat(nil), byDefault(nil)} {
		moduletest.Do(t, task, h)
	}
}

func TestAbsentRouterTakesItsPartsWithIt(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	untouched := tables(s)
	h := s.Host("c1")
	build(t, h)
	gone := router(func(r *Task) { r.State = "absent" })
	if got, want := moduletest.Texts(t, gone, h), []string{"delete logical router k8s with 1 ports, 1 translations and 1 routes"}; !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Do(t, gone, h)
	if after := tables(s); after != untouched {
		t.Errorf("after removing:\n%s\nwant as before:\n%s", after, untouched)
	}
}

func TestGatewayChassisAreReplacedInOneTransaction(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	build(t, h)
	swapped := outside(func(p *Port) { p.GatewayChassis = []string{"tyto", "strix"} })
	want := []string{"connect logical router k8s to logical switch external\n  bind to chassis tyto, strix"}
	if got := moduletest.Texts(t, swapped, h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	before := s.Rows(ovn.Northbound(), "NB_Global", "nb_cfg")
	moduletest.Do(t, swapped, h)
	if got := s.Rows(ovn.Northbound(), "HA_Chassis", "chassis_name,priority"); !slices.Equal(got, []string{"strix|99", "tyto|100", "x|1"}) {
		t.Errorf("chassis %q", got)
	}
	if after := s.Rows(ovn.Northbound(), "NB_Global", "nb_cfg"); before[0] != "4" || after[0] != "5" {
		t.Errorf("nb_cfg from %q to %q, want one more for one transaction", before, after)
	}
	moduletest.Do(t, outside(func(p *Port) { p.GatewayChassis = nil }), h)
	if got := s.Rows(ovn.Northbound(), "HA_Chassis_Group", "name"); !slices.Equal(got, []string{"foreign"}) {
		t.Errorf("groups %q, want only foreign", got)
	}
	expect(t, s, "Logical_Switch_Port", "name,options", "external-to-k8s|router-port=k8s-on-external")
}

func TestRouterPortIsChangedInPlace(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	build(t, h)
	s.NB("set", "Logical_Switch_Port", "external-to-k8s", "options:router-port=wrong")
	changed := outside(func(p *Port) { p.Networks = []string{"172.16.0.3/24"} })
	want := []string{"connect logical router k8s to logical switch external\n" +
		"  change router port k8s-on-external\n    networks: 172.16.0.1/24 -> 172.16.0.3/24\n" +
		"  change port external-to-k8s\n    options:router-port: wrong -> k8s-on-external"}
	if got := moduletest.Texts(t, changed, h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Do(t, changed, h)
	if left := moduletest.Texts(t, changed, h); len(left) > 0 {
		t.Errorf("planned again: %q", left)
	}
}

func TestNATAndRouteAreChangedInPlace(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	build(t, h)
	moduletest.Do(t, snat(func(n *NAT) { n.ExternalIP = "172.16.0.3" }), h)
	moduletest.Do(t, byDefault(func(r *Route) { r.Nexthop = "172.16.0.253" }), h)
	if got := s.Rows(ovn.Northbound(), "NAT", "external_ip,logical_ip"); !slices.Equal(got, []string{"172.16.0.3|10.0.0.0/24", "192.0.2.9|10.0.0.0/24"}) {
		t.Errorf("translations %q", got)
	}
	if got := s.Rows(ovn.Northbound(), "Logical_Router_Static_Route", "nexthop"); !slices.Equal(got, []string{"172.16.0.253", "192.0.2.254"}) {
		t.Errorf("routes %q", got)
	}
}

func TestPartsWithoutTheirRouterArePlannedAndRefused(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	ovntest.Refused(t, h, outside(nil), "router port k8s-on-external: there is no logical router k8s")
	ovntest.Refused(t, h, snat(nil), "there is no logical router k8s")
	ovntest.Refused(t, h, byDefault(nil), "there is no logical router k8s")
	moduletest.Do(t, router(nil), h)
	ovntest.Refused(t, h, outside(func(p *Port) { p.Switch = "later" }), "router port k8s-on-later: there is no logical switch later")
}

func TestPartsOfSomebodyElseAreLeftAlone(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	build(t, h)
	before := tables(s)
	theirs := func(thing, remedy string) string {
		return thing + " exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with \"ovn-nbctl " + remedy + "\" if nothing needs it"
	}
	for _, state := range []string{"present", "absent"} {
		ovntest.Refused(t, h, router(func(r *Task) { r.Name, r.State = "foreign", state }), theirs("logical router foreign", "lr-del foreign"))
		ovntest.Refused(t, h, snat(func(n *NAT) { n.Router, n.State = "foreign", state }), theirs("logical router foreign", "lr-del foreign"))
		ovntest.Refused(t, h, outside(func(p *Port) { p.Name, p.State, p.GatewayChassis = "foreign-port", state, nil }), theirs("router port foreign-port", "lrp-del foreign-port"))
	}
	if after := tables(s); after != before {
		t.Errorf("rows changed:\n%s", after)
	}
	s.NB("lr-nat-add", "k8s", "dnat", "172.16.0.9", "10.0.0.9", "--", "lr-route-add", "k8s", "10.9.0.0/16", "172.16.0.9")
	ovntest.Refused(t, h, snat(func(n *NAT) { n.Type, n.ExternalIP, n.LogicalIP = "dnat", "172.16.0.9", "10.0.0.7" }),
		theirs("dnat of 172.16.0.9 on logical router k8s", "lr-nat-del k8s dnat 172.16.0.9"))
	ovntest.Refused(t, h, byDefault(func(r *Route) { r.Prefix = "10.9.0.0/16" }),
		theirs("route 10.9.0.0/16 on logical router k8s", "lr-route-del k8s 10.9.0.0/16"))
	s.NB("lrp-add", "k8s", "theirs", "02:00:00:00:00:02", "192.0.3.1/24")
	ovntest.Refused(t, h, router(func(r *Task) { r.State = "absent" }),
		`logical router k8s has ports that are not owned by cluster c1: theirs; remove them with "ovn-nbctl lrp-del" if nothing needs them`)
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, task := range map[string]module.Task{
		"name is empty, want the logical router's name":                                                                          router(func(r *Task) { r.Name = "" }),
		"mac or networks is empty, want the router's addresses on the switch":                                                    outside(func(p *Port) { p.MAC = "" }),
		`networks: "172.16.0.1" is no address with prefix length, such as 10.0.0.1/24`:                                           outside(func(p *Port) { p.Networks = []string{"172.16.0.1"} }),
		`gateway_chassis: "a" is empty or there twice; two hosts may have the same system-id in /etc/openvswitch/system-id.conf`: outside(func(p *Port) { p.GatewayChassis = []string{"a", "a"} }),
		`name is "external-to-k8s" as that of the port on the switch, want another one`:                                          outside(func(p *Port) { p.Name = "external-to-k8s" }),
		"gateway_mtu is 7, want 68 to 65535 bytes":                                                                               outside(func(p *Port) { p.GatewayMTU = 7 }),
		`type is "x", want one of snat, dnat, dnat_and_snat`:                                                                     snat(func(n *NAT) { n.Type = "x" }),
		`external_ip is "", want an address`:                                                                                     snat(func(n *NAT) { n.ExternalIP = "" }),
		`logical_ip is "10.0.0.1/24", want an address, or for "snat" a network`:                                                  snat(func(n *NAT) { n.LogicalIP = "10.0.0.1/24" }),
		`external_mac and logical_port go together, with type "dnat_and_snat"`:                                                   snat(func(n *NAT) { n.LogicalPort = "p" }),
		`prefix is "default", want a destination such as "0.0.0.0/0"`:                                                            byDefault(func(r *Route) { r.Prefix = "default" }),
		`nexthop is "", want an address or "discard"`:                                                                            byDefault(func(r *Route) { r.Nexthop = "" }),
	} {
		moduletest.Refused(t, task, want)
	}
}
