package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// Inventory is the content of the inventories, for people and programs to read.
type Inventory struct {
	Hosts  []InventoryHost  // hosts selected by Options.Hosts, in their order
	Groups []InventoryGroup // "all" first, then "ungrouped", then in the order of the files
}

// InventoryHost is how a host is reached, and its variables.
type InventoryHost struct {
	Name      string
	Address   string
	Port      int    // 0 means the transport's default
	User      string // empty means the transport's default
	Transport string // ssh, local or winrm
	Via       string // the host it is reached through, empty means none
	Become    string // the user to become, empty means none
	Groups    []string
	Vars      []InventoryVar // by name
}

// InventoryVar is a variable of a host and where its value comes from.
type InventoryVar struct {
	Name   string
	Value  string    // as JSON, with asterisks for secrets; empty if it is not known
	Unread string    // why the value is not known; empty if it is known
	From   string    // "host", or "group" and its name
	At     hcl.Range // of the value
}

// InventoryGroup is a group and what is directly in it.
type InventoryGroup struct {
	Name   string
	Hosts  []string
	Groups []string
}

// ReadInventory reads the inventories and nothing else. A problem that makes a host
// unusable is only a warning here. Without errors the inventory is complete.
func ReadInventory(ctx context.Context, o Options) (Inventory, *Report) {
	started := time.Now()
	o = withDefaults(o)
	from := inventorySources(o)
	inv, diags := inventory.Load(ctx, from, o.Inventories)
	o.Redactor.Add(inv.Secrets()...)
	report := &Report{Invalid: diags.HasErrors(), Diagnostics: diags, Sources: inv.Sources}
	var out Inventory
	if !report.Invalid {
		out = report.collect(ctx, inv, from, o.Hosts)
	}
	return out, report.end(ctx, started)
}

// collect lists the selected hosts and groups. A wrong pattern is an error.
func (r *Report) collect(ctx context.Context, inv *inventory.Inventory, from inventory.Sources, patterns []string) Inventory {
	hosts, wrong := inv.Find(ctx, from, patterns)
	var problems diag.List
	for _, d := range wrong {
		if d.Subject == nil || d.Subject.Filename == inventory.HostsOption {
			r.Invalid = true
			r.Diagnostics = append(r.Diagnostics, d)
			continue
		}
		problems = append(problems, d)
	}
	out := Inventory{Groups: inventoryGroups(inv)}
	for _, h := range hosts {
		out.Hosts = append(out.Hosts, inventoryHost(h))
		problems = append(problems, h.Problems...)
	}
	for _, d := range problems.Distinct() {
		d.Warning = true
		r.Diagnostics = append(r.Diagnostics, d)
	}
	return out
}

func inventoryHost(h *inventory.Host) InventoryHost {
	out := InventoryHost{
		Name: h.Name, Address: h.Address, Port: h.Port, User: h.User, Transport: h.Transport, Via: h.Via, Become: h.Become, Groups: h.Groups,
	}
	for _, name := range slices.Sorted(maps.Keys(h.Origins)) {
		origin := h.Origins[name]
		v := InventoryVar{Name: name, From: origin.From, At: origin.At, Unread: string(origin.Unread)}
		if value, ok := h.Vars[name]; ok {
			value = h.Shown(name, value)
			if text, err := ctyjson.Marshal(value, value.Type()); err == nil {
				v.Value = string(text)
			}
		}
		out.Vars = append(out.Vars, v)
	}
	return out
}

// inventoryGroups lists the groups. Groups without a parent are in "all".
func inventoryGroups(inv *inventory.Inventory) []InventoryGroup {
	nested := map[string]bool{}
	for _, g := range inv.Groups {
		for _, inner := range g.Groups {
			nested[inner] = true
		}
	}
	loose, _ := inv.Members(inventory.Ungrouped)
	all := []InventoryGroup{{Name: inventory.All, Groups: []string{inventory.Ungrouped}}, {Name: inventory.Ungrouped, Hosts: loose}}
	for _, g := range inv.Groups {
		all = append(all, InventoryGroup{Name: g.Name, Hosts: g.Hosts, Groups: g.Groups})
		if !nested[g.Name] {
			all[0].Groups = append(all[0].Groups, g.Name)
		}
	}
	return all
}

// noHosts warns about a spec that works on the selected hosts when none are selected: the
// run would do less than the spec says and still succeed.
func noHosts(p *planned) diag.List {
	if len(p.hosts) > 0 {
		return nil
	}
	for _, t := range slices.Concat(p.spec.Tasks, p.spec.Handlers) {
		if t.Hosts == nil {
			continue
		}
		hosts := t.In.Origin(t.Hosts)
		for _, reference := range hosts.Variables() {
			if slices.Contains([]string{"run", "groups", "hosts"}, reference.RootName()) {
				return diag.Errorf(new(hosts.Range()), "No host selected",
					"This task works on the selected hosts, and there are none. Say which by --hosts, or write them into ./inventory.hcl.%s", reservedAdvice(p.inventory, p.options.Reserved))
			}
		}
	}
	return nil
}

func asWarnings(list diag.List) diag.List {
	for i := range list {
		list[i].Warning = true
	}
	return list
}

// reservedAdvice lists the known hosts that are not selected.
func reservedAdvice(inv *inventory.Inventory, reserved []string) string {
	if len(reserved) == 0 || len(inv.Hosts) == 0 {
		return ""
	}
	return " Those of a lab are meant only where they are named: --hosts " + strings.Join(inv.HostNames(), ",") + "."
}
