// Package nettcpip is the cmdlets of the modules NetAdapter, NetTCPIP, NetConnection and
// HostNetworkingService.
package nettcpip

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

const (
	cim  = "Microsoft.Management.Infrastructure.CimInstance#ROOT/StandardCimv2/"
	enum = "Microsoft.PowerShell.Cmdletization.GeneratedTypes."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets on a machine. Those of HostNetworkingService are there with
// the feature Containers.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	n := module{m}
	name := cmdlet.At(1, interp.Parameter{Name: "Name", Aliases: []string{"InterfaceAlias", "ifAlias"}, Type: "string[]"})
	alias := interp.Parameter{Name: "InterfaceAlias", Aliases: []string{"ifAlias"}, Type: "string[]"}
	index := interp.Parameter{Name: "InterfaceIndex", Aliases: []string{"ifIndex"}, Type: "int[]"}
	family := interp.Parameter{Name: "AddressFamily", Type: "string", Values: []string{"IPv4", "IPv6"}}
	input := cmdlet.Piped(cmdlet.Any("InputObject"))
	all := []interp.Cmdlet{
		{Name: "Get-NetAdapter", Run: n.adapters, Parameters: []interp.Parameter{name, index, cmdlet.Switch("Physical"), cmdlet.Switch("IncludeHidden")}},
		{Name: "Get-NetIPAddress", Run: n.addresses, Parameters: []interp.Parameter{cmdlet.At(1, cmdlet.Texts("IPAddress")), alias, index, family}},
		{Name: "Get-NetIPInterface", Run: n.interfaces, Parameters: []interp.Parameter{alias, index, family}},
		{Name: "Set-NetIPInterface", Confirms: true, Run: n.setInterface, Parameters: []interp.Parameter{
			alias, index, family, input, interp.Parameter{Name: "NlMtuBytes", Aliases: []string{"NlMtu"}, Type: "uint32"},
		}},
		{Name: "Get-NetConnectionProfile", Run: n.profiles, Parameters: []interp.Parameter{alias, index}},
		{Name: "Set-NetConnectionProfile", Confirms: true, Run: n.setProfile, Parameters: []interp.Parameter{
			alias, index, input, {Name: "NetworkCategory", Type: "string", Values: []string{"Public", "Private"}},
		}},
		{Name: "Get-NetTCPConnection", Run: n.listeners, Parameters: []interp.Parameter{
			{Name: "LocalPort", Type: "int[]"}, {Name: "State", Type: "string[]"},
		}},
	}
	if m.Features.State("Containers") != feature.Installed {
		return all
	}
	return append(all,
		interp.Cmdlet{Name: "Get-HnsNetwork", Run: n.networks, Parameters: []interp.Parameter{{Name: "Id", Type: "string"}}},
		interp.Cmdlet{Name: "Remove-HnsNetwork", Run: n.removeNetwork, Parameters: []interp.Parameter{cmdlet.Needed(cmdlet.Piped(cmdlet.Any("InputObjects")))}},
	)
}

// selected reports whether an adapter is one that a cmdlet names.
func selected(c *interp.Call, a network.Adapter) bool {
	names := append(c.Strings("InterfaceAlias"), c.Strings("Name")...)
	if !cmdlet.Matches(a.Name, names) {
		return false
	}
	if !c.Has("InterfaceIndex") {
		return true
	}
	return cmdlet.Matches(fmt.Sprint(a.Index), c.Strings("InterfaceIndex"))
}

