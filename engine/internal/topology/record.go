package topology

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"
	"unicode"

	"kinit/engine/module"
)

// RecordFile is the name of the file in an owner's folder on a hypervisor that holds the
// record of its cluster.
const RecordFile = "cluster.json"

// RecordPath is where the hypervisors of a cluster keep its record.
func RecordPath(cluster string) string { return path.Join(module.Manifests, cluster, RecordFile) }

// The versions of the record's form. Version 1 has the places alone: it does not say what they were made
// with. A kinit that knows only version 1 refuses later ones, and so cannot undo what they protect.
const (
	placesOnly    = 1
	recordVersion = 2
)

// Record is what every hypervisor of a cluster keeps of its places: a playbook writes it
// before it makes anything that has one of them, and each later run reads it first. All
// hypervisors have the same record; after a run that was interrupted, those with the highest
// generation have the valid one.
type Record struct {
	Version     int               `json:"version"`
	Generation  int               `json:"generation"` // how often the record has changed
	Cluster     string            `json:"cluster"`
	Instance    string            `json:"instance,omitempty"` // the id of the cluster's instance
	Rebuilt     string            `json:"rebuilt,omitempty"`  // the id of the run that has rebuilt the instance last
	Network     netip.Prefix      `json:"network,omitzero"`   // zero in version 1
	Fixed       map[string]string `json:"fixed,omitempty"`    // what the playbook says is fixed
	Hypervisors []Place           `json:"hypervisors"`        // in their order: the first one is the cluster's first
	Pods        []Place           `json:"pods"`
	Nodes       []Place           `json:"nodes"`             // by name
	Lost        []Place           `json:"lost,omitempty"`    // hypervisors that do not come back and whose nodes have not left yet
	Restore     string            `json:"restore,omitempty"` // the id of a backup that is being restored
}

// Place is the place of a node, a pod or a hypervisor.
type Place struct {
	Name       string     `json:"name"`
	Long       string     `json:"long,omitempty"`       // the name that Name shortens
	Pool       string     `json:"pool,omitempty"`       // of a node
	Driver     string     `json:"driver,omitempty"`     // that made the node; empty if that is not known
	Hypervisor string     `json:"hypervisor,omitempty"` // that it is on; empty of hypervisors, and of machines that exist
	IP         netip.Addr `json:"ip,omitzero"`          // on the cluster's network
	MAC        string     `json:"mac,omitempty"`
	Address    netip.Addr `json:"address,omitzero"`  // of a pod that has, or had, replicas: that any of them can have
	Leads      bool       `json:"leads,omitempty"`   // the node leads its pool
	Away       bool       `json:"away,omitempty"`    // the node has left, and comes back to its place
	Machine    string     `json:"machine,omitempty"` // the machine-id of a hypervisor, or of a machine that exists
}

// Hosts lists the hypervisors that the record names, some more than once.
func (r Record) Hosts() []string {
	var all []string
	for _, p := range r.Hypervisors {
		all = append(all, p.Name)
	}
	for _, p := range slices.Concat(r.Pods, r.Nodes) {
		if p.Hypervisor != "" {
			all = append(all, p.Hypervisor)
		}
	}
	return all
}

// ParseRecord reads a record of any known version. What it returns is safe to show.
func ParseRecord(text []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Version < placesOnly || r.Version > recordVersion {
		return nil, fmt.Errorf("it has the version %d, and this kinit reads the versions %d to %d", r.Version, placesOnly, recordVersion)
	}
	return r, r.check()
}

// check returns an error for a record that kinit cannot have written.
func (r *Record) check() error {
	names := []string{r.Cluster}
	for _, p := range slices.Concat(r.Hypervisors, r.Pods, r.Nodes, r.Lost) {
		names = append(names, p.Name)
	}
	switch n := r.Network; {
	case slices.Contains(names, ""):
		return errors.New("a name is missing in it")
	case r.Generation < 1:
		return fmt.Errorf("it has the generation %d", r.Generation)
	case r.Version > placesOnly && (!n.IsValid() || !n.Addr().Is4() || n != n.Masked()):
		return fmt.Errorf("its network is %q", n)
	}
	for name, value := range r.Fixed {
		if !plain(name) || !plain(value) || name == "" {
			return fmt.Errorf("it says that %q is %q", name, value)
		}
	}
	for _, p := range r.Nodes {
		if !plain(p.Pool) || !plain(p.Driver) {
			return fmt.Errorf("the node %q has the pool %q and the driver %q in it", p.Name, p.Pool, p.Driver)
		}
	}
	return nil
}

