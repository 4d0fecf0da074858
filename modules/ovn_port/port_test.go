package ovnport

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

const columns = "name,type,options,addresses,port_security,tag_request,external_ids"

// northbound has switches k8s of cluster c1 and foreign, and DHCP options k8s of
// c1.
func northbound(t *testing.T) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Northbound())
	s.NB("ls-add", "foreign", "--", "lsp-add", "foreign", "foreign-port",
		"--", "ls-add", "k8s", "--", "set", "Logical_Switch", "k8s", "external_ids:kinit-owner=c1",
		"--", "create", "DHCP_Options", "cidr=10.0.0.0/24", "external_ids:kinit-owner=c1", "external_ids:kinit-name=k8s")
	return s
}

func node(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.Switch, t.Name, t.MAC, t.IP, t.DHCP = "k8s", "node-1", "52:54:00:00:00:01", "10.0.0.1", "k8s"
	}, set)
}

func TestPortIsMadeAndRemoved(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	before := s.Rows(ovn.Northbound(), "Logical_Switch_Port", columns)
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task { return node(nil) }, Host: h,
		Snapshot: func() string { return s.Dump(ovn.Northbound()) },
	})
	want := "node-1|||52:54:00:00:00:01 10.0.0.1|52:54:00:00:00:01 10.0.0.1||kinit-owner=c1"
	if got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", columns); !slices.Contains(got, want) {
		t.Errorf("ports %q, want %q", got, want)
	}
	dhcp := s.Rows(ovn.Northbound(), "DHCP_Options", "_uuid")
	if got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", "dhcpv4_options"); !slices.Contains(got, dhcp[0]) {
		t.Errorf("DHCP options %q, want %q", got, dhcp)
	}
	for range 2 {
		moduletest.Do(t, node(func(p *Task) { p.State = "absent" }), h)
	}
	if after := s.Rows(ovn.Northbound(), "Logical_Switch_Port", columns); !slices.Equal(after, before) {
		t.Errorf("ports %q, want %q", after, before)
	}
}

func TestManyPortsAreMadeAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	errs := make(chan error)
	const ports = 16
	for i := range ports {
		h := s.Host("c1")
		go func() {
			task := node(func(p *Task) { p.Name, p.IP = fmt.Sprintf("node-%d", i), fmt.Sprintf("10.0.0.%d", i+1) })
			steps, err := task.Plan(t.Context(), h)
			for _, step := range steps {
				err = errors.Join(err, step.Do(t.Context(), h))
			}
			errs <- err
		}()
	}
	for range ports {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := strings.Count(s.NB("lsp-list", "k8s"), "node-"); got != ports {
		t.Errorf("%d ports, want %d", got, ports)
	}
	if got := s.Rows(ovn.Northbound(), "NB_Global", "nb_cfg"); !slices.Equal(got, []string{"16"}) {
		t.Errorf("nb_cfg %q, want one for each port", got)
	}
}

func TestPortVariants(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*Task){
		"p|localnet|network_name=provider|unknown||7|kinit-owner=c1": func(p *Task) {
			p.Type, p.Network, p.Tag, p.MAC, p.IP, p.DHCP = "localnet", "provider", 7, "", "", ""
		},
		"p|||52:54:00:00:00:01 10.0.0.1|||kinit-owner=c1": func(p *Task) { p.PortSecurity = false },
		"p|||52:54:00:00:00:01 10.0.0.1|52:54:00:00:00:01 10.0.0.1 10.244.1.0/24||kinit-owner=c1": func(p *Task) {
			p.AllowedIPs = []string{"10.244.1.0/24"}
		},
		"p||requested-chassis=tyto|unknown|||kinit-owner=c1": func(p *Task) {
			p.MAC, p.IP, p.DHCP, p.Options = "", "", "", map[string]string{"requested-chassis": "tyto"}
		},
	} {
		s := northbound(t)
		moduletest.Do(t, node(func(p *Task) { p.Name = "p"; set(p) }), s.Host("c1"))
		if got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", columns); !slices.Contains(got, want) {
			t.Errorf("ports %q, want %q", got, want)
		}
	}
}

func TestPortIsChangedInPlaceAndMoved(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	moduletest.Do(t, node(nil), h)
	changed := func() *Task { return node(func(p *Task) { p.IP = "10.0.0.9" }) }
	want := []string{"change port node-1\n  addresses: 52:54:00:00:00:01 10.0.0.1 -> 52:54:00:00:00:01 10.0.0.9\n  port_security: 52:54:00:00:00:01 10.0.0.1 -> 52:54:00:00:00:01 10.0.0.9"}
	if got := moduletest.Texts(t, changed(), h); !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	moduletest.Do(t, changed(), h)
	s.NB("ls-add", "k8s2", "--", "set", "Logical_Switch", "k8s2", "external_ids:kinit-owner=c1")
	moduletest.Do(t, node(func(p *Task) { p.Switch = "k8s2" }), h)
	if got := s.NB("lsp-get-ls", "node-1"); got[len(got)-len("(k8s2)"):] != "(k8s2)" {
		t.Errorf("node-1 is on %q, want k8s2", got)
	}
}

