package podman

import (
	"maps"
	"slices"
	"strings"
)

// Flag returns an option with its value, or nothing for an empty value.
func Flag(name, value string) []string {
	if value == "" {
		return nil
	}
	return []string{name, value}
}

// Flags returns the option once for each value.
func Flags(name string, values []string) []string {
	var args []string
	for _, value := range values {
		args = append(args, name, value)
	}
	return args
}

// PairFlags returns the option once for each pair, as key=value, sorted by key.
func PairFlags(name string, pairs map[string]string) []string {
	var args []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		args = append(args, name, key+"="+pairs[key])
	}
	return args
}

// FirstAddress returns the address in the first of the networks, which are named
// as podman's --network takes them, or in any when none is named.
func (c Container) FirstAddress(networks []string) string {
	addresses := c.Addresses()
	for _, network := range networks {
		name, _, _ := strings.Cut(network, ":")
		if address := addresses[name]; address != "" {
			return address
		}
	}
	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		if addresses[name] != "" {
			return addresses[name]
		}
	}
	return ""
}
