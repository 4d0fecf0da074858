package ovnswitch

import (
	"fmt"
	"slices"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
)

func options(set func(*DHCP)) *DHCP {
	return moduletest.Make(DHCPKind(), func(t *DHCP) {
		t.Name, t.CIDR, t.Router, t.ServerMAC, t.MTU = "k8s", "10.0.0.0/24", "10.0.0.254", "52:54:00:00:00:fe", 1442
		t.DNSServers, t.Domain = []string{"10.0.0.253"}, "k8s.kinit.local"
	}, set)
}

func TestDHCPIsMadeAndRemoved(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	foreign := "10.0.0.0/24|router=10.0.0.1|"
	ours := `10.0.0.0/24|dns_server=10.0.0.253 domain_name="k8s.kinit.local" lease_time=3600 mtu=1442 router=10.0.0.254 server_id=10.0.0.254 server_mac=52:54:00:00:00:fe|kinit-name=k8s kinit-owner=c1`
	h := s.Host("c1")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task { return options(nil) }, Host: h,
		Snapshot: func() string { return s.Dump(ovn.Northbound()) },
	})
	if got := s.Rows(ovn.Northbound(), "DHCP_Options", "cidr,options,external_ids"); !slices.Equal(got, []string{ours, foreign}) {
		t.Errorf("rows %q\nwant %q", got, []string{ours, foreign})
	}
	for range 2 {
		moduletest.Do(t, options(func(d *DHCP) { d.State = "absent" }), h)
	}
	if got := s.Rows(ovn.Northbound(), "DHCP_Options", "cidr,options,external_ids"); !slices.Equal(got, []string{foreign}) {
		t.Errorf("rows %q, want only the foreign one", got)
	}
}

func TestDHCPOfTwoClustersMayHaveTheSameName(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	moduletest.Do(t, options(nil), s.Host("c1"))
	moduletest.Do(t, options(func(d *DHCP) { d.MTU = 1400 }), s.Host("c2"))
	moduletest.Do(t, options(func(d *DHCP) { d.State = "absent" }), s.Host("c2"))
	if left := moduletest.Texts(t, options(nil), s.Host("c1")); len(left) > 0 {
		t.Errorf("the other cluster's options changed: %q", left)
	}
}

func TestDHCPOptionsInOVNsWords(t *testing.T) {
	t.Parallel()
	d := options(func(d *DHCP) {
		d.ServerID, d.LeaseTime, d.MTU = "10.0.0.1", "90s", 0
		d.DNSServers = []string{"10.0.0.253", "9.9.9.9"}
		d.Routes = map[string]string{"172.16.0.0/24": "10.0.0.254", "10.1.0.0/16": "10.0.0.7"}
		d.Options = map[string]string{"ntp_server": "10.0.0.253", "lease_time": "60"}
	})
	got := d.options()
	want := map[string]string{
		"server_id": "10.0.0.1", "server_mac": "52:54:00:00:00:fe", "router": "10.0.0.254", "lease_time": "60",
		"dns_server": "{10.0.0.253, 9.9.9.9}", "domain_name": `"k8s.kinit.local"`, "ntp_server": "10.0.0.253",
		"classless_static_route": "{0.0.0.0/0,10.0.0.254, 10.1.0.0/16,10.0.0.7, 172.16.0.0/24,10.0.0.254}",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("options\n%v\nwant\n%v", got, want)
	}
}

func TestDHCPValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*DHCP){
		`cidr is "10.0.0.1/24", want an IPv4 network such as "10.0.0.0/24"`: func(d *DHCP) { d.CIDR = "10.0.0.1/24" },
		`router is "x", want an address`:                                    func(d *DHCP) { d.Router = "x" },
		`server_id is empty, want an address, as there is no router`:        func(d *DHCP) { d.Router = "" },
		`server_mac is empty, want the address of the router port`:          func(d *DHCP) { d.ServerMAC = "" },
		`lease_time is "1", want a duration such as "1h"`:                   func(d *DHCP) { d.LeaseTime = "1" },
		`mtu is 9, want 68 to 65535 bytes`:                                  func(d *DHCP) { d.MTU = 9 },
		`dns_servers: "dns" is no address`:                                  func(d *DHCP) { d.DNSServers = []string{"dns"} },
		`state is "x", want one of present, absent`:                         func(d *DHCP) { d.State = "x" },
	} {
		moduletest.Refused(t, options(set), want)
	}
}
