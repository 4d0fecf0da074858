package inventory

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/pattern"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/internal/sshconfig"
)

// Select is Find, and tells what is wrong with the hosts.
func (inv *Inventory) Select(ctx context.Context, src Sources, patterns []string) ([]*Host, diag.List) {
	hosts, diags := inv.Find(ctx, src, patterns)
	for _, h := range hosts {
		diags = append(diags, h.Problems...)
	}
	return hosts, diags.Distinct()
}

// Find returns the hosts that patterns mean, in the order of the patterns, each
// once. No pattern means all hosts of the inventory but reserved ones. A
// pattern is a name of a host or group, "all", a glob, "~" and a regular expression,
// each perhaps with an index such as [0] or [1:3] behind it, "!x" to leave out or
// "&x" to keep only, or several with commas or colons between. A name that is in no
// inventory must be in ~/.ssh/config, be an address, or have one. The patterns become
// one of the inventory's Sources, which diagnostics point into.
func (inv *Inventory) Find(ctx context.Context, src Sources, patterns []string) ([]*Host, diag.List) {
	s := &selection{
		Inventory: inv, ctx: ctx, src: src, meant: map[string]pattern.Term{},
		sshConfig: sync.OnceValue(func() sshconfig.Names { return sshconfig.NamesIn(src.Home) }),
	}
	terms := s.parse(HostsOption, patterns)
	names := pattern.Combine(terms, inv, s.match)
	if len(terms) == 0 {
		names = slices.DeleteFunc(names, inv.IsReserved)
	}
	if s.Diags == nil {
		s.mustMean(terms, names)
	}
	hosts := make([]*Host, 0, len(names))
	for _, name := range names {
		h := inv.Host(name)
		if h == nil {
			h = &Host{Settings: Outside(name)}
		}
		if h.FromSSHConfig && h.Range.Filename == "" && !s.known(name) {
			s.unknown(s.where(h), "host", name)
		}
		hosts = append(hosts, h)
	}
	return hosts, s.Diags.Distinct()
}

// Reserve says that the hosts which some of the inventories declare are meant only where
// a pattern means them.
func (inv *Inventory) Reserve(files []string) { inv.reserved = files }

// IsReserved reports whether a host is declared, or mentioned, by a reserved inventory.
func (inv *Inventory) IsReserved(name string) bool {
	h := inv.Host(name)
	return h != nil && slices.Contains(inv.reserved, cmp.Or(h.Range.Filename, h.mention.Filename))
}

// HostsOption is the name of the text that the patterns of Find become.
const HostsOption = "--hosts"

// selection is the state of one Select.
type selection struct {
	*Inventory
	ctx       context.Context
	src       Sources
	text      *source.Text            // of the patterns
	meant     map[string]pattern.Term // the terms that are names of hosts no inventory has
	sshConfig func() sshconfig.Names  // of ~/.ssh/config, which is read at most once
	diag.Collector
}

// parse reads the patterns of an option, which becomes a text that diagnostics
// point into.
func (s *selection) parse(option string, patterns []string) []pattern.Term {
	s.text = source.NewText(option, []byte(strings.Join(patterns, ",")))
	if s.Sources != nil && len(patterns) > 0 {
		s.Sources[option] = s.text.File()
	}
	terms, err := pattern.Parse(string(s.text.Bytes))
	if bad, ok := errors.AsType[*pattern.Error](err); ok {
		s.Errorf(s.text.Range(bad.From, bad.To), "Invalid pattern", "%s", bad.Text)
	}
	return terms
}

// match lists the hosts of a term. One that adds may be the name of a host that no
// inventory has; what else means nothing is a mistake.
func (s *selection) match(t pattern.Term) []string {
	found := t.Match(s.Inventory)
	name, isName := t.IsName()
	switch {
	case len(found) > 0 || s.isEmptyGroup(name):
	case isName && t.Op == pattern.Add:
		s.meant[name] = t
		return []string{name}
	case !isName && t.Op == pattern.Add:
		s.nothing(t)
	}
	return found
}

func (s *selection) isEmptyGroup(name string) bool {
	members, ok := s.Members(name)
	return name == pattern.All || ok && len(members) == 0
}

// nothing tells of a pattern that means no host.
func (s *selection) nothing(t pattern.Term) {
	if base := t.Base(s.Inventory); len(base) > 0 {
		s.Errorf(s.at(t), "No such host", "%q is outside of the %d hosts that it counts, from 0 to %d.", t.Text, len(base), len(base)-1)
		return
	}
	s.unknown(s.at(t), "host or group", t.Text)
}

// mustMean tells of terms to keep or leave out that mean nothing, since a mistyped
// one would let the run work on hosts that it was to spare, and of patterns that
// together mean nothing.
func (s *selection) mustMean(terms []pattern.Term, names []string) {
	for _, t := range terms {
		name, isName := t.IsName()
		_, isOutside := s.meant[name]
		if isName && t.Op != pattern.Add && !isOutside && len(t.Match(s.Inventory)) == 0 && !s.isEmptyGroup(name) {
			s.unknown(s.at(t), "host or group", t.Text)
		}
	}
	if len(names) == 0 && len(terms) > 0 && s.Diags == nil {
		s.noneLeft()
	}
}

func (s *selection) noneLeft() {
	s.Errorf(s.text.Range(0, len(s.text.Bytes)), "No host left", "Together these patterns mean no host.")
}

func (s *selection) at(t pattern.Term) hcl.Range { return s.text.Range(t.From, t.To) }

// where is the place that names a host which no inventory declares: a group or the
// command line.
func (s *selection) where(h *Host) hcl.Range {
	if h.mention.Filename != "" {
		return h.mention
	}
	return s.at(s.meant[h.Name])
}

// known reports whether a name that is in no inventory can be reached.
func (s *selection) known(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || s.sshConfig().Mention(name) {
		return true
	}
	return s.src.Resolves != nil && s.src.Resolves(s.ctx, name)
}

func (s *selection) unknown(at hcl.Range, what, name string) {
	names := slices.Concat(s.HostNames(), s.GroupNames(), s.sshConfig().Plain())
	names = slices.DeleteFunc(names, func(n string) bool { return n == name })
	s.Errorf(at, "Unknown host", "There is no %s %q in the inventory or in ~/.ssh/config, and the name has no address.%s", what, name, diag.Near(name, names))
}

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
	if len(limit) == 0 && s.Diags == nil {
		s.noneLeft()
	}
	return limit, s.Diags.Distinct()
}

// limited lists the hosts of a term of a limit.
func (s *selection) limited(t pattern.Term, names wider) []string {
	found := t.Match(names)
	name, _ := t.IsName()
	if len(found) > 0 || s.isEmptyGroup(name) {
		return found
	}
	s.Errorf(s.at(t), "Unknown host",
		"--limit names %q, which is no host and no group of this run.%s", t.Text, diag.NearOrAll(t.Text, slices.Concat(names.names, s.GroupNames())))
	return nil
}

// wider is an inventory with more hosts.
type wider struct {
	*Inventory
	names []string
}

// HostNames are the names of all hosts.
func (w wider) HostNames() []string { return w.names }
