package seed

import "fmt"

// networkConfig is version 2 of cloud-init's network configuration.
func (t *Task) networkConfig() object {
	cards := object{}
	for i, n := range t.Networks {
		cards[n.name(i)] = n.doc(n.name(i))
	}
	return object{"version": 2, "ethernets": cards}
}

func (n Network) name(index int) string {
	if n.Name != "" {
		return n.Name
	}
	return fmt.Sprintf("eth%d", index)
}

// doc sets the name and matches the address: cloud-init's renderer for
// systemd-networkd needs both.
func (n Network) doc(name string) object {
	doc := object{
		"match":    object{"macaddress": n.MAC},
		"set-name": name,
		"dhcp4":    n.DHCP,
	}
	if n.DHCP {
		// By default systemd-networkd ignores the MTU and the domain of a lease. Without the domain
		// systemd-resolved resolves no names that end in ".local", which multicast DNS otherwise
		// uses.
		doc["dhcp4-overrides"] = object{"use-mtu": true, "use-dns": true, "use-domains": true}
	}
	if n.MTU > 0 {
		doc["mtu"] = n.MTU
	}
	list(doc, "addresses", n.Addresses)
	if n.Gateway != "" {
		doc["routes"] = []object{{"to": "0.0.0.0/0", "via": n.Gateway}}
	}
	servers := object{}
	list(servers, "addresses", n.Nameservers)
	list(servers, "search", n.Search)
	if len(servers) > 0 {
		doc["nameservers"] = servers
	}
	return doc
}
