package topology

// Restore is a backup that a run restores: one pool of the cluster is recreated, and the other
// nodes stay.
type Restore struct {
	ID   string // of the backup; empty if the run restores none
	Pool string // whose nodes are recreated
}

// over finds out what a restore means for the nodes of a topology. The record says that one has begun when all
// that it replaces is gone, so that it goes on after an interrupt and removes nothing twice. With recreate all existing
// nodes are removed first.
func (r Restore) over(t *Topology, have Existing, leave Leave, recreate bool) Restoring {
	means := Restoring{ID: r.ID, There: map[string]string{}}
	if !recreate {
		means.Begun = have.record.Restore
	}
	for name, hosts := range have.on {
		means.There[name] = hosts[0]
	}
	for _, n := range t.Nodes {
		switch {
		case r.ID == "" || n.Pool != r.Pool:
			continue
		case n.Hypervisor == "":
			means.Machines = append(means.Machines, n.Name)
		case means.Begun != r.ID:
			means.Recreate = append(means.Recreate, n.Name)
		}
		if leave.destroys(n.Name, t.Cluster.Name) {
			means.Destroy = append(means.Destroy, n.Name)
		}
	}
	return means
}
