package existing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/pace"
)

// unreadable is the summary of a record that cannot be used.
const unreadable = "Unreadable record"

// answerTime is how long a host of ordinary speed may take to answer what it has of a cluster.
const answerTime = time.Minute

func (r Run) ask(ctx context.Context, c topology.Cluster, hosts []string, listers []host.Lister) ([]topology.Answer, diag.List) {
	answers, problems := make([]topology.Answer, len(hosts)), make([]diag.List, len(hosts))
	matters := r.Matters()
	var all sync.WaitGroup
	for i, name := range hosts {
		all.Go(func() {
			has, err := r.has(ctx, name, c.Name, listers)
			answers[i] = topology.Answer{Host: name, At: r.Inventory.Endpoint(name), Twins: r.Inventory.Twins(name), Silent: err != nil, Taken: has.Instance.There(), Machine: topology.Machine(has.Self)}
			answers[i].Told, answers[i].Untold = told(has, listers)
			if err != nil && matters(name) {
				answers[i].Err = err
			}
			if err == nil {
				problems[i] = r.use(&answers[i], has, c)
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, diag.List{{Summary: "Interrupted", Detail: "The hosts were still asked what they have of the cluster.", Cause: errors.Join(err, topology.ErrExisting)}}
	}
	return answers, slices.Concat(problems...)
}

// meet asks the machines that are nodes of the cluster, but not hypervisors, for their identities. A machine that does
// not answer is reported by its tasks.
func (r Run) meet(ctx context.Context, c topology.Cluster) map[string]topology.Machine {
	found := map[string]topology.Machine{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, pool := range c.Pools {
		for _, name := range pool.Hosts {
			if r.Inventory.Host(name) == nil || slices.Contains(r.Hosts, name) {
				continue // expansion reports it
			}
			all.Go(func() {
				var self host.Self
				m, err := r.Connections.Begin(ctx, name, nil)
				if err == nil {
					asking, limit := r.asking(ctx, m)
					defer limit.End()
					self, err = m.Self(asking)
				}
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					found[name] = topology.Machine(self)
				}
			})
		}
	}
	all.Wait()
	return found
}

func (r Run) has(ctx context.Context, name, cluster string, listers []host.Lister) (host.Has, error) {
	m, err := r.Connections.Begin(ctx, name, nil)
	if err != nil {
		return host.Has{}, err
	}
	asking, limit := r.asking(ctx, m)
	defer limit.End()
	return m.Has(asking, cluster, topology.RecordFile, listers)
}

// asking limits how long a host may take to answer.
func (r Run) asking(ctx context.Context, m *host.Machine) (context.Context, *pace.Limit) {
	within := answerTime
	if r.Looks {
		within = cmp.Or(r.Within, answerTime)
	}
	return pace.Within(ctx, within, m)
}

// told reports whether all drivers of the cluster's pools have listed the nodes of a host, and which of the others
// have not.
func told(has host.Has, listers []host.Lister) (all bool, untold []string) {
	all = true
	for _, l := range listers {
		switch failed := slices.Contains(has.Untold, l.Driver); {
		case failed && l.Late:
			untold = append(untold, l.Driver)
		case failed:
			all = false
		}
	}
	return all, untold
}

// use adds what a host has to its answer. A record of another instance is left out: the run is refused later
// because of that instance.
func (r Run) use(a *topology.Answer, has host.Has, c topology.Cluster) diag.List {
	mine, err := r.mine(has.Instance)
	if err != nil {
		return diag.List{{Summary: "Unknown instance", Detail: err.Error() + ".", Host: a.Host, Cause: errors.Join(err, topology.ErrExisting)}}
	}
	a.Foreign, a.Nodes, a.Instance = !mine, has.Nodes, has.Instance.ID
	if has.Record == "" {
		return nil
	}
	record, err := topology.ParseRecord([]byte(has.Record))
	if err == nil && record.Cluster != c.Name {
		err = fmt.Errorf("it is of the cluster %q", record.Cluster)
	}
	if err == nil && record.Instance != "" && a.Instance != "" && record.Instance != a.Instance && !r.Inputs.Adopt {
		err = fmt.Errorf("it is of the instance %s, and what the host has of the cluster is of %s (--adopt accepts that)", record.Instance, a.Instance)
	}
	if err != nil && a.Foreign {
		return nil
	}
	if err != nil {
		return diag.List{{Summary: unreadable, Host: a.Host, Subject: &c.Range, Cause: errors.Join(err, topology.ErrExisting),
			Detail: fmt.Sprintf("The record of the cluster %q on %s, %s, cannot be read: %v. Another hypervisor of the cluster has the same file; a newer kinit may have written it.", c.Name, a.Host, topology.RecordPath(c.Name), err)}}
	}
	a.Record = record
	if !has.Marks {
		return diag.List{r.unmarked(a.Host, c)}
	}
	return nil
}

// unmarked is the error for a host that has the record of the cluster, and not the folder with the marks of what kinit has made.
func (r Run) unmarked(host string, c topology.Cluster) diag.Diagnostic {
	folder := path.Dir(topology.RecordPath(c.Name))
	return diag.Diagnostic{Warning: r.Looks, Summary: "Marks are missing", Host: host, Subject: &c.Range, Cause: topology.ErrExisting,
		Detail: fmt.Sprintf("%s has the record of the cluster %q, and not the folder %s/owned with the marks of what kinit has made there: a run would neither change nor remove it. Nothing was changed. Put that folder back, for example from a backup of %s; or remove by hand what the cluster has on %s, then remove %s, and run kinit again: it creates that host's part of the cluster again, without its data.",
			host, c.Name, folder, host, host, folder)}
}

// mine reports whether the run may use what an instance has.
func (r Run) mine(i instance.Instance) (bool, error) {
	if !i.There() || r.Inputs.Adopt || r.Looks {
		return true, nil
	}
	if i.ID == r.Inputs.Restore.Instance {
		return true, nil // the backup has it
	}
	return r.Memory.Owns(i)
}

// listers returns how the drivers list nodes. Those that no pool of the cluster uses are asked late.
func (r Run) listers(c topology.Cluster) (listers []host.Lister, diags diag.List) {
	for _, d := range r.Spec.Drivers {
		if d.Nodes == nil {
			continue
		}
		text, more := r.listing(d)
		used := slices.ContainsFunc(c.Pools, func(pool topology.Pool) bool { return pool.Driver == d.Name })
		listers, diags = append(listers, host.Lister{Driver: d.Name, Script: text, Late: !used}), append(diags, more...)
	}
	return listers, diags
}

func (r Run) listing(d *spec.Driver) (string, diag.List) {
	value, problems := d.Nodes.Value(r.Scope.Context(d.Range.Filename))
	if problems.HasErrors() {
		return "", diag.FromHCL(problems)
	}
	value, _ = value.Unmark()
	if at := d.Nodes.Range(); !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
		return "", diag.Errorf(&at, "Invalid nodes", "The nodes of the driver %q are listed by a script: give its text. It may depend on variables, but not on the cluster, whose nodes it is asked for.", d.Name)
	}
	return value.AsString(), nil
}