// found reports names of adapters that are not there.
func found(ctx context.Context, c *interp.Call, class string, count int) error {
	if count > 0 {
		return nil
	}
	for _, parameter := range []string{"Name", "InterfaceAlias", "InterfaceIndex"} {
		for _, text := range c.Strings(parameter) {
			if value.HasWildcards(text) {
				continue
			}
			if err := cmdlet.Report(ctx, c, cmdlet.NotFound(c, class, parameter, text)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n module) adapters(ctx context.Context, c *interp.Call) error {
	count := 0
	for _, a := range n.m.Network.Adapters() {
		if !selected(c, a) || c.Bool("Physical") && a.Virtual {
			continue
		}
		count++
		o := value.NewObject(cim+"MSFT_NetAdapter", value.P("Name", a.Name), value.P("InterfaceAlias", a.Name), value.P("ifAlias", a.Name),
			value.P("InterfaceDescription", a.Description), value.P("ifIndex", uint32(a.Index)), value.P("InterfaceIndex", uint32(a.Index)),
			value.P("Status", map[bool]string{true: "Disabled", false: "Up"}[a.Off]), value.P("MacAddress", a.MAC), value.P("LinkSpeed", "10 Gbps"), value.P("MtuSize", uint32(a.MTU)),
			value.P("Virtual", a.Virtual), value.P("HardwareInterface", !a.Virtual), value.P("ifDesc", a.Description))
		o.Text = func() string { return "MSFT_NetAdapter (Name = \"" + a.Name + "\")" }
		o.Data = a.Name
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return found(ctx, c, "MSFT_NetAdapter", count)
}

func familyEnum(address netip.Addr) value.Enum {
	if address.Is4() {
		return value.NewEnum(enum+"NetIPAddress.AddressFamily", "IPv4", 2)
	}
	return value.NewEnum(enum+"NetIPAddress.AddressFamily", "IPv6", 23)
}

// addresses writes the addresses of all adapters: their own, link-local ones, and those
// of the loopback interface.
func (n module) addresses(ctx context.Context, c *interp.Call) error {
	loopback := network.Adapter{Name: "Loopback Pseudo-Interface 1", Index: 1}
	count := 0
	for _, a := range append(n.m.Network.Adapters(), loopback) {
		if !selected(c, a) {
			continue
		}
		for _, prefix := range allAddresses(a) {
			if c.Has("AddressFamily") && familyEnum(prefix.Addr()).Name != c.String("AddressFamily") || !cmdlet.Matches(prefix.Addr().String(), c.Strings("IPAddress")) {
				continue
			}
			count++
			if err := c.WriteObject(ctx, address(a, prefix)); err != nil {
				return err
			}
		}
	}
	if count == 0 && c.Has("IPAddress") {
		return cmdlet.Report(ctx, c, cmdlet.NotFound(c, "MSFT_NetIPAddress", "IPAddress", c.String("IPAddress")))
	}
	return found(ctx, c, "MSFT_NetIPAddress", count)
}

func allAddresses(a network.Adapter) []netip.Prefix {
	if a.Index == 1 {
		return []netip.Prefix{netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("127.0.0.1/8")}
	}
	if !a.Address.IsValid() {
		return nil
	}
	link := netip.PrefixFrom(netip.MustParseAddr(fmt.Sprintf("fe80::5054:ff:fe12:%x%%%d", a.Index, a.Index)).WithZone(""), 64)
	return []netip.Prefix{link, a.Address}
}

func address(a network.Adapter, prefix netip.Prefix) *value.Object {
	text := prefix.Addr().String()
	if prefix.Addr().IsLinkLocalUnicast() && prefix.Addr().Is6() {
		text += fmt.Sprintf("%%%d", a.Index)
	}
	origin, number := "Manual", int64(1)
	switch {
	case a.Index == 1 || prefix.Addr().IsLinkLocalUnicast():
		origin, number = "WellKnown", 2
	case a.DHCP:
		origin, number = "Dhcp", 3
	}
	o := value.NewObject(cim+"MSFT_NetIPAddress", value.P("IPAddress", text), value.P("InterfaceAlias", a.Name), value.P("InterfaceIndex", uint32(a.Index)),
		value.P("AddressFamily", familyEnum(prefix.Addr())), value.P("PrefixLength", uint8(prefix.Bits())),
		value.P("PrefixOrigin", value.NewEnum(enum+"NetIPAddress.PrefixOrigin", origin, number)),
		value.P("SuffixOrigin", value.NewEnum(enum+"NetIPAddress.SuffixOrigin", origin, number)),
		value.P("AddressState", value.NewEnum(enum+"NetIPAddress.AddressState", "Preferred", 4)), value.P("SkipAsSource", false))
	o.Text = func() string { return "MSFT_NetIPAddress (Name = \"" + text + "\")" }
	return o
}

// eachInterface runs a function for the adapters that a cmdlet names, by name, index or
// object.
func (n module) eachInterface(ctx context.Context, c *interp.Call, class string, do func(network.Adapter) error) error {
	count := 0
	for _, a := range n.m.Network.Adapters() {
		if !a.Address.IsValid() || !selected(c, a) {
			continue
		}
		if c.Has("InputObject") && !among(a, cmdlet.Items(c.Value("InputObject"))) {
			continue
		}
		count++
		if err := do(a); err != nil {
			return err
		}
	}
	return found(ctx, c, class, count)
}

// among reports whether one of the objects is the adapter's.
func among(a network.Adapter, items []any) bool {
	return slices.ContainsFunc(items, func(item any) bool {
		o, ok := item.(*value.Object)
		return ok && o.Data == a.Name
	})
}

func (n module) interfaces(ctx context.Context, c *interp.Call) error {
	return n.eachInterface(ctx, c, "MSFT_NetIPInterface", func(a network.Adapter) error {
		for _, family := range []string{"IPv6", "IPv4"} {
			if a.Off || c.Has("AddressFamily") && !strings.EqualFold(family, c.String("AddressFamily")) {
				continue
			}
			o := value.NewObject(cim+"MSFT_NetIPInterface", value.P("InterfaceAlias", a.Name), value.P("InterfaceIndex", uint32(a.Index)), value.P("ifIndex", uint32(a.Index)),
				value.P("AddressFamily", value.NewEnum(enum+"NetIPInterface.AddressFamily", family, map[string]int64{"IPv4": 2, "IPv6": 23}[family])),
				value.P("NlMtu", uint32(a.MTU)), value.P("NlMtuBytes", uint32(a.MTU)), value.P("Dhcp", dhcpEnum(a.DHCP)))
			o.Data = a.Name
			if err := c.WriteObject(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
}

func dhcpEnum(on bool) value.Enum {
	if on {
		return value.NewEnum(enum+"NetIPInterface.Dhcp", "Enabled", 1)
	}
	return value.NewEnum(enum+"NetIPInterface.Dhcp", "Disabled", 0)
}

func (n module) setInterface(ctx context.Context, c *interp.Call) error {
	return n.eachInterface(ctx, c, "MSFT_NetIPInterface", func(a network.Adapter) error {
		if !c.Has("NlMtuBytes") {
			return nil
		}
		if a.Off {
			return cmdlet.Report(ctx, c, cmdlet.NotFound(c, "MSFT_NetIPInterface", "InterfaceIndex", fmt.Sprint(a.Index)))
		}
		mtu := c.Int("NlMtuBytes")
		if mtu < 576 || mtu > 65535 {
			return cmdlet.Stop(c, cmdlet.Failure{
				Type: "Microsoft.Management.Infrastructure.CimException", Message: n.m.Text(87), Category: "InvalidArgument", ID: "Windows System Error 87,Set-NetIPInterface",
			})
		}
		return n.m.Network.ChangeAdapter(a.Name, func(a *network.Adapter) { a.MTU = int(mtu) })
	})
}

func (n module) profiles(ctx context.Context, c *interp.Call) error {
	return n.eachInterface(ctx, c, "MSFT_NetConnectionProfile", func(a network.Adapter) error {
		number := map[string]int64{"Public": 0, "Private": 1, "DomainAuthenticated": 2}[a.Category]
		o := value.NewObject(cim+"MSFT_NetConnectionProfile", value.P("Name", "Network"), value.P("InterfaceAlias", a.Name), value.P("InterfaceIndex", uint32(a.Index)),
			value.P("NetworkCategory", value.NewEnum(enum+"NetConnectionProfile.NetworkCategory", a.Category, number)))
		o.Data = a.Name
		return c.WriteObject(ctx, o)
	})
}

func (n module) setProfile(ctx context.Context, c *interp.Call) error {
	return n.eachInterface(ctx, c, "MSFT_NetConnectionProfile", func(a network.Adapter) error {
		return n.m.Network.ChangeAdapter(a.Name, func(a *network.Adapter) { a.Category = c.String("NetworkCategory") })
	})
}

// listeners writes what listens, which is all the connections that are modelled.
func (n module) listeners(ctx context.Context, c *interp.Call) error {
	count := 0
	for _, port := range n.m.Listening() {
		l, ok := n.m.Bound(machine.TCP(port))
		if !ok || !cmdlet.Matches(fmt.Sprint(port), c.Strings("LocalPort")) || !cmdlet.Matches("Listen", c.Strings("State")) {
			continue
		}
		count++
		o := value.NewObject(cim+"MSFT_NetTCPConnection", value.P("LocalAddress", "0.0.0.0"), value.P("LocalPort", uint16(port)),
			value.P("RemoteAddress", "0.0.0.0"), value.P("RemotePort", uint16(0)), value.P("OwningProcess", uint32(l.Process.ID)),
			value.P("State", value.NewEnum(enum+"NetTCPConnection.State", "Listen", 2)))
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	if count > 0 || !c.Has("LocalPort") {
		return nil
	}
	return cmdlet.Report(ctx, c, cmdlet.NotFound(c, "MSFT_NetTCPConnection", "LocalPort", c.String("LocalPort")))
}
