package firewall_test

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                    "the rule would accept all packets, want a protocol, source, destination or interface",
		"protocol = \"tcp\"\nports = [\"0\"]": `ports has "0", want a port from 1 to 65535 or a range such as "30000-32767"`,
		"protocol = \"tcp\"\nports = [\"80-70\"]": `ports has "80-70", want a port from 1 to 65535 or a range such as "30000-32767"`,
		"protocol = \"tcp\"\nports = [\"080\"]":   `ports has "080", want a port from 1 to 65535 or a range such as "30000-32767"`,
		"protocol = \"gre\"\nports = [\"80\"]":    `ports are given and the protocol is "gre", want "tcp" or "udp"`,
		"protocol = \"tcp\"\nports = [\"1-2\", \"3-4\", \"5-6\", \"7-8\", \"9-10\", \"11-12\", \"13-14\", \"15-16\"]": "ports has 16, and a range counts as two, want 15 at most",
		`source = "10.0.0.0/33"`:                           `source is "10.0.0.0/33", want an IP address or a network such as "192.0.2.0/24"`,
		`destination = "host.example"`:                     `destination is "host.example", want an IP address or a network such as "192.0.2.0/24"`,
		`interface = "a very long interface"`:              `interface is "a very long interface", want a network interface such as "eth0"`,
		"source = \"10.0.0.1\"\nzone = \"a b\"":            `zone is "a b", want a zone of firewalld such as "public"`,
		"source = \"10.0.0.1\"\ndestination = \"fd00::1\"": "one of source and destination is IPv4 and the other IPv6, want one family",
		`out_interface = "eth0"`:                           `out_interface is for forwarded packets, want it with direction = "forward"`,
		"source = \"10.0.0.1\"\ndirection = \"out\"":       `direction is "out", want one of in, forward`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

// The rule of a mark is the same however its arguments are written.
func TestTheSamePacketsMakeTheSameRule(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.Handle(func(moduletest.Call) (moduletest.Reply, bool) { return moduletest.Reply{}, true })
	for args, want := range map[string]string{
		"protocol = \"tcp\"\nports = [\"443\", \"80\", \"443\"]\nsource = \"10.0.0.7/24\"": "accept tcp port 80,443 from 10.0.0.0/24",
		"source = \"10.0.0.7/32\"":                          "accept packets from 10.0.0.7",
		"source = \"FD00:0::1\"\ndirection = \"forward\"":   "forward packets from fd00::1",
		"protocol = \"esp\"\ninterface = \"eth0\"":          "accept esp in by eth0",
		"direction = \"forward\"\nout_interface = \"eth1\"": "forward packets out by eth1",
	} {
		moduletest.Same(t, args, moduletest.Outputs(t, task(t, args), h)["rule"].AsString(), want)
	}
}
