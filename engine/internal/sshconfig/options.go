package sshconfig

import (
	"slices"
	"strings"
)

func lower(text string) string { return strings.ToLower(text) }

// options are the values of keywords, whose names are in lower case.
type options map[string][]string

// add sets the value of a keyword, unless it has one. Files of keys accumulate. ProxyJump and ProxyCommand are two ways to
// say one thing.
func (o options) add(k keyword, values []string) {
	name := lower(k.name)
	switch {
	case name == "proxyjump" && o["proxycommand"] != nil, name == "proxycommand" && o["proxyjump"] != nil:
	case k.kind == more:
		for _, value := range values {
			if !slices.Contains(o[name], value) {
				o[name] = append(o[name], value)
			}
		}
	case o[name] == nil:
		o[name] = values
	}
}

// first returns the first value of a keyword, or "".
func (o options) first(name string) string {
	if len(o[name]) == 0 {
		return ""
	}
	return o[name][0]
}
