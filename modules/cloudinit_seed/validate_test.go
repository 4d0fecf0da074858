package seed

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	card := Network{MAC: "52:54:00:12:34:56", DHCP: true}
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments":           {change: func(*Task) {}},
		"absent needs only a path": {change: func(s *Task) { *s = Task{Path: "/a", Presence: module.Presence{State: "absent"}} }},
		"relative path":            {change: func(s *Task) { s.Path = "a" }, want: `path "a": expected an absolute path`},
		"unknown state":            {change: func(s *Task) { s.State = "on" }, want: `state is "on", want one of present, absent`},
		"hostname with a domain": {change: func(s *Task) { s.Hostname = "a.b" },
			want: `hostname "a.b": expected up to 63 letters, digits and hyphens, without a domain`},
		"private key of another format": {change: func(s *Task) { s.HostKey.Private = "hunter2" },
			want: `host_key: private is no private key in the format of OpenSSH`},
		"public key of another type": {change: func(s *Task) { s.HostKey.Public = "ssh-rsa AAAA" },
			want: `host_key: public is no Ed25519 key: expected "ssh-ed25519 " and the key`},
		"file with a relative path": {change: func(s *Task) { s.WriteFiles = []WriteFile{{Path: "etc"}} },
			want: `write_file 1: path "etc": expected an absolute path`},
		"file with wrong permissions": {change: func(s *Task) { s.WriteFiles = []WriteFile{{Path: "/a", Permissions: "rw"}} },
			want: `write_file 1: permissions "rw": expected an octal mode such as "0644"`},
		"empty command": {change: func(s *Task) { s.RunCmd = [][]string{{"true"}, {}} },
			want: `runcmd 2 is empty: expected a program and its arguments`},
		"extra user data as text": {change: func(s *Task) { s.ExtraUserData = cty.StringVal("a: b") },
			want: `extra_user_data is string: expected an object of cloud-init keys`},
		"card without an address": {change: func(s *Task) { card := card; card.DHCP = false; s.Networks = []Network{card} },
			want: `network 1: no address: set dhcp = true or give addresses`},
		"two cards of one name": {change: func(s *Task) { other := card; other.Name = "eth0"; s.Networks = []Network{card, other} },
			want: `network 2: the name "eth0" is taken by another`},
		"wrong address of a card": {change: func(s *Task) { s.Networks = []Network{{MAC: "5"}} },
			want: `network 1: mac "5": expected an address such as "52:54:00:12:34:56"`},
		"address without a prefix": {change: func(s *Task) { card := card; card.Addresses = []string{"10.0.0.5"}; s.Networks = []Network{card} },
			want: `network 1: address "10.0.0.5": expected an address with its prefix, such as "10.0.0.5/24"`},
		"gateway that is a name": {change: func(s *Task) { card := card; card.Gateway = "gw"; s.Networks = []Network{card} },
			want: `network 1: gateway "gw": expected an IPv4 address such as "10.0.0.254"`},
		"gateway of IPv6": {change: func(s *Task) { card := card; card.Gateway = "fd00::1"; s.Networks = []Network{card} },
			want: `network 1: gateway "fd00::1": expected an IPv4 address such as "10.0.0.254"`},
		"name server that is a name": {change: func(s *Task) { card := card; card.Nameservers = []string{"dns"}; s.Networks = []Network{card} },
			want: `network 1: name server "dns": expected an address such as "10.0.0.253"`},
		"tiny mtu": {change: func(s *Task) { card := card; card.MTU = 9; s.Networks = []Network{card} },
			want: `network 1: mtu 9: expected 68 to 65535 bytes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := small("/images")
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}
