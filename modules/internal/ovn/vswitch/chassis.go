package vswitch

import (
	"maps"
	"slices"
	"strings"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vs"
)

const (
	// MappingsKey is the key of Open_vSwitch's external_ids that names the bridge of
	// each physical network, as "network:bridge,network:bridge".
	MappingsKey = "ovn-bridge-mappings"
	// mappingPrefix before a network's name is the name of its setting in the records.
	mappingPrefix = MappingsKey + "/"
)

// HostSettings are the settings in a host's external_ids during an edit:
// plain keys, and each bridge mapping as a separate setting.
type HostSettings map[string]string

// NewHostSettings takes the host's settings from its external_ids.
func NewHostSettings(ids map[string]string) HostSettings { return ovn.Merged(ids, nil) }

// MappingSetting is the name of a physical network's bridge among the settings.
func MappingSetting(network string) string { return mappingPrefix + network }

// Get returns a setting's value, empty when it is not set.
func (s HostSettings) Get(name string) string {
	if network, is := strings.CutPrefix(name, mappingPrefix); is {
		return parseMappings(s[MappingsKey])[network]
	}
	return s[name]
}

// put sets a value; empty removes it.
func (s HostSettings) put(name, value string) {
	key := name
	if network, is := strings.CutPrefix(name, mappingPrefix); is {
		mappings := parseMappings(s[MappingsKey])
		mappings[network] = value
		key, value = MappingsKey, formatMappings(mappings)
	}
	if value == "" {
		delete(s, key)
		return
	}
	s[key] = value
}

// Want sets a value for an owner and records it.
func (s HostSettings) Want(name, value, owner string) error {
	entries, change, err := ovn.Settle(s, ovn.Setting{Name: name, Have: s.Get(name), Want: value}, owner)
	if err != nil {
		return err
	}
	maps.Copy(s, entries)
	if change {
		s.put(name, value)
	}
	return nil
}

// Release gives up the owner's settings, except the names to keep.
func (s HostSettings) Release(owner string, keep []string) {
	for _, r := range ovn.Releases(s, owner) {
		if slices.Contains(keep, r.Name) {
			continue
		}
		r.Record(s)
		if r.Restore {
			s.put(r.Name, r.Prior)
		}
	}
}

// Forget removes a setting that has this value.
func (s HostSettings) Forget(name, value string) {
	if s.Get(name) == value {
		s.put(name, "")
	}
}

// Change returns the edit that writes the settings back: only changed keys, because
// others store their keys there too.
func (s HostSettings) Change(root vs.Root) ovn.Change {
	set, unset := map[string]string{}, []string{}
	for key, value := range s {
		if old, is := root.ExternalIDs[key]; !is || old != value {
			set[key] = value
		}
	}
	for key := range root.ExternalIDs {
		if _, is := s[key]; !is {
			unset = append(unset, key)
		}
	}
	var change ovn.Change
	if len(set) > 0 {
		change.Edits = append(change.Edits, ovn.SetKeys(&root, &root.ExternalIDs, set))
	}
	if len(unset) > 0 {
		change.Edits = append(change.Edits, ovn.UnsetKeys(&root, &root.ExternalIDs, unset...))
	}
	want := root
	want.ExternalIDs = s
	_, lines := ovn.Compare(root, want, "external_ids")
	change.Text = ovn.Lines("change the settings of Open vSwitch", lines)
	return change
}

// ReleaseHost returns the change that gives up all of a cluster's OVN settings in Open
// vSwitch, including the TLS files.
func ReleaseHost(rows vs.Rows, owner string) ovn.Change {
	root := rows.Root()
	settings := NewHostSettings(root.ExternalIDs)
	settings.Release(owner, nil)
	return ovn.Both(settings.Change(root), ovn.DropSSL(rows.SSLs, &root, &root.SSL, "Open vSwitch", owner))
}

// parseMappings reads "network:bridge,network:bridge".
func parseMappings(text string) map[string]string {
	mappings := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if network, bridge, ok := strings.Cut(pair, ":"); ok {
			mappings[network] = bridge
		}
	}
	return mappings
}

func formatMappings(mappings map[string]string) string {
	var pairs []string
	for _, network := range slices.Sorted(maps.Keys(mappings)) {
		if mappings[network] != "" {
			pairs = append(pairs, network+":"+mappings[network])
		}
	}
	return strings.Join(pairs, ",")
}
