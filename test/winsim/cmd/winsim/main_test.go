//go:build linux

package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/crypto/ssh"

	"kinit/engine/need"
	"kinit/test/executable"
	"kinit/test/winsim/guest"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/store"
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

// TestAMachineThatExistsIsOpenToWhoHasTheKey is how labs have machines with Windows.
func TestAMachineThatExistsIsOpenToWhoHasTheKey(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	hostKey, login := newKey(t, folder, "host"), newKey(t, folder, "login")
	public := filepath.Join(folder, "authorized_keys")
	if err := os.WriteFile(public, ssh.MarshalAuthorizedKey(login.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(need.Port(t))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{
			"-state", filepath.Join(folder, "state"), "-release", "2k25", "-name", "W1", "-address", "192.0.2.5/24", "-boot-time", "0s",
			"-listen", "127.0.0.1", "-ssh-port", port, "-http-port", "", "-https-port", "",
			"-ssh-host-key", filepath.Join(folder, "host"), "-ssh-authorized-keys", public,
		}, io.Discard)
	}()
	client := dial(t, "127.0.0.1:"+port, &ssh.ClientConfig{
		User: "Administrator", Auth: []ssh.AuthMethod{ssh.PublicKeys(login)}, HostKeyCallback: ssh.FixedHostKey(hostKey.PublicKey()),
	})
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	said, err := session.Output("hostname.exe")
	if err != nil || strings.TrimSpace(string(said)) != "W1" {
		t.Errorf("hostname.exe said %q, %v", said, err)
	}
	client.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// newKey makes an SSH key and writes it to a file of that name.
func newKey(t *testing.T, folder, name string) ssh.Signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// dial connects as soon as somebody answers.
func dial(t *testing.T, address string, config *ssh.ClientConfig) *ssh.Client {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		client, err := ssh.Dial("tcp", address, config)
		if err == nil {
			return client
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestRoutesOfTheMachineAreThoseOfItsContainer runs a program in place of ip, which notes
// what it is told.
func TestRoutesOfTheMachineAreThoseOfItsContainer(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>" + folder + "/said\n"
	executable.Write(t, filepath.Join(folder, "ip"), script)
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	stack, err := network.Open(store.In(folder, "network"), []network.Adapter{{Name: "Ethernet", Address: netip.MustParsePrefix("192.0.2.5/24")}}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	before := network.Route{Prefix: netip.MustParsePrefix("10.0.0.0/24"), Gateway: netip.MustParseAddr("192.0.2.1"), Persistent: true}
	after := network.Route{Prefix: netip.MustParsePrefix("10.1.0.0/24"), Gateway: netip.MustParseAddr("192.0.2.1")}
	for _, step := range []func() error{
		func() error { return stack.AddRoute(before) },
		func() error { return stack.Follow(follow) },
		func() error { return stack.AddRoute(after) },
		stack.Reboot,
		func() error { return stack.RemoveRoute(before) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	said, err := os.ReadFile(filepath.Join(folder, "said"))
	if err != nil {
		t.Fatal(err)
	}
	want := "route replace 10.0.0.0/24 via 192.0.2.1\nroute replace 10.1.0.0/24 via 192.0.2.1\nroute delete 10.1.0.0/24 via 192.0.2.1\nroute delete 10.0.0.0/24 via 192.0.2.1\n"
	if diff := cmp.Diff(want, string(said)); diff != "" {
		t.Error(diff)
	}
}