// plain reports whether a text is one line of ordinary length.
func plain(text string) bool {
	return len(text) <= longestFixed && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// longestFixed is how many bytes a fixed value may have: it is compared, and shown in errors.
const longestFixed = 255

// Text returns the record as hypervisors keep it.
func (r Record) Text() string {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic("bug in kinit: a record cannot be encoded: " + err.Error())
	}
	return string(text) + "\n"
}

// newest returns the valid one of several records, or an empty one. Of two with one generation,
// which runs on different hosts have written, it is the one whose text comes first.
func newest(records []*Record) Record {
	if len(records) == 0 {
		return Record{}
	}
	return *slices.MinFunc(records, func(a, b *Record) int {
		return cmp.Or(b.Generation-a.Generation, strings.Compare(a.Text(), b.Text()))
	})
}

// record returns the topology as a record, with the places of nodes that are not in it: a later
// generation than the one before, unless nothing has changed.
func (t *Topology) record(before Record, others []Place, restore string) Record {
	r := Record{
		Version: recordVersion, Generation: before.Generation, Cluster: t.Cluster.Name, Instance: t.Instance, Rebuilt: t.rebuilt,
		Network: t.Cluster.Network.Prefix, Fixed: t.fixed, Restore: restore,
	}
	for _, h := range t.Hypervisors {
		r.Hypervisors = append(r.Hypervisors, Place{Name: h.Name, IP: h.Management.IP, MAC: h.Management.MAC, Machine: h.machine})
	}
	for _, pod := range t.Pods {
		for _, p := range append([]Pod{pod}, pod.Replicas...) {
			place := Place{Name: p.Name, Hypervisor: p.Hypervisor, IP: p.IP, MAC: p.MAC}
			if p.Address != p.IP {
				place.Address = p.Address
			}
			r.Pods = append(r.Pods, place)
		}
	}
	for _, n := range t.Nodes {
		place := Place{Name: n.Name, Long: n.long, Pool: n.Pool, Driver: n.Driver, Hypervisor: n.Hypervisor, MAC: n.MAC, Leads: t.Leads[n.Pool] == n.Name, Machine: n.machine}
		if n.Overlay {
			place.IP = n.IP
		}
		r.Nodes = append(r.Nodes, place)
	}
	r.Nodes = append(r.Nodes, others...)
	slices.SortFunc(r.Nodes, func(a, b Place) int { return strings.Compare(a.Name, b.Name) })
	r.Lost = t.givenUp(others)
	if r.Text() != before.Text() {
		r.Generation++
	}
	return r
}

// givenUp returns the lost hypervisors of nodes that have not left, with the machine-ids by which the next run knows
// them if this one is interrupted.
func (t *Topology) givenUp(nodes []Place) (lost []Place) {
	for _, n := range nodes {
		known := t.identities[n.Hypervisor]
		is := func(p Place) bool { return p.Name == n.Hypervisor }
		if known != "" && !slices.ContainsFunc(t.Hypervisors, func(h Hypervisor) bool { return h.Name == n.Hypervisor }) && !slices.ContainsFunc(lost, is) {
			lost = append(lost, Place{Name: n.Hypervisor, Machine: known})
		}
	}
	slices.SortFunc(lost, func(a, b Place) int { return strings.Compare(a.Name, b.Name) })
	return lost
}

// recorded returns what records say of the restore: before any node is recreated, and after all are.
func (r Restoring) recorded() (before, after string) {
	if r.ID == "" {
		return r.Begun, r.Begun
	}
	return r.ID, ""
}
