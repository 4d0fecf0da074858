package event

import "strings"

// The kinds of removals that the engine knows by itself. Tasks name further ones, such as
// "volume".
const (
	RemovedNode    = "node"
	RemovedPod     = "pod"     // a pod's replica on a host
	RemovedAddress = "address" // on the cluster's network
)

// Removal is a node, a volume or an address that a run removes.
type Removal struct {
	Kind string `json:"kind"`           // such as "node" or "volume"
	Name string `json:"name"`           // whose it is; of an address, the name of what had it
	Host string `json:"host,omitempty"` // where it is removed
	IP   string `json:"ip,omitempty"`   // the address that goes with it
	Why  string `json:"why"`            // lower case, no full stop
	By   string `json:"by,omitempty"`   // the flag or command that named it, such as "--remove web-02"; empty if nothing has
	Copy bool   `json:"copy,omitempty"` // another host has it too, and it stays there
}

// Flag returns the flag that names the removal.
func (r Removal) Flag() string { return "--remove " + r.Named() }

// Named returns what --remove calls it: its name, and of a copy also the host, as in "web-02@tyto".
func (r Removal) Named() string {
	if r.Copy {
		return CopyOn(r.Name, r.Host)
	}
	return r.Name
}

// CopyOn names the copy of a node on one of several hosts.
func CopyOn(name, host string) string { return name + "@" + host }

// Object names what is removed, and where.
func (r Removal) Object() string {
	text := r.Kind + " " + r.Name
	if r.Kind == RemovedAddress {
		text = "address " + r.IP + " of " + r.Name
	}
	if r.Host != "" {
		text += " on " + r.Host
	}
	if r.IP != "" && r.Kind != RemovedAddress {
		text += ", with the address " + r.IP
	}
	return text
}

// String is a line of a list of removals: what is removed, why, and what names it.
func (r Removal) String() string {
	text := r.Object() + ": " + r.Why
	if r.By == "" {
		return text + " (needs " + r.Flag() + ")"
	}
	return text + " (named by " + r.By + ")"
}

// Unnamed returns the removals that nothing has named.
func Unnamed(all []Removal) []Removal {
	var unnamed []Removal
	for _, r := range all {
		if r.By == "" {
			unnamed = append(unnamed, r)
		}
	}
	return unnamed
}

// RemoveFlags returns the flag that names all of some removals, such as "--remove a,b".
func RemoveFlags(all []Removal) string { return "--remove " + strings.Join(RemovedNames(all), ",") }

// RemovedNames returns what --remove calls some removals, each once.
func RemovedNames(all []Removal) []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range all {
		name := r.Named()
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}
