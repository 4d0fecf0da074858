package link

import (
	"slices"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

// What Debian 12's iproute2 6.1 and ethtool 6.1 print, shortened.
const (
	addr = `[{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP"],"mtu":65536,"addr_info":[{"local":"127.0.0.1","prefixlen":8,"scope":"host"}]},
{"ifindex":7,"link_index":2,"ifname":"k8s-svc","flags":["BROADCAST","UP","LOWER_UP"],"mtu":1442,"address":"66:01:e9:24:cc:ad","ifalias":"kinit-owner=c1",
 "addr_info":[{"family":"inet","local":"10.0.0.253","prefixlen":24,"scope":"global"},
  {"family":"inet","local":"192.0.2.7","prefixlen":24,"scope":"global","dynamic":true},
  {"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]},
{"ifindex":8,"link":"b","ifname":"a","flags":["BROADCAST"],"mtu":1500,"address":"d6:e4:02:11:c8:ff","addr_info":[]},
{"ifindex":9,"link":"a","ifname":"b","flags":["BROADCAST"],"mtu":1500,"address":"d6:e4:02:11:c8:fe","addr_info":[]}]`
	route    = `[{"dst":"default","gateway":"10.0.0.254"},{"dst":"10.0.0.0/24","protocol":"kernel"},{"dst":"192.0.2.9","gateway":"10.0.0.1"},{"dst":"2001:db8::1","gateway":"fe80::9"}]`
	checksum = `[ { "ifname": "k8s-svc", "rx-checksumming": { "active": true, "fixed": false, "requested": true }, "tx-checksumming": { "active": %, "fixed": null, "requested": null } } ]`
)

func host(t *testing.T) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "c1")
	h.On("ip", "-json", "-details", "addr", "show").Out(addr)
	return h
}

func TestReadTellsWhatADeviceIs(t *testing.T) {
	t.Parallel()
	h := host(t)
	h.On("ip", "-json", "route", "show", "dev", "k8s-svc").Out(route)
	h.On("ethtool", "--json", "-k", "k8s-svc").Out(strings.Replace(checksum, "%", "false", 1))
	got, err := Read(t.Context(), h, Want{Device: "k8s-svc", Routes: map[string]string{"default": "x"}, TxOff: true})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Exists || !got.Up || !got.TxOff || got.Index != 7 || got.Peer != 2 || got.MTU != 1442 || got.MAC != "66:01:e9:24:cc:ad" || got.Alias != "kinit-owner=c1" {
		t.Errorf("state %+v", got)
	}
	if !slices.Equal(got.Addresses, []string{"10.0.0.253/24"}) {
		t.Errorf("addresses %q, want only what was set by hand", got.Addresses)
	}
	for to, via := range map[string]string{"default": "10.0.0.254", "10.0.0.0/24": "", "192.0.2.9/32": "10.0.0.1", "2001:db8::1/128": "fe80::9"} {
		if got.Routes[to] != via {
			t.Errorf("route %s via %q, want %q", to, got.Routes[to], via)
		}
	}
}

func TestReadTellsOffloadAndPeersInOneNamespace(t *testing.T) {
	t.Parallel()
	h := host(t)
	h.On("ethtool", "--json", "-k", "a").Out(strings.Replace(checksum, "%", "true", 1))
	got, err := Read(t.Context(), h, Want{Device: "a", TxOff: true})
	if err != nil || got.TxOff || got.Up || got.Peer != 9 {
		t.Errorf("state %+v, %v; want down, offloading, with peer 9", got, err)
	}
}

func TestReadOfAMissingDeviceIsNoError(t *testing.T) {
	t.Parallel()
	got, err := Read(t.Context(), host(t), Want{Device: "none", TxOff: true})
	if err != nil || got.Exists {
		t.Errorf("state %+v, %v; want no device", got, err)
	}
}

