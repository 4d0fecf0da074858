package inventory

import (
	"context"
	"net/netip"
	"path"
	"slices"
	"strings"

	"kinit/engine/diag"
)

// all is the pattern of every host of the inventory.
const all = "all"

// Select returns the hosts that the patterns name, in the order of the patterns,
// each once. No pattern means all hosts of the inventory. A pattern is a name of
// a host or group, "all", a glob, "!x" to leave out or "&x" to keep only, or
// several with commas between. A name that is in no inventory must be in
// ~/.ssh/config, be an address, or have one.
func (inv *Inventory) Select(ctx context.Context, src Sources, patterns []string) ([]*Host, diag.List) {
	s := &selection{inv: inv, ctx: ctx, src: src}
	names := s.names(patterns)
	hosts := make([]*Host, 0, len(names))
	for _, name := range names {
		h := inv.Host(name)
		if h == nil {
			h = &Host{Settings: Outside(name)}
		}
		if h.FromSSHConfig && !s.known(name) {
			s.unknown("host", name)
		}
		hosts = append(hosts, h)
	}
	return hosts, s.diags
}

// selection is the state of one Select.
type selection struct {
	inv     *Inventory
	ctx     context.Context
	src     Sources
	config  []string // the patterns of ~/.ssh/config
	hasRead bool
	diags   diag.List
}

// names turns patterns into names: first those that add, then those that keep,
// then those that leave out.
func (s *selection) names(patterns []string) []string {
	var add, keep, leave []string
	for _, term := range strings.Split(strings.Join(patterns, ","), ",") {
		switch term = strings.TrimSpace(term); {
		case term == "":
		case term[0] == '!':
			leave = append(leave, term[1:])
		case term[0] == '&':
			keep = append(keep, term[1:])
		default:
			add = append(add, term)
		}
	}
	if len(add) == 0 {
		add = []string{all}
	}
	names := s.matches(add)
	s.mustMean(slices.Concat(keep, leave), names)
	for _, term := range keep {
		kept := s.matches([]string{term})
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(kept, name) })
	}
	left := s.matches(leave)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(left, name) })
}

// mustMean tells of terms to keep or leave out that mean nothing: a mistyped one
// would let the run work on hosts that it was to spare.
func (s *selection) mustMean(terms, names []string) {
	for _, term := range terms {
		plain := !strings.ContainsAny(term, "*?[") && term != all && s.inv.group(term) == nil
		if plain && s.inv.Host(term) == nil && !slices.Contains(names, term) {
			s.unknown("host or group", term)
		}
	}
}

// matches lists the hosts that any of the terms names, each once.
func (s *selection) matches(terms []string) []string {
	var names []string
	for _, term := range terms {
		for _, name := range s.match(term) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (s *selection) match(term string) []string {
	if g := s.inv.group(term); g != nil {
		return s.inv.members(g)
	}
	if term == all {
		return s.inv.hostNames()
	}
	if !strings.ContainsAny(term, "*?[") {
		return []string{term}
	}
	var names []string
	for _, name := range s.inv.hostNames() {
		if ok, _ := path.Match(term, name); ok {
			names = append(names, name)
		}
	}
	for _, g := range s.inv.Groups {
		if ok, _ := path.Match(term, g.Name); ok {
			names = append(names, s.inv.members(g)...)
		}
	}
	if len(names) == 0 {
		s.unknown("host or group", term)
	}
	return names
}

func (inv *Inventory) hostNames() []string {
	names := make([]string, len(inv.Hosts))
	for i, h := range inv.Hosts {
		names[i] = h.Name
	}
	return names
}

// known tells whether a name that is in no inventory can be reached.
func (s *selection) known(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || matchesAny(s.sshConfig(), name) {
		return true
	}
	return s.src.Resolves != nil && s.src.Resolves(s.ctx, name)
}

func (s *selection) sshConfig() []string {
	if !s.hasRead {
		s.config, s.hasRead = sshHosts(s.src.Home), true
	}
	return s.config
}

func (s *selection) unknown(what, name string) {
	names := slices.Concat(s.inv.hostNames(), s.inv.groupNames(), s.sshConfig())
	names = slices.DeleteFunc(names, func(n string) bool { return n == name || strings.ContainsAny(n, "*?") })
	s.diags = append(s.diags, diag.Errorf(nil, "Unknown host",
		"There is no %s %q in the inventory or in ~/.ssh/config, and the name has no address.%s", what, name, diag.Near(name, names))...)
}
