// Package netsecurity is the cmdlets of the module NetSecurity: rules of the firewall,
// their filters, and profiles.
package netsecurity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const (
	cim  = "Microsoft.Management.Infrastructure.CimInstance#root/standardcimv2/"
	enum = "Microsoft.PowerShell.Cmdletization.GeneratedTypes.NetSecurity."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets of the module on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	f := module{m}
	input := cmdlet.Piped(cmdlet.Any("InputObject"))
	which := []interp.Parameter{
		cmdlet.At(1, interp.Parameter{Name: "Name", Aliases: []string{"ID"}, Type: "string[]"}),
		cmdlet.Texts("DisplayName"), cmdlet.Texts("Group"), cmdlet.Texts("DisplayGroup"),
	}
	changing := slices.Concat(which, []interp.Parameter{input})
	settings := []interp.Parameter{
		cmdlet.Text("Description"), cmdlet.Any("Enabled"), cmdlet.Texts("Profile"),
		{Name: "Direction", Type: "string", Values: []string{"Inbound", "Outbound"}},
		{Name: "Action", Type: "string", Values: []string{"NotConfigured", "Allow", "Block"}},
		cmdlet.Text("Protocol"), cmdlet.Texts("LocalPort"), cmdlet.Texts("RemotePort"), cmdlet.Texts("LocalAddress"), cmdlet.Texts("RemoteAddress"),
		cmdlet.Text("Program"), cmdlet.Text("Service"), cmdlet.Texts("IcmpType"), cmdlet.Text("EdgeTraversalPolicy"),
	}
	filter := []interp.Parameter{cmdlet.Needed(cmdlet.Piped(cmdlet.Any("AssociatedNetFirewallRule")))}
	return []interp.Cmdlet{
		{Name: "Get-NetFirewallRule", Run: f.get, Parameters: slices.Concat(which, []interp.Parameter{cmdlet.Switch("All"), cmdlet.Any("Enabled"), cmdlet.Text("Direction")})},
		{Name: "New-NetFirewallRule", Confirms: true, Run: f.add, Parameters: slices.Concat(settings, []interp.Parameter{
			cmdlet.Text("Name"), cmdlet.Needed(cmdlet.Text("DisplayName")), cmdlet.Text("Group"),
		})},
		{Name: "Set-NetFirewallRule", Confirms: true, Run: f.set, Parameters: slices.Concat(changing, settings, []interp.Parameter{cmdlet.Text("NewDisplayName")})},
		{Name: "Enable-NetFirewallRule", Confirms: true, Run: f.enable(true), Parameters: changing},
		{Name: "Disable-NetFirewallRule", Confirms: true, Run: f.enable(false), Parameters: changing},
		{Name: "Remove-NetFirewallRule", Confirms: true, Run: f.remove, Parameters: changing},
		{Name: "Get-NetFirewallPortFilter", Run: f.filter(ports), Parameters: filter},
		{Name: "Get-NetFirewallAddressFilter", Run: f.filter(addresses), Parameters: filter},
		{Name: "Get-NetFirewallApplicationFilter", Run: f.filter(application), Parameters: filter},
		{Name: "Get-NetFirewallServiceFilter", Run: f.filter(service), Parameters: filter},
		{Name: "Get-NetFirewallProfile", Run: f.getProfile, Parameters: []interp.Parameter{
			cmdlet.At(1, interp.Parameter{Name: "Name", Aliases: []string{"Profile"}, Type: "string[]"}),
		}},
		{Name: "Set-NetFirewallProfile", Confirms: true, Run: f.setProfile, Parameters: []interp.Parameter{
			cmdlet.At(1, interp.Parameter{Name: "Name", Aliases: []string{"Profile"}, Type: "string[]"}), cmdlet.Switch("All"),
			cmdlet.Any("Enabled"), cmdlet.Text("DefaultInboundAction"), cmdlet.Text("DefaultOutboundAction"),
		}},
	}
}

// Words of enumerations with their numbers.
func actions() map[string]int64 {
	return map[string]int64{"NotConfigured": 0, "Allow": 2, "Block": 4}
}

func directions() map[string]int64 { return map[string]int64{"Inbound": 1, "Outbound": 2} }

// profileEnum is a set of profiles: any is all of them.
func profileEnum(names []string) value.Enum {
	if len(names) == 0 {
		return value.NewEnum(enum+"Profile", "Any", 0)
	}
	number := int64(0)
	var shown []string
	for i, name := range []string{"Domain", "Private", "Public"} {
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			number |= 1 << i
			shown = append(shown, name)
		}
	}
	return value.NewEnum(enum+"Profile", strings.Join(shown, ", "), number)
}