func TestPortWithoutItsSwitchOrDHCPIsPlannedAndRefused(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	later := node(func(p *Task) { p.Switch = "later" })
	if got := moduletest.Steps(t, later, h); len(got) != 1 {
		t.Errorf("steps %q, want one", got)
	}
	ovntest.Refused(t, h, later, "port node-1: there is no logical switch later")
	ovntest.Refused(t, h, node(func(p *Task) { p.DHCP = "later" }), "port node-1: there are no DHCP options named later")
	moduletest.Do(t, node(func(p *Task) { p.DHCP = "" }), h)
	ovntest.Refused(t, h, node(func(p *Task) { p.DHCP = "later" }), "port node-1: there are no DHCP options named later")
}

func TestPortOfSomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	h := s.Host("c1")
	theirs := `port foreign-port exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with "ovn-nbctl lsp-del foreign-port" if nothing needs it`
	ovntest.Refused(t, h, node(func(p *Task) { p.Name = "foreign-port" }), theirs)
	ovntest.Refused(t, h, node(func(p *Task) { p.Name, p.State = "foreign-port", "absent" }), theirs)
	ovntest.Refused(t, h, node(func(p *Task) { p.Switch = "foreign" }),
		`logical switch foreign exists and is not owned by cluster c1 (it has no mark of kinit); use another name, or remove it with "ovn-nbctl ls-del foreign" if nothing needs it`)
}

func TestSharedPortGoesWithItsLastCluster(t *testing.T) {
	t.Parallel()
	s := northbound(t)
	s.NB("ls-add", "external", "--", "set", "Logical_Switch", "external", "external_ids:kinit-owner-c1=true", "external_ids:kinit-owner-c2=true")
	localnet := func(set func(*Task)) *Task {
		return node(func(p *Task) {
			p.Switch, p.Name, p.Type, p.Network, p.Shared = "external", "external-localnet", "localnet", "provider", true
			p.MAC, p.IP, p.DHCP = "", "", ""
			set(p)
		})
	}
	keep, gone := func(*Task) {}, func(p *Task) { p.State = "absent" }
	c1, c2 := s.Host("c1"), s.Host("c2")
	moduletest.Do(t, localnet(keep), c1)
	moduletest.Do(t, localnet(keep), c2)
	want := "external-localnet|localnet|network_name=provider|unknown|||kinit-owner-c1=true kinit-owner-c2=true"
	if got := s.Rows(ovn.Northbound(), "Logical_Switch_Port", columns); !slices.Contains(got, want) {
		t.Errorf("ports %q, want %q", got, want)
	}
	ovntest.Refused(t, c2, localnet(func(p *Task) { p.Network = "other" }),
		"port external-localnet differs, and it is shared by cluster c1, c2; give all the same arguments\nchange port external-localnet\n  options:network_name: provider -> other")
	moduletest.Do(t, localnet(gone), c1)
	if got := moduletest.Texts(t, localnet(gone), c2); !slices.Equal(got, []string{"delete port external-localnet of logical switch external"}) {
		t.Errorf("the last cluster: %q", got)
	}
	moduletest.Do(t, localnet(gone), c2)
	if got := s.NB("lsp-list", "external"); got != "" {
		t.Errorf("ports left: %q", got)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*Task){
		"switch is empty, want the logical switch that gets port node-1":                func(p *Task) { p.Switch = "" },
		`ip is "10.0.0.1/24", want an address without prefix length`:                    func(p *Task) { p.IP = "10.0.0.1/24" },
		"mac is empty, want the Ethernet address that ip, dhcp and allowed_ips are for": func(p *Task) { p.MAC = "" },
		`allowed_ips: "x" is no address and no network`:                                 func(p *Task) { p.AllowedIPs = []string{"x"} },
		"network is empty, want the physical network of a localnet port":                func(p *Task) { p.Type = "localnet" },
		"network and tag are for ports of type \"localnet\"":                            func(p *Task) { p.Tag = 1 },
		`mac: "x" is no MAC address in lower case, such as 52:54:00:00:00:01`:           func(p *Task) { p.MAC = "x" },
	} {
		moduletest.Refused(t, node(set), want)
	}
}
