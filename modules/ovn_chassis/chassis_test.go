package ovnchassis

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

func chassis(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.Remote, t.EncapIP, t.DatapathType = "ssl:192.0.2.1:6642", "192.0.2.2", "netdev"
		t.BridgeMappings = map[string]string{"provider": "br-ex"}
		t.PrivateKey, t.Certificate, t.CACert = "/etc/k.pem", "/etc/c.pem", "/etc/ca.pem"
	}, set)
}

func absent() *Task { return chassis(func(c *Task) { c.State = "absent" }) }

// host is a running Open vSwitch whose administrator has set a few things.
func host(t *testing.T, settings ...string) *ovntest.Servers {
	s := ovntest.Start(t, ovn.Switch())
	s.DummyVswitchd()
	for _, setting := range settings {
		s.VS("set", "Open_vSwitch", ".", "external_ids:"+setting)
	}
	return s
}

func settings(s *ovntest.Servers) []string {
	return strings.Split(strings.Trim(s.VS("get", "Open_vSwitch", ".", "external_ids"), "{}"), ", ")
}

func tls(s *ovntest.Servers) []string {
	return s.Rows(ovn.Switch(), "SSL", "private_key,certificate,ca_cert,external_ids")
}

func TestChassisIsSetUpAndRestored(t *testing.T) {
	t.Parallel()
	s := host(t, "system-id=nyctea-1", "ovn-remote=tcp:198.51.100.1:6642", "ovn-bridge-mappings=physnet1:br1", "keep=this")
	before := settings(s)
	h := s.Host("c1")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task { return chassis(nil) }, Host: h,
		Snapshot: func() string { return s.Dump(ovn.Switch()) },
	})
	for _, want := range []string{
		`ovn-remote="ssl:192.0.2.1:6642"`, `ovn-encap-ip="192.0.2.2"`, `ovn-encap-type=geneve`, `ovn-bridge-datapath-type=netdev`,
		`ovn-bridge-mappings="physnet1:br1,provider:br-ex"`, `system-id=nyctea-1`, `keep=this`,
		`kinit-prior-ovn-remote="tcp:198.51.100.1:6642"`, `kinit-users-ovn-remote=c1`,
	} {
		if got := settings(s); !slices.Contains(got, want) {
			t.Errorf("settings %q, want %q", got, want)
		}
	}
	if got := tls(s); !slices.Equal(got, []string{"/etc/k.pem|/etc/c.pem|/etc/ca.pem|kinit-owner-c1=true"}) {
		t.Errorf("TLS %q", got)
	}
	for range 2 {
		moduletest.Do(t, absent(), h)
	}
	if after := settings(s); !slices.Equal(after, before) {
		t.Errorf("settings %q, want %q as before", after, before)
	}
	if got := tls(s); len(got) > 0 {
		t.Errorf("TLS %q, want none", got)
	}
}

func TestChassisGetsItsNameOnlyWithoutOne(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "fake", "nyctea": "nyctea"} {
		s := host(t)
		task := chassis(func(c *Task) { c.Name = name })
		moduletest.Do(t, task, s.Host("c1"))
		values, err := module.Outputs(t.Context(), task, s.Host("c1"))
		if err != nil || values["id"].AsString() != want {
			t.Errorf("name %q: id %v, %v; want %q", name, values["id"], err, want)
		}
	}
	s := host(t, "system-id=random")
	task := chassis(func(c *Task) { c.Name = "nyctea" })
	moduletest.Do(t, task, s.Host("c1"))
	if values, err := module.Outputs(t.Context(), task, s.Host("c1")); err != nil || values["id"].AsString() != "random" {
		t.Errorf("a host with a name: id %v, %v; want random", values["id"], err)
	}
}

func TestSettingsServeTwoClusters(t *testing.T) {
	t.Parallel()
	s := host(t, "system-id=x")
	before := settings(s)
	c1, c2 := s.Host("c1"), s.Host("c2")
	moduletest.Do(t, chassis(nil), c1)
	ovntest.Refused(t, c2, chassis(func(c *Task) { c.Remote = "ssl:203.0.113.1:6642" }),
		`ovn-remote is "ssl:192.0.2.1:6642" for cluster c1 and cannot be "ssl:203.0.113.1:6642" as well; give both clusters the same value`)
	moduletest.Do(t, chassis(nil), c2)
	moduletest.Do(t, absent(), c1)
	if left := moduletest.Texts(t, chassis(nil), c2); len(left) > 0 {
		t.Errorf("the second cluster after the first left: %q", left)
	}
	moduletest.Do(t, absent(), c2)
	if after := settings(s); !slices.Equal(after, before) {
		t.Errorf("settings %q, want %q as before", after, before)
	}
}

