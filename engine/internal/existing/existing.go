// Package existing asks the hosts what they have of a run's cluster. It refuses runs that would create the cluster a
// second time or change its fixed properties.
package existing

import (
	"context"
	"slices"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/host"
	"kinit/engine/internal/input"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// Run is what hosts are asked for, and what their answers are compared with.
type Run struct {
	Inputs      input.Inputs
	Hosts       []string // that are selected
	Inventory   *inventory.Inventory
	Connections *host.Connections
	Spec        *spec.Spec
	Scope       *eval.Scope   // without the cluster
	First       string        // the name of the cluster in the spec, if it keeps an older one
	Offline     bool          // no host is asked
	Looks       bool          // the run only reads, whichever instance the hosts have
	Within      time.Duration // how long a host may take to answer a run that looks; 0 for the usual time
	Continues   bool          // an earlier run has checked the names that flags give, and may have removed what they name
	Job         bool          // the run belongs to a periodic job
	Memory      instance.Memory
	UserMemory  instance.Memory // of commands outside a job
	Redact      func(string) string
}

// Found is what hosts have of a cluster. The zero value is nothing: the cluster is new.
type Found struct {
	topology.Existing
	Answers []topology.Answer // of the selected hosts
	First   string            // the name of the cluster in the spec, if it keeps an older one
}

// find asks the selected hosts and those that are lost what they have of the cluster, all at
// once, unless no host is to be asked. A host that does not answer counts only if its tasks are to
// be done or planned.
func (r Run) find(ctx context.Context, c topology.Cluster) (Found, diag.List) {
	listers, diags := r.listers(c)
	if diags.HasErrors() || r.Offline {
		return Found{}, diags
	}
	var machines map[string]topology.Machine
	var meeting sync.WaitGroup
	meeting.Go(func() { machines = r.meet(ctx, c) })
	answers, diags := r.ask(ctx, c, slices.Concat(r.Hosts, r.Inputs.Lost), listers)
	meeting.Wait()
	if diags.HasErrors() {
		return Found{}, diags
	}
	answers, lost := answers[:len(r.Hosts)], answers[len(r.Hosts):]
	found := topology.Merge(answers, r.Inputs.Lost)
	diags = found.Returned(c, lost)
	for name, m := range machines {
		found.Meet(name, m)
	}
	return Found{Existing: found, Answers: answers}, diags
}

// Matters returns whether it matters that a host answers: not to somebody who only looks, and
// not of hosts that --limit leaves out.
func (r Run) Matters() func(name string) bool {
	var limit map[string]bool
	if len(r.Inputs.Limit) > 0 {
		limit, _ = r.Inventory.Limit(r.Inputs.Limit, r.Hosts) // the plan reports its problems
	}
	return func(name string) bool { return !r.Looks && (limit == nil || limit[name]) }
}

// Changed reports whether another run has changed the record of the cluster since the hosts
// were asked. It asks again, which is of use once the run has its locks.
func (r Run) Changed(ctx context.Context, c topology.Cluster, found Found) bool {
	before := slices.DeleteFunc(slices.Clone(found.Answers), func(a topology.Answer) bool { return a.Silent })
	if len(before) == 0 {
		return false
	}
	hosts := lists.Map(before, func(a topology.Answer) string { return a.Host })
	now, diags := r.ask(ctx, c, hosts, nil)
	return diags.HasErrors() || !slices.EqualFunc(before, now, func(a, b topology.Answer) bool {
		return b.Silent || text(a.Record) == text(b.Record)
	})
}

func text(r *topology.Record) string {
	if r == nil {
		return ""
	}
	return r.Text()
}
