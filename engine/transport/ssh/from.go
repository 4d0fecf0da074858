package ssh

import (
	"context"
	"fmt"
	"net"
)

// DialFrom returns a Config.Dial of one family of addresses, "inet" or "inet6", from an address or network interface of
// this machine. Each may be empty.
func DialFrom(family, address, device string) func(ctx context.Context, network, target string) (net.Conn, error) {
	suffix := map[string]string{"inet": "4", "inet6": "6"}[family]
	return func(ctx context.Context, network, target string) (net.Conn, error) {
		dialer := &net.Dialer{}
		own, err := ownAddress(ctx, "ip"+suffix, address, device)
		if err != nil {
			return nil, err
		}
		if own != nil {
			dialer.LocalAddr = &net.TCPAddr{IP: own}
		}
		return dialer.DialContext(ctx, network+suffix, target)
	}
}

// ownAddress finds the address to connect from, nil for any.
func ownAddress(ctx context.Context, network, address, device string) (net.IP, error) {
	if address != "" {
		found, err := net.DefaultResolver.LookupIP(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("BindAddress: %w", err)
		}
		return found[0], nil
	}
	if device == "" {
		return nil, nil
	}
	nic, err := net.InterfaceByName(device)
	if err != nil {
		return nil, fmt.Errorf("BindInterface %s: %w", device, err)
	}
	all, err := nic.Addrs()
	if err != nil {
		return nil, fmt.Errorf("BindInterface %s: %w", device, err)
	}
	for _, one := range all {
		network4 := one.(*net.IPNet).IP.To4() != nil
		if network == "ip" || network4 == (network == "ip4") {
			return one.(*net.IPNet).IP, nil
		}
	}
	return nil, fmt.Errorf("BindInterface %s: it has no address of the family", device)
}