func TestSettingThatWasRightBeforeIsNotClaimed(t *testing.T) {
	t.Parallel()
	s := host(t, "system-id=x", "ovn-remote=\"ssl:192.0.2.1:6642\"", "ovn-bridge-mappings=provider:br-ex")
	h := s.Host("c1")
	moduletest.Do(t, chassis(nil), h)
	moduletest.Do(t, absent(), h)
	want := []string{`ovn-bridge-mappings="provider:br-ex"`, `ovn-remote="ssl:192.0.2.1:6642"`, `system-id=x`}
	if got := settings(s); !slices.Equal(got, want) {
		t.Errorf("settings %q, want %q", got, want)
	}
}

func TestChangedArgumentKeepsTheFirstPrior(t *testing.T) {
	t.Parallel()
	s := host(t, "system-id=x", "ovn-encap-ip=198.51.100.9")
	h := s.Host("c1")
	on := true
	moduletest.Do(t, chassis(func(c *Task) { c.MonitorAll, c.Hostname = &on, "h1" }), h)
	if got := settings(s); !slices.Contains(got, `ovn-monitor-all="true"`) || !slices.Contains(got, `hostname=h1`) {
		t.Errorf("settings %q", got)
	}
	moduletest.Do(t, chassis(func(c *Task) { c.EncapIP = "192.0.2.3" }), h)
	if got := settings(s); slices.Contains(got, `ovn-monitor-all="true"`) || slices.Contains(got, `hostname=h1`) {
		t.Errorf("settings that are no longer given stay: %q", got)
	}
	moduletest.Do(t, absent(), h)
	if got := settings(s); !slices.Equal(got, []string{`ovn-encap-ip="198.51.100.9"`, `system-id=x`}) {
		t.Errorf("settings %q, want the first ones", got)
	}
}

func TestTLSOfSomebodyElseIsNotChanged(t *testing.T) {
	t.Parallel()
	s := host(t)
	s.VS("set-ssl", "/their/key", "/their/cert", "/their/ca")
	ovntest.Refused(t, s.Host("c1"), chassis(nil), "TLS of Open vSwitch was there before kinit and differs; change the arguments, or the thing itself by hand\n"+
		"change the files of TLS\n  private_key: /their/key -> /etc/k.pem\n  certificate: /their/cert -> /etc/c.pem\n  ca_cert: /their/ca -> /etc/ca.pem")
}

func TestChassisWithoutOwnerLeavesNoBooks(t *testing.T) {
	t.Parallel()
	s := host(t, "keep=this", "system-id=x")
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return chassis(nil) },
		Absent: func() module.Task { return absent() },
		Host:   s.Host(""),
	})
	if got := settings(s); !slices.Equal(got, []string{"keep=this", "system-id=x"}) {
		t.Errorf("settings %q", got)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*Task){
		`remote is "192.0.2.1", want "ssl:ADDRESS:6642"`:                                             func(c *Task) { c.Remote = "192.0.2.1" },
		`private_key, certificate or ca_cert is empty, want the paths of all three for remote "ssl"`: func(c *Task) { c.CACert = "" },
		`encap_ip is "", want the host's address for tunnels`:                                        func(c *Task) { c.EncapIP = "" },
		`encap_type is "gre", want "geneve"`:                                                         func(c *Task) { c.EncapType = "gre" },
		`datapath_type is "x", want one of system, netdev`:                                           func(c *Task) { c.DatapathType = "x" },
		`bridge_mappings: "a:b" = "br", want names without colons and commas`:                        func(c *Task) { c.BridgeMappings = map[string]string{"a:b": "br"} },
		`state is "x", want one of present, absent`:                                                  func(c *Task) { c.State = "x" },
	} {
		moduletest.Refused(t, chassis(set), want)
	}
}