func enabledEnum(on bool) value.Enum {
	if on {
		return value.NewEnum(enum+"Enabled", "True", 1)
	}
	return value.NewEnum(enum+"Enabled", "False", 2)
}

// object is a rule as an object; what its filters say is asked for by other cmdlets.
func object(r firewall.Rule) *value.Object {
	o := value.NewObject(cim+"MSFT_NetFirewallRule",
		value.P("Name", r.Name), value.P("InstanceID", r.Name), value.P("ID", r.Name), value.P("DisplayName", r.DisplayName),
		value.P("ElementName", r.DisplayName), value.P("Description", cmdlet.TextOrNull(r.Description)),
		value.P("Group", cmdlet.TextOrNull(r.Group)), value.P("RuleGroup", cmdlet.TextOrNull(r.Group)),
		value.P("DisplayGroup", cmdlet.TextOrNull(r.DisplayGroup)),
		value.P("Enabled", enabledEnum(r.Enabled)), value.P("Profile", profileEnum(r.Profile)), value.P("Profiles", profileEnum(r.Profile)),
		value.P("Direction", value.NewEnum(enum+"Direction", r.Direction, directions()[r.Direction])),
		value.P("Action", value.NewEnum(enum+"Action", r.Action, actions()[r.Action])),
		value.P("EdgeTraversalPolicy", value.NewEnum(enum+"EdgeTraversal", "Block", 0)), value.P("PolicyStoreSource", "PersistentStore"))
	o.Text = func() string { return fmt.Sprintf("MSFT_NetFirewallRule (InstanceID = %q)", r.Name) }
	o.Data = r.Name
	return o
}

// notFound is the failure of a query that names what is not there.
func notFound(c *interp.Call, property, text string) cmdlet.Failure {
	return cmdlet.NotFound(c, "MSFT_NetFirewallRule", property, text)
}

// query returns the rules that a cmdlet names, and reports names of none.
func (f module) query(ctx context.Context, c *interp.Call) ([]firewall.Rule, error) {
	all := f.m.Firewall.Rules()
	for _, item := range cmdlet.Items(c.Value("InputObject")) {
		return f.byObject(item, all)
	}
	for _, by := range []struct {
		parameter, property string
		of                  func(firewall.Rule) string
	}{
		{"Name", "InstanceID", func(r firewall.Rule) string { return r.Name }},
		{"DisplayName", "DisplayName", func(r firewall.Rule) string { return r.DisplayName }},
		{"Group", "RuleGroup", func(r firewall.Rule) string { return r.Group }},
		{"DisplayGroup", "DisplayGroup", func(r firewall.Rule) string { return r.DisplayGroup }},
	} {
		if !c.Has(by.parameter) {
			continue
		}
		var found []firewall.Rule
		for _, pattern := range c.Strings(by.parameter) {
			before := len(found)
			for _, r := range all {
				if cmdlet.Matches(by.of(r), []string{pattern}) {
					found = append(found, r)
				}
			}
			if len(found) == before && !value.HasWildcards(pattern) {
				if err := cmdlet.Report(ctx, c, notFound(c, by.property, pattern)); err != nil {
					return nil, err
				}
			}
		}
		return found, nil
	}
	return all, nil
}

func (f module) byObject(item any, all []firewall.Rule) ([]firewall.Rule, error) {
	o, ok := item.(*value.Object)
	if !ok || o.Type != cim+"MSFT_NetFirewallRule" {
		return nil, unknown.New("a %s as a rule of the firewall", value.TypeName(item))
	}
	return slices.DeleteFunc(all, func(r firewall.Rule) bool { return r.Name != o.Data }), nil
}

func (f module) get(ctx context.Context, c *interp.Call) error {
	if status, err := f.m.Services.Status("mpssvc"); err != nil || status.State != scm.Running {
		return cmdlet.Report(ctx, c, cmdlet.Failure{
			Type: "Microsoft.Management.Infrastructure.CimException", Category: "NotSpecified", HResult: 0x80131500,
			Message: "There are no more endpoints available from the endpoint mapper.", ID: "Windows System Error 1753," + c.Cmdlet.Name,
		})
	}
	rules, err := f.query(ctx, c)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if c.Has("Enabled") && enabledEnum(r.Enabled).Name != value.String(c.Value("Enabled")) || c.Has("Direction") && !strings.EqualFold(r.Direction, c.String("Direction")) {
			continue
		}
		if err := c.WriteObject(ctx, object(r)); err != nil {
			return err
		}
	}
	return nil
}

