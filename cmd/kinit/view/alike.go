package view

import (
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/diag"
)

// alike groups problems that say the same of the same place on different hosts. Groups
// are in the order of their first problems.
func alike(list diag.List) []diag.List {
	var groups []diag.List
	known := map[string]int{}
	for _, d := range list {
		key, ok := likeness(d)
		at, there := known[key]
		if ok && there {
			groups[at] = append(groups[at], d)
			continue
		}
		if ok {
			known[key] = len(groups)
		}
		groups = append(groups, diag.List{d})
	}
	return groups
}

// address is an IPv4 address, which differs from host to host.
var address = regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`)

// likeness is all that problems on different hosts have in common when they are the same.
func likeness(d diag.Diagnostic) (string, bool) {
	if d.Host == "" || d.Subject == nil {
		return "", false
	}
	text := address.ReplaceAllString(strings.ReplaceAll(d.Detail, d.Host, "\x00"), "\x01")
	return fmt.Sprintf("%t\x02%s\x02%s\x02%s", d.Warning, d.Summary, d.Subject, text), true
}