func TestReadSaysWhatIsNotInstalled(t *testing.T) {
	t.Parallel()
	h := host(t)
	h.On("ethtool", "--json", "-k", "a").Fail(127, "sh: ethtool: not found")
	_, err := Read(t.Context(), h, Want{Device: "a", TxOff: true})
	if err == nil || !strings.HasPrefix(err.Error(), "ethtool is not installed on fake: ") {
		t.Errorf("read: %v", err)
	}
}

func TestCommandsMakeTheDifference(t *testing.T) {
	t.Parallel()
	want := Want{
		Device: "d", Netns: "/run/netns/p", Addresses: []string{"10.0.0.1/24", "10.0.0.2/24"}, MTU: 1442,
		Routes: map[string]string{"default": "10.0.0.254", "10.1.0.0/16": "10.0.0.9"}, MAC: "02:00:00:00:00:01", TxOff: true, Only: true,
	}
	have := State{
		Exists: true, MTU: 1500, MAC: "02:00:00:00:00:09", Addresses: []string{"10.0.0.1/24", "10.9.9.9/24"},
		Routes: map[string]string{"default": "10.0.0.254"},
	}
	in := "nsenter '--net=/run/netns/p' "
	lines := []string{
		in + "ip link set dev d mtu 1442", in + "ip link set dev d address 02:00:00:00:00:01", in + "ethtool -K d tx off", in + "ip link set dev d up",
		in + "ip addr del 10.9.9.9/24 dev d", in + "ip addr replace 10.0.0.1/24 dev d", in + "ip addr replace 10.0.0.2/24 dev d",
		in + "ip route replace 10.1.0.0/16 via 10.0.0.9 dev d", in + "ip route replace default via 10.0.0.254 dev d",
	}
	if got := lines; !slices.Equal(got, linesOf(want, have)) {
		t.Errorf("commands %q\nwant %q", linesOf(want, have), lines)
	}
	want.Floating = []string{"10.9.9.9/24"}
	lines = slices.Concat(lines[:4], []string{in + "ip addr replace 10.0.0.2/24 dev d", in + "ip route replace 10.1.0.0/16 via 10.0.0.9 dev d"})
	if got := linesOf(want, have); !slices.Equal(got, lines) {
		t.Errorf("with a floating address, commands %q\nwant %q", got, lines)
	}
	done := State{Exists: true, Up: true, MTU: 1442, MAC: want.MAC, TxOff: true, Addresses: want.Addresses, Routes: want.Routes}
	if got := Commands(want, done); len(got) > 0 {
		t.Errorf("commands %q for a device that is as wanted", got)
	}
}

func linesOf(want Want, have State) []string { return lines(Commands(want, have)) }

func TestChecksNameTheArgument(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		`name "sixteen-letters-": a device's name has 1 to 15 characters`:                     CheckName("name", "sixteen-letters-"),
		`name "a b": a device's name has no spaces, slashes or colons`:                        CheckName("name", "a b"),
		`a: "10.0.0.1" is no address with prefix length, such as 10.0.0.1/24`:                 CheckAddresses("a", []string{"10.0.0.1"}),
		`a: write "2001:DB8::1/64" as "2001:db8::1/64"`:                                       CheckAddresses("a", []string{"2001:DB8::1/64"}),
		`r: "10.0.0.1/8" is no destination, such as 10.1.0.0/16 or default`:                   CheckRoutes("r", map[string]string{"10.0.0.1/8": "10.0.0.1"}),
		`r: "x" is no address of a gateway`:                                                   CheckRoutes("r", map[string]string{"default": "x"}),
		`mac: "52-54-00-00-00-01" is no MAC address in lower case, such as 52:54:00:00:00:01`: CheckMAC("mac", "52-54-00-00-00-01"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, err := range []error{CheckName("n", "br-ex"), CheckMAC("m", ""), CheckAddresses("a", []string{"10.0.0.1/24"}), CheckRoutes("r", map[string]string{"default": "10.0.0.1"})} {
		if err != nil {
			t.Errorf("error %v for what is right", err)
		}
	}
}
