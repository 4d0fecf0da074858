package engine

import (
	"slices"

	"kinit/engine/diag"
)

// nobody warns about a spec that works on the selected hosts when none are selected: the
// run would do less than the spec says and still succeed.
func (p *planned) nobody() diag.List {
	if len(p.hosts) > 0 {
		return nil
	}
	for _, t := range slices.Concat(p.spec.Tasks, p.spec.Handlers) {
		if t.Hosts == nil {
			continue
		}
		for _, reference := range t.Hosts.Variables() {
			if slices.Contains([]string{"run", "groups", "hosts"}, reference.RootName()) {
				at := t.Hosts.Range()
				return diag.Errorf(&at, "No host selected",
					"This task works on the selected hosts, and there are none. Say which by --hosts, or write them into ./inventory.hcl.%s", p.reservedAdvice())
			}
		}
	}
	return nil
}

// reservedAdvice lists the known hosts that are not selected.
func (p *planned) reservedAdvice() string {
	if len(p.options.Reserved) == 0 || len(p.inventory.Hosts) == 0 {
		return ""
	}
	text := " Those of a lab are meant only where they are named: --hosts "
	for i, name := range p.inventory.HostNames() {
		if i > 0 {
			text += ","
		}
		text += name
	}
	return text + "."
}
