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
	return Likeness(d.Host, fmt.Sprint(d.Warning), d.Summary, d.Detail, d.Subject.String())
}

// Likeness is all that problems on different hosts have in common when they are the same:
// how severe they are, what they say, and the place they are about. A problem without a
// host is like no other.
func Likeness(host, severity, summary, detail, place string) (string, bool) {
	if host == "" {
		return "", false
	}
	text := address.ReplaceAllString(strings.ReplaceAll(detail, host, "\x00"), "\x01")
	return strings.Join([]string{severity, summary, place, text}, "\x02"), true
}