// apply sets what the parameters of a cmdlet say of a rule.
func apply(c *interp.Call, r *firewall.Rule) error {
	texts := map[string]*string{"Description": &r.Description, "Program": &r.Program, "Service": &r.Service, "Protocol": &r.Protocol, "EdgeTraversalPolicy": &r.EdgeTraversal}
	for name, field := range texts {
		if c.Has(name) {
			*field = unlessAny(c.String(name))
		}
	}
	lists := map[string]*[]string{
		"Profile": &r.Profile, "LocalPort": &r.LocalPort, "RemotePort": &r.RemotePort, "LocalAddress": &r.LocalAddress,
		"RemoteAddress": &r.RemoteAddress, "IcmpType": &r.ICMPType,
	}
	for name, field := range lists {
		if c.Has(name) {
			*field = withoutAny(c.Strings(name))
		}
	}
	if c.Has("Direction") {
		r.Direction = canonical(c.String("Direction"), directions())
	}
	if c.Has("Action") {
		r.Action = canonical(c.String("Action"), actions())
	}
	if c.Has("Enabled") {
		r.Enabled = strings.EqualFold(value.String(c.Value("Enabled")), "True")
	}
	return check(c, *r)
}

// check refuses what the firewall refuses.
func check(c *interp.Call, r firewall.Rule) error {
	ports := len(r.LocalPort) > 0 || len(r.RemotePort) > 0
	protocol := strings.ToUpper(r.Protocol)
	if ports && !slices.Contains([]string{"TCP", "UDP", "6", "17"}, protocol) {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "Microsoft.Management.Infrastructure.CimException", Category: "NotSpecified", HResult: 0x80131500,
			Message: "One of the port keywords is invalid.", ID: "HRESULT 0x80070057," + c.Cmdlet.Name,
		})
	}
	for _, name := range r.Profile {
		if !slices.ContainsFunc([]string{"Domain", "Private", "Public"}, func(known string) bool { return strings.EqualFold(known, name) }) {
			return unknown.New("the profile %s of the firewall", name)
		}
	}
	return nil
}

func canonical(text string, words map[string]int64) string {
	for word := range words {
		if strings.EqualFold(word, text) {
			return word
		}
	}
	return text
}

func unlessAny(text string) string {
	if strings.EqualFold(text, "Any") {
		return ""
	}
	return text
}

// withoutAny is a list, empty for "Any", with its parts that commas separate.
func withoutAny(list []string) []string {
	var all []string
	for _, text := range list {
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" && !strings.EqualFold(part, "Any") {
				all = append(all, part)
			}
		}
	}
	return all
}

func (f module) add(ctx context.Context, c *interp.Call) error {
	r := firewall.Rule{Name: c.String("Name"), DisplayName: c.String("DisplayName"), Group: c.String("Group"), DisplayGroup: c.String("Group"), Enabled: true, Direction: "Inbound", Action: "Allow"}
	if r.Name == "" {
		r.Name = "{" + uuid.NewString() + "}"
	}
	if err := apply(c, &r); err != nil {
		return err
	}
	err := f.m.Firewall.Add(r)
	if errors.Is(err, firewall.ErrExists) {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "Microsoft.Management.Infrastructure.CimException", Category: "ResourceExists", Target: "MSFT_NetFirewallRule",
			Message: "Cannot create a file when that file already exists.", ID: "Windows System Error 183,New-NetFirewallRule",
		})
	}
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, object(r))
}

// change edits the rules that a cmdlet names.
func (f module) change(ctx context.Context, c *interp.Call, edit func(*firewall.Rule) error) error {
	rules, err := f.query(ctx, c)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if err := edit(&r); err != nil {
			return err
		}
		if err := f.m.Firewall.Change(r.Name, func(old *firewall.Rule) { *old = r }); err != nil {
			return err
		}
	}
	return nil
}

func (f module) set(ctx context.Context, c *interp.Call) error {
	return f.change(ctx, c, func(r *firewall.Rule) error {
		if c.Has("NewDisplayName") {
			r.DisplayName = c.String("NewDisplayName")
		}
		return apply(c, r)
	})
}

func (f module) enable(on bool) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		return f.change(ctx, c, func(r *firewall.Rule) error {
			r.Enabled = on
			return nil
		})
	}
}

func (f module) remove(ctx context.Context, c *interp.Call) error {
	rules, err := f.query(ctx, c)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if err := f.m.Firewall.Remove(r.Name); err != nil {
			return err
		}
	}
	return nil
}
