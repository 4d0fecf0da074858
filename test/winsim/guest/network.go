//go:build linux

package guest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"time"
)

// device is the only network card, by the kernel's name.
const device = "eth0"

// Card is the network card as DHCP has set it up.
type Card struct {
	MAC     net.HardwareAddr
	MTU     int // bytes
	Address netip.Prefix
	Gateway netip.Addr   // none where there is no default route
	DNS     []netip.Addr // name servers
}

// leased is where the script of the DHCP client writes the gateway and the name servers.
const leased = "/run/lease"

// connect asks for an address until there is one. A machine without a network card, as
// one that is installed has none, gets the zero Card.
func connect(ctx context.Context, log func(string)) (Card, error) {
	if _, err := net.InterfaceByName(device); err != nil {
		return Card{}, nil
	}
	for _, name := range []string{"lo", device} {
		if err := run(ctx, "/bin/busybox", "ip", "link", "set", "dev", name, "up"); err != nil {
			return Card{}, err
		}
	}
	err := every(ctx, time.Second, func() error {
		err := run(ctx, "/bin/busybox", "udhcpc", "-n", "-q", "-f", "-t", "5", "-T", "2", "-i", device, "-s", "/sbin/lease", "-O", "mtu")
		if err != nil {
			log(err.Error())
		}
		return err
	})
	if err != nil {
		return Card{}, err
	}
	return card()
}

// card reads what the lease has brought.
func card() (Card, error) {
	link, err := net.InterfaceByName(device)
	if err != nil {
		return Card{}, err
	}
	c := Card{MAC: link.HardwareAddr, MTU: link.MTU}
	addresses, err := link.Addrs()
	if err != nil {
		return Card{}, err
	}
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address.String())
		if err == nil && prefix.Addr().Is4() {
			c.Address = prefix
		}
	}
	if !c.Address.IsValid() {
		return Card{}, errors.New(device + " has no IPv4 address")
	}
	text, err := os.ReadFile(leased)
	if err != nil {
		return Card{}, err
	}
	return c, c.readLease(string(text))
}

// readLease reads lines such as "router 10.0.0.254" and "dns 10.0.0.253".
func (c *Card) readLease(text string) error {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		address, err := netip.ParseAddr(value)
		if err != nil {
			return fmt.Errorf("%s: %w", leased, err)
		}
		switch name {
		case "router":
			c.Gateway = address
		case "dns":
			c.DNS = append(c.DNS, address)
		}
	}
	return nil
}

func run(ctx context.Context, argv ...string) error {
	said, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}
