//go:build linux

package main

import (
	"net"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kinit/test/winsim/guest"
	"kinit/test/winsim/machine/network"
)

// played is what -guest makes of a virtual machine's hardware.
func played(t *testing.T, m guest.Machine) options {
	t.Helper()
	o, err := parse([]string{"-guest"})
	if err != nil {
		t.Fatal(err)
	}
	return o.in(m)
}

func TestTheCardOfTheGuestIsTheMachines(t *testing.T) {
	t.Parallel()
	o := played(t, guest.Machine{State: "/state", CDs: []string{"/run/media/sr0"}, Card: guest.Card{
		MAC: net.HardwareAddr{0x52, 0x54, 0, 0xe5, 0xd0, 0x45}, MTU: 1442, Address: netip.MustParsePrefix("10.0.0.2/24"),
		Gateway: netip.MustParseAddr("10.0.0.254"), DNS: []netip.Addr{netip.MustParseAddr("10.0.0.253")},
	}})
	want := []network.Adapter{{
		Name: "Ethernet", Description: "Red Hat VirtIO Ethernet Adapter", Index: 6, MAC: "52-54-00-E5-D0-45", MTU: 1442,
		Address: netip.MustParsePrefix("10.0.0.2/24"), Gateway: netip.MustParseAddr("10.0.0.254"),
		DNS: []netip.Addr{netip.MustParseAddr("10.0.0.253")}, Category: "Public", DHCP: true,
	}}
	if diff := cmp.Diff(want, o.machine(nil).Adapters, cmpopts.EquateComparable(netip.Addr{}, netip.Prefix{})); diff != "" {
		t.Error(diff)
	}
	if o.state != "/state" || !cmp.Equal(o.cds, []string{"/run/media/sr0"}) {
		t.Errorf("state %q, CDs %q", o.state, o.cds)
	}
}

// TestAGuestWithoutACardHasNoNetwork is how an image is installed.
func TestAGuestWithoutACardHasNoNetwork(t *testing.T) {
	t.Parallel()
	if made := played(t, guest.Machine{State: "/state"}).machine(nil).Adapters; made == nil || len(made) > 0 {
		t.Errorf("adapters %+v, want none, and no default", made)
	}
}

func TestWithoutAGuestTheStateIsNeeded(t *testing.T) {
	t.Parallel()
	if _, err := parse(nil); err == nil || err.Error() != "-state is missing, want a folder" {
		t.Errorf("got %v", err)
	}
}
