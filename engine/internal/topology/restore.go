package topology

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Restore is a backup that a run restores: one pool of the cluster is made anew, and the other
// nodes stay.
type Restore struct {
	ID   string // of the backup; empty if the run restores none
	Pool string // whose nodes are made anew
}

// Restoring is what a restore means for the nodes.
type Restoring struct {
	ID       string            // of the backup; empty if the run restores none
	Begun    string            // the id of the backup whose restore has begun and has not ended
	Anew     []string          // nodes that clean-up removes first, because this restore has not begun
	Machines []string          // nodes of the pool that are machines that exist, which nothing makes anew
	There    map[string]string // the nodes that hosts have, and the first host that has each
	Destroy  []string          // those of the pool that may be removed with what they have
}

// restore finds out what a restore means. The record says that one has begun when all that it replaces is
// gone, so that it goes on after an interrupt and removes nothing twice.
func (e *expansion) restore() {
	r := Restoring{ID: e.Restore.ID, There: map[string]string{}}
	if e.Existing.record != nil && !e.Anew {
		r.Begun = e.Existing.record.Restore
	}
	for name, hosts := range e.Existing.on {
		r.There[name] = hosts[0]
	}
	for _, n := range e.t.Nodes {
		switch {
		case r.ID == "" || n.Pool != e.Restore.Pool:
			continue
		case n.Hypervisor == "":
			r.Machines = append(r.Machines, n.Name)
		case r.Begun != r.ID:
			r.Anew = append(r.Anew, n.Name)
		}
		if e.Leave.destroys(n.Name, e.Cluster.Name) {
			r.Destroy = append(r.Destroy, n.Name)
		}
	}
	e.t.Restore = r
}

// recorded returns what records say of the restore: before anything is made anew, and when all is.
func (r Restoring) recorded() (before, after string) {
	if r.ID == "" {
		return r.Begun, r.Begun
	}
	return r.ID, ""
}

func (r Restoring) value() cty.Value {
	there := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(r.There)) {
		there[name] = cty.StringVal(r.There[name])
	}
	return cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal(r.ID), "begun": cty.StringVal(r.Begun), "anew": texts(r.Anew), "machines": texts(r.Machines),
		"there": cty.ObjectVal(there), "destroy": texts(r.Destroy),
	})
}

// texts makes a list.
func texts(names []string) cty.Value {
	if len(names) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	values := make([]cty.Value, len(names))
	for i, name := range names {
		values[i] = cty.StringVal(name)
	}
	return cty.ListVal(values)
}
