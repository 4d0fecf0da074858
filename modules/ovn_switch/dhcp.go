package ovnswitch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
)

func DHCPKind() module.Kind {
	return module.Of[DHCP](module.Kind{Name: "ovn_dhcp", Signs: true})
}

// DHCP is DHCP options that ports of OVN refer to. OVN itself answers the guests. It
// runs on the host of ovn-central.
//
// Errors:
//   - cidr is not an IPv4 network, or server_mac is missing
//   - the host has no OVN northbound database, or it does not answer
type DHCP struct {
	// Name is the name by which ports refer to the options.
	Name string `hcl:"name" nonempty:"want the name by which ports refer to the options"`
	// CIDR is the IPv4 network of the options, such as "10.0.0.0/24". Needed
	// unless state is "absent".
	CIDR string `hcl:"cidr,optional"`
	// Router is the gateway that guests get. Empty: none.
	Router string `hcl:"router,optional"`
	// ServerID is the server's address in its answers. Default: the router.
	ServerID string `hcl:"server_id,optional"`
	// ServerMAC is the server's Ethernet address in its answers; that of the router
	// port is suitable. Needed unless state is "absent".
	ServerMAC string `hcl:"server_mac,optional"`
	// LeaseTime is how long a lease lasts, such as "1h".
	LeaseTime string `hcl:"lease_time,optional" default:"1h"`
	// MTU is the MTU that guests get, in bytes. 0: none.
	MTU int `hcl:"mtu,optional"`
	// DNSServers are the name servers that guests get.
	DNSServers []string `hcl:"dns_servers,optional"`
	// Domain is the domain that guests get.
	Domain string `hcl:"domain,optional"`
	// Routes are further routes that guests get: gateway by destination, such as
	// { "172.16.0.0/24" = "10.0.0.254" }. Guests that understand these routes ignore the
	// router option, so the router is added as the default route.
	Routes map[string]string `hcl:"routes,optional"`
	// Options are further options by OVN's names, such as { ntp_server = "10.0.0.253" };
	// they override the arguments above. OVN requires texts in double quotes.
	Options map[string]string `hcl:"options,optional"`
	module.Presence
}

func (t *DHCP) Validate() error {
	if t.Absent() {
		return nil
	}
	prefix, err := netip.ParsePrefix(t.CIDR)
	if err != nil || !prefix.Addr().Is4() || prefix.Masked() != prefix {
		return fmt.Errorf("cidr is %q, want an IPv4 network such as \"10.0.0.0/24\"", t.CIDR)
	}
	for argument, address := range map[string]string{"router": t.Router, "server_id": t.ServerID} {
		if _, err := netip.ParseAddr(address); address != "" && err != nil {
			return fmt.Errorf("%s is %q, want an address", argument, address)
		}
	}
	if t.Router == "" && t.ServerID == "" {
		return errors.New("server_id is empty, want an address, as there is no router")
	}
	if t.ServerMAC == "" {
		return errors.New("server_mac is empty, want the address of the router port")
	}
	if err := link.CheckMAC("server_mac", t.ServerMAC); err != nil {
		return err
	}
	if lease, err := time.ParseDuration(t.LeaseTime); err != nil || lease < time.Second {
		return fmt.Errorf("lease_time is %q, want a duration such as \"1h\"", t.LeaseTime)
	}
	if err := link.CheckMTU("mtu", t.MTU); err != nil {
		return err
	}
	for _, server := range t.DNSServers {
		if _, err := netip.ParseAddr(server); err != nil {
			return fmt.Errorf("dns_servers: %q is no address", server)
		}
	}
	return link.CheckRoutes("routes", t.Routes)
}

func (t *DHCP) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return ovn.PlanPresence(ctx, h, ovn.Northbound(), t.Presence, t.present, t.absent)
}

func (t *DHCP) present(rows nb.Rows, owner string) (ovn.Change, error) {
	want := nb.DHCP{
		CIDR: t.CIDR, Options: t.options(),
		ExternalIDs: ovn.Owned(owner, map[string]string{ovn.NameKey: t.Name}),
	}
	have, found := ovn.FindDHCP(rows, t.Name, owner)
	if !found {
		return ovn.Change{
			Text:  ovn.Lines("create DHCP options "+t.Name, ovn.Show(want, "cidr", "options")),
			Edits: []ovn.Edit{ovn.Insert(&want)},
		}, nil
	}
	return ovn.Correct("change DHCP options "+t.Name, have, want, "cidr", "options"), nil
}

func (t *DHCP) absent(rows nb.Rows, owner string) (ovn.Change, error) {
	have, found := ovn.FindDHCP(rows, t.Name, owner)
	if !found {
		return ovn.Change{}, nil
	}
	return ovn.Change{Text: "delete DHCP options " + t.Name, Edits: []ovn.Edit{ovn.Delete(&have)}}, nil
}

// options returns the arguments in OVN's notation (ovn-nb(5), "DHCPv4 options").
func (t *DHCP) options() map[string]string {
	lease, _ := time.ParseDuration(t.LeaseTime)
	all := map[string]string{"server_mac": t.ServerMAC, "lease_time": strconv.Itoa(int(lease.Seconds()))}
	set := func(name, value string) {
		if value != "" {
			all[name] = value
		}
	}
	set("server_id", t.ServerID)
	if t.ServerID == "" {
		set("server_id", t.Router)
	}
	set("router", t.Router)
	set("dns_server", addressSet(t.DNSServers))
	set("classless_static_route", t.classless())
	if t.MTU != 0 {
		set("mtu", strconv.Itoa(t.MTU))
	}
	if t.Domain != "" {
		set("domain_name", strconv.Quote(t.Domain))
	}
	maps.Copy(all, t.Options)
	return all
}

// addressSet formats a list of addresses for OVN.
func addressSet(addresses []string) string {
	if len(addresses) < 2 {
		return strings.Join(addresses, "")
	}
	return "{" + strings.Join(addresses, ", ") + "}"
}

// classless returns the further routes, with the router as the default route.
func (t *DHCP) classless() string {
	if len(t.Routes) == 0 {
		return ""
	}
	var pairs []string
	if t.Router != "" && t.Routes["default"] == "" {
		pairs = append(pairs, "0.0.0.0/0,"+t.Router)
	}
	for _, to := range slices.Sorted(maps.Keys(t.Routes)) {
		pairs = append(pairs, strings.Replace(to, "default", "0.0.0.0/0", 1)+","+t.Routes[to])
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

type DHCPOutputs struct {
	Name string `cty:"name"` // the name by which ports refer to the options
}

// Outputs returns the name by which ports refer to the options.
func (t *DHCP) Outputs(ctx context.Context, h module.Host) (DHCPOutputs, error) {
	return DHCPOutputs{Name: t.Name}, ctx.Err()
}
