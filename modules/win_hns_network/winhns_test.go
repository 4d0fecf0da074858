package winhns

import (
	"testing"

	"kinit/engine/module/moduletest"
)

const external = "name = \"External\"\ntype = \"overlay\"\nsubnet = \"192.168.255.0/30\"\nvni = 9999\n"

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

func TestRequestsAreInTheFormOfTheService(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		external + "adapter = \"Ethernet 2\"": `{"Name":"External","Type":"Overlay","NetworkAdapterName":"Ethernet 2",` +
			`"Subnets":[{"AddressPrefix":"192.168.255.0/30","GatewayAddress":"192.168.255.1","Policies":[{"Type":"VSID","VSID":9999}]}]}`,
		"name = \"cbr0\"\ntype = \"l2bridge\"\nsubnet = \"10.244.1.0/24\"\ngateway = \"10.244.1.2\"": `{"Name":"cbr0","Type":"L2Bridge",` +
			`"Subnets":[{"AddressPrefix":"10.244.1.0/24","GatewayAddress":"10.244.1.2"}]}`,
		"name = \"x\"\ntype = \"transparent\"": `{"Name":"x","Type":"Transparent"}`,
	} {
		if got, err := decode(t, args).request(); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", args, got, err, want)
		}
	}
}

func TestNetworkWithOtherPropertiesIsAnError(t *testing.T) {
	t.Parallel()
	have := network{There: true, Type: "overlay", Subnet: "192.168.255.0/30", Gateway: "192.168.255.1", VNI: 9999, Adapter: "Ethernet"}
	for _, c := range []struct{ args, want string }{
		{external, ""},
		{external + "adapter = \"ethernet\"", ""},
		{external + "adapter = \"Ethernet 2\"", `network External is there with adapter Ethernet, want Ethernet 2: remove it with state = "absent" when no container needs it`},
		{external + "gateway = \"192.168.255.2\"", `network External is there with gateway 192.168.255.1, want 192.168.255.2: remove it with state = "absent" when no container needs it`},
		{"name = \"External\"\ntype = \"overlay\"\nsubnet = \"192.168.255.0/30\"\nvni = 4096", `network External is there with VNI 9999, want 4096: remove it with state = "absent" when no container needs it`},
		{"name = \"External\"\ntype = \"nat\"\nsubnet = \"192.168.255.0/30\"", `network External is there with type overlay, want NAT: remove it with state = "absent" when no container needs it`},
	} {
		got := ""
		if err := decode(t, c.args).differs(have); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		external:                           "",
		"name = \"a\"\nstate = \"absent\"": "",
		"name = \"a\"\ntype = \"bridge\"":  `type is "bridge", want one of overlay, l2bridge, transparent, nat`,
		"name = \"a\"\ntype = \"overlay\"\nsubnet = \"10.0.0.0/24\"\nvni = 1":            "vni is 1, want 4096 to 16777215 for an overlay",
		"name = \"a\"\ntype = \"nat\"\nsubnet = \"10.0.0.0/24\"\nvni = 4096":             "vni is of an overlay, want it with type = \"overlay\" only",
		"name = \"a\"\ntype = \"nat\"":                                                   `subnet is "", want an IPv4 subnet such as "10.244.1.0/24"`,
		"name = \"a\"\ntype = \"nat\"\nsubnet = \"10.0.0.1/24\"":                         `subnet is "10.0.0.1/24", want an IPv4 subnet such as "10.244.1.0/24"`,
		"name = \"a\"\ntype = \"nat\"\nsubnet = \"10.0.0.0/24\"\ngateway = \"10.0.1.1\"": `gateway is "10.0.1.1", want an address of 10.0.0.0/24`,
		"name = \"a\"\ntype = \"transparent\"\nsubnet = \"10.0.0.0/24\"":                 "a transparent network has no subnet of its own, want none",
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
}
