package netsecurity

import (
	"cmp"
	"context"
	"strings"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// filter is a cmdlet that shows one part of a rule.
func (f module) filter(show func(firewall.Rule) *value.Object) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		rules, err := f.byObject(c.Value("AssociatedNetFirewallRule"), f.m.Firewall.Rules())
		if err != nil {
			return err
		}
		return cmdlet.WriteEach(ctx, c, rules, func(r firewall.Rule) *value.Object {
			o := show(r)
			o.Add(value.P("InstanceID", r.Name))
			return o
		})
	}
}

// list is a list as the filters have it: "Any" for none, one text, or an array.
func list(all []string) any {
	switch len(all) {
	case 0:
		return "Any"
	case 1:
		return all[0]
	default:
		return value.NewStrings(all...)
	}
}

func ports(r firewall.Rule) *value.Object {
	protocol := cmp.Or(r.Protocol, "Any")
	if upper := strings.ToUpper(protocol); upper == "TCP" || upper == "UDP" {
		protocol = upper
	}
	return value.NewObject(cim+"MSFT_NetProtocolPortFilter", value.P("Protocol", protocol),
		value.P("LocalPort", list(r.LocalPort)), value.P("RemotePort", list(r.RemotePort)), value.P("IcmpType", list(r.ICMPType)),
		value.P("DynamicTarget", value.NewEnum(enum+"DynamicTransport", "Any", 0)))
}

func addresses(r firewall.Rule) *value.Object {
	return value.NewObject(cim+"MSFT_NetAddressFilter",
		value.P("LocalAddress", list(r.LocalAddress)), value.P("RemoteAddress", list(r.RemoteAddress)))
}

func application(r firewall.Rule) *value.Object {
	return value.NewObject(cim+"MSFT_NetApplicationFilter", value.P("Program", cmp.Or(r.Program, "Any")), value.P("Package", nil))
}

func service(r firewall.Rule) *value.Object {
	return value.NewObject(cim+"MSFT_NetServiceFilter", value.P("Service", cmp.Or(r.Service, "Any")))
}

func (f module) getProfile(ctx context.Context, c *interp.Call) error {
	for _, p := range f.m.Firewall.Profiles() {
		if !cmdlet.Matches(p.Name, c.Strings("Name")) {
			continue
		}
		o := value.NewObject(cim+"MSFT_NetFirewallProfile", value.P("Name", p.Name), value.P("Profile", p.Name),
			value.P("Enabled", profileEnabled(p.Enabled)),
			value.P("DefaultInboundAction", value.NewEnum(enum+"Action", p.DefaultInbound, actions()[p.DefaultInbound])),
			value.P("DefaultOutboundAction", value.NewEnum(enum+"Action", p.DefaultOutbound, actions()[p.DefaultOutbound])))
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// profileEnabled is a GpoBoolean.
func profileEnabled(on bool) value.Enum {
	if on {
		return value.NewEnum(enum+"GpoBoolean", "True", 1)
	}
	return value.NewEnum(enum+"GpoBoolean", "False", 0)
}

func (f module) setProfile(_ context.Context, c *interp.Call) error {
	for _, p := range f.m.Firewall.Profiles() {
		if !cmdlet.Matches(p.Name, c.Strings("Name")) {
			continue
		}
		err := f.m.Firewall.ChangeProfile(p.Name, func(p *firewall.Profile) {
			if c.Has("Enabled") {
				p.Enabled = strings.EqualFold(value.String(c.Value("Enabled")), "True")
			}
			if c.Has("DefaultInboundAction") {
				p.DefaultInbound = canonical(c.String("DefaultInboundAction"), actions())
			}
			if c.Has("DefaultOutboundAction") {
				p.DefaultOutbound = canonical(c.String("DefaultOutboundAction"), actions())
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
