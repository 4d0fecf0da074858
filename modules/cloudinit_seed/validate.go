package seed

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"regexp"

	"kinit/modules/internal/media"
)

var (
	// label matches one part of a name: RFC 1123 allows 63 letters, digits and hyphens.
	label     = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	octalMode = regexp.MustCompile(`^0?[0-7]{3,4}$`)
)

func (t *Task) Validate() error {
	if err := media.Check(t.Path); err != nil {
		return err
	}
	if t.Absent() {
		return nil
	}
	if !label.MatchString(t.Hostname) {
		return fmt.Errorf("hostname %q: expected up to 63 letters, digits and hyphens, without a domain", t.Hostname)
	}
	return errors.Join(t.HostKey.Check(), t.validateFiles(), t.validateCommands(), t.validateNetworks())
}

func (t *Task) validateFiles() error {
	for i, f := range t.WriteFiles {
		if !path.IsAbs(f.Path) {
			return fmt.Errorf("write_file %d: path %q: expected an absolute path", i+1, f.Path)
		}
		if f.Permissions != "" && !octalMode.MatchString(f.Permissions) {
			return fmt.Errorf("write_file %d: permissions %q: expected an octal mode such as \"0644\"", i+1, f.Permissions)
		}
	}
	return nil
}

func (t *Task) validateCommands() error {
	for i, argv := range t.RunCmd {
		if len(argv) == 0 {
			return fmt.Errorf("runcmd %d is empty: expected a program and its arguments", i+1)
		}
	}
	_, err := t.extra()
	return err
}

func (t *Task) validateNetworks() error {
	seen := map[string]bool{}
	for i, n := range t.Networks {
		if err := n.validate(); err != nil {
			return fmt.Errorf("network %d: %w", i+1, err)
		}
		if seen[n.name(i)] {
			return fmt.Errorf("network %d: the name %q is taken by another", i+1, n.name(i))
		}
		seen[n.name(i)] = true
	}
	return nil
}

func (n Network) validate() error {
	if mac, err := net.ParseMAC(n.MAC); err != nil || len(mac) != 6 {
		return fmt.Errorf("mac %q: expected an address such as \"52:54:00:12:34:56\"", n.MAC)
	}
	// 68 bytes are what IPv4 needs (RFC 791), 65535 is Linux's limit.
	if n.MTU != 0 && (n.MTU < 68 || n.MTU > 65535) {
		return fmt.Errorf("mtu %d: expected 68 to 65535 bytes", n.MTU)
	}
	if !n.DHCP && len(n.Addresses) == 0 {
		return errors.New("no address: set dhcp = true or give addresses")
	}
	for _, a := range n.Addresses {
		if _, err := netip.ParsePrefix(a); err != nil {
			return fmt.Errorf("address %q: expected an address with its prefix, such as \"10.0.0.5/24\"", a)
		}
	}
	// cloud-init up to 22.4 turns a default route of IPv6 into one to ::/64.
	if gateway, err := netip.ParseAddr(n.Gateway); n.Gateway != "" && (err != nil || !gateway.Is4()) {
		return fmt.Errorf("gateway %q: expected an IPv4 address such as \"10.0.0.254\"", n.Gateway)
	}
	for _, a := range n.Nameservers {
		if _, err := netip.ParseAddr(a); err != nil {
			return fmt.Errorf("name server %q: expected an address such as \"10.0.0.253\"", a)
		}
	}
	return nil
}
