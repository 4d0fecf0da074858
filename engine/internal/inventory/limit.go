package inventory

import (
	"slices"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/pattern"
)

// Limit returns the hosts that patterns mean, among those of the inventory and
// others that a playbook has. A pattern that means none of them is an error.
func (inv *Inventory) Limit(patterns, others []string) (map[string]bool, diag.List) {
	names := wider{Inventory: inv, names: inv.HostNames()}
	for _, name := range others {
		if !slices.Contains(names.names, name) {
			names.names = append(names.names, name)
		}
	}
	s := &selection{Inventory: inv}
	terms := s.parse("--limit", patterns)
	limit := map[string]bool{}
	for _, name := range pattern.Combine(terms, names, func(t pattern.Term) []string { return s.limited(t, names) }) {
		limit[name] = true
	}
	if len(limit) == 0 && s.diags == nil {
		s.noneLeft()
	}
	return limit, Once(s.diags)
}

// limited lists the hosts of a term of a limit.
func (s *selection) limited(t pattern.Term, names wider) []string {
	found := t.Match(names)
	name, _ := t.IsName()
	if len(found) > 0 || s.isEmptyGroup(name) {
		return found
	}
	at := s.at(t)
	s.diags = append(s.diags, diag.Errorf(&at, "Unknown host",
		"--limit names %q, which is no host and no group of this run.%s", t.Text, diag.Near(t.Text, slices.Concat(names.names, s.GroupNames())))...)
	return nil
}

// wider is an inventory with more hosts.
type wider struct {
	*Inventory
	names []string
}

// HostNames are the names of all hosts.
func (w wider) HostNames() []string { return w.names }
