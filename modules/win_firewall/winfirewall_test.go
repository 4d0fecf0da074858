package winfirewall

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), "name = \"kinit-x\"\n"+args).(*Task)
}

// kubelet is a rule as the firewall tells it.
func kubelet() rule {
	return rule{
		There: true, DisplayName: "kinit-x", Enabled: true, Direction: "Inbound", Action: "Allow", Profiles: "Any",
		Protocol: "TCP", LocalPorts: []string{"10250"}, RemotePorts: []string{"Any"},
		RemoteAddresses: []string{"192.168.1.0/255.255.255.0", "10.0.0.1"}, Program: "Any",
	}
}

func TestRulesAreComparedWhateverTheirForm(t *testing.T) {
	t.Parallel()
	const same = "protocol = \"tcp\"\nlocal_ports = [\"10250\"]\nremote_addresses = [\"10.0.0.1/32\", \"192.168.1.7/24\"]\n"
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"the same", same, nil},
		{"all profiles", same + "profiles = [\"public\", \"domain\", \"private\"]", nil},
		{"two profiles", same + "profiles = [\"public\", \"domain\"]", []string{"profiles Any to Domain, Public"}},
		{"another name", same + "display_name = \"Kubelet\"", []string{"display name kinit-x to Kubelet"}},
		{"not enabled and blocked", same + "enabled = false\naction = \"block\"", []string{"enabled true to false", "action Allow to Block"}},
		{"a program", same + "program = \"C:/k/kubelet.exe\"", []string{`program Any to C:\k\kubelet.exe`}},
		{"other ports from anywhere", "protocol = \"tcp\"\nlocal_ports = [\"443\", \"10250\"]",
			[]string{"remote addresses 10.0.0.1,192.168.1.0/24 to Any", "local ports 10250 to 10250,443"}},
		{"another protocol", "protocol = \"icmpv4\"\nremote_addresses = [\"10.0.0.1\", \"192.168.1.0/24\"]", []string{"protocol TCP to ICMPv4"}},
	} {
		task := decode(t, c.args)
		if mistake := moduletest.Mistake(t, task); mistake != "" {
			t.Errorf("%s: %s", c.name, mistake)
		}
		if diff := cmp.Diff(c.want, kubelet().diff(task.rule())); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestPortsAreGivenForProtocolsThatHaveSome(t *testing.T) {
	t.Parallel()
	args := decode(t, "protocol = \"udp\"\nlocal_ports = [\"4789\"]").rule().arguments("kinit-x")
	if diff := cmp.Diff([]string{"4789"}, args["localPorts"]); diff != "" {
		t.Error(diff)
	}
	args = decode(t, "protocol = \"icmpv6\"").rule().arguments("kinit-x")
	if args["localPorts"] != nil || args["protocol"] != "ICMPv6" || args["enabled"] != "True" {
		t.Errorf("arguments %v", args)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"direction = \"in\"":                           `direction is "in", want one of inbound, outbound`,
		"action = \"deny\"":                            `action is "deny", want one of allow, block`,
		"protocol = \"sctp\"":                          `protocol is "sctp", want tcp, udp, icmpv4, icmpv6, any or a number from 0 to 255`,
		"protocol = \"256\"":                           `protocol is "256", want tcp, udp, icmpv4, icmpv6, any or a number from 0 to 255`,
		"protocol = \"132\"":                           "",
		"local_ports = [\"80\"]":                       "ports are those of tcp and udp, want local_ports and remote_ports beside such a protocol only",
		"protocol = \"tcp\"\nlocal_ports = [\"http\"]": `local_ports has "http", want a port or range such as "30000-32767"`,
		"remote_addresses = [\"10.0.0\"]":              `remote_addresses has "10.0.0", want an address, a subnet such as "10.0.0.0/8" or a word of Windows such as "LocalSubnet"`,
		"remote_addresses = [\"LocalSubnet\"]":         "",
		"profiles = [\"work\"]":                        `profiles has "work", want one of domain, private, public`,
		"program = \"kubelet.exe\"":                    `program is "kubelet.exe", want a path with its drive, such as "C:/kinit/file"`,
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
}
