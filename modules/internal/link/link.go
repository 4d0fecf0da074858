// Package link configures network devices of a Linux host.
//
// It reads with ip and ethtool in their JSON form, compares, and returns the
// commands for the differences. These settings last until the device or
// the host goes away; Script returns them as a script for a unit that runs at
// start-up.
package link

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// maxName is the longest name of a device: IFNAMSIZ less the final zero.
const maxName = 15

// Want is the wanted configuration of a device. Zero fields do not change.
type Want struct {
	Device    string
	Netns     string            // path of the network namespace, empty for the host's
	Addresses []string          // with prefix length, such as 10.0.0.1/24
	Routes    map[string]string // gateway by destination
	MTU       int               // bytes
	MAC       string
	TxOff     bool     // transmit checksums are computed in software
	Only      bool     // other addresses are removed from the device
	Floating  []string // except these, which another program sets and removes
}

// State is the current state of a device.
type State struct {
	Exists    bool
	Index     int
	Peer      int // the index of a veth's other end, in that end's namespace
	Alias     string
	Up        bool
	MTU       int
	MAC       string
	Addresses []string // global ones that were set by hand
	Routes    map[string]string
	TxOff     bool
}

// Commands returns the commands that change have into what is wanted, in order. Each can be
// repeated. The device is brought up.
func Commands(want Want, have State) [][]string {
	var all [][]string
	add := func(argv ...string) { all = append(all, argv) }
	if want.MTU != 0 && want.MTU != have.MTU {
		add("ip", "link", "set", "dev", want.Device, "mtu", strconv.Itoa(want.MTU))
	}
	if want.MAC != "" && want.MAC != have.MAC {
		add("ip", "link", "set", "dev", want.Device, "address", want.MAC)
	}
	if want.TxOff && !have.TxOff {
		add("ethtool", "-K", want.Device, "tx", "off")
	}
	if !have.Up {
		add("ip", "link", "set", "dev", want.Device, "up")
	}
	// With the first address of a network the kernel removes the others of that network, and routes: so
	// what goes goes first.
	removed := false
	for _, address := range have.Addresses {
		if want.Only && !slices.Contains(want.Addresses, address) && !slices.Contains(want.Floating, address) {
			add("ip", "addr", "del", address, "dev", want.Device)
			removed = true
		}
	}
	for _, address := range want.Addresses {
		if removed || !slices.Contains(have.Addresses, address) {
			add("ip", "addr", "replace", address, "dev", want.Device)
		}
	}
	for _, to := range slices.Sorted(maps.Keys(want.Routes)) {
		if removed || have.Routes[to] != want.Routes[to] {
			add("ip", "route", "replace", to, "via", want.Routes[to], "dev", want.Device)
		}
	}
	return inside(want.Netns, all)
}

// inside makes commands run in a network namespace.
func inside(netns string, commands [][]string) [][]string {
	if netns == "" {
		return commands
	}
	for i, argv := range commands {
		commands[i] = append([]string{"nsenter", "--net=" + netns}, argv...)
	}
	return commands
}

// CheckName reports whether a device can have the name.
func CheckName(argument, name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("%s %q: a device's name has 1 to %d characters", argument, name, maxName)
	}
	for _, r := range name {
		if r <= ' ' || r == '/' || r == ':' || r > '~' {
			return fmt.Errorf("%s %q: a device's name has no spaces, slashes or colons", argument, name)
		}
	}
	return nil
}

// CheckAddresses reports whether each is an address with prefix length.
func CheckAddresses(argument string, addresses []string) error {
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address)
		if err != nil {
			return fmt.Errorf("%s: %q is no address with prefix length, such as 10.0.0.1/24", argument, address)
		}
		if prefix.String() != address {
			return fmt.Errorf("%s: write %q as %q", argument, address, prefix)
		}
	}
	return nil
}

// CheckRoutes reports whether each destination and gateway can be read.
func CheckRoutes(argument string, routes map[string]string) error {
	for to, via := range routes {
		prefix, err := netip.ParsePrefix(to)
		if to != "default" && (err != nil || prefix.Masked().String() != to) {
			return fmt.Errorf("%s: %q is no destination, such as 10.1.0.0/16 or default", argument, to)
		}
		if _, err := netip.ParseAddr(via); err != nil {
			return fmt.Errorf("%s: %q is no address of a gateway", argument, via)
		}
	}
	return nil
}

// CheckMTU reports whether it is 0 or an MTU that a device can have.
func CheckMTU(argument string, mtu int) error {
	if mtu != 0 && (mtu < 68 || mtu > 65535) {
		return fmt.Errorf("%s is %d, want 68 to 65535 bytes", argument, mtu)
	}
	return nil
}

// CheckMAC reports whether it is empty or an Ethernet address as ip prints it.
func CheckMAC(argument, mac string) error {
	if mac == "" {
		return nil
	}
	parsed, err := net.ParseMAC(mac)
	if err != nil || len(parsed) != 6 || parsed.String() != mac {
		return fmt.Errorf("%s: %q is no MAC address in lower case, such as 52:54:00:00:00:01", argument, mac)
	}
	return nil
}
