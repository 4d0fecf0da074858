package engine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Removal is a node, a volume or an address that a run removes.
type Removal = event.Removal

// ConfirmRemovals asks whether a run may remove what no flag names. It should return when ctx
// ends. It is called by one goroutine at a time; an error refuses the run, or fails the task that
// removes.
type ConfirmRemovals func(ctx context.Context, removals []Removal) (bool, error)

// consent knows what a run may remove: what flags and commands name, and what was confirmed.
type consent struct {
	options Options
	cluster string
	nodes   []string          // names that objects may begin with
	ports   map[string]string // nodes by the names of their ports
	planned []Removal         // what is known before the tasks look at their hosts
	saved   bool              // the plan was saved, with its flags
}

func (p *planned) consents() *consent {
	c := &consent{options: p.options, planned: p.removals()}
	if p.topology != nil {
		c.cluster, c.nodes, c.ports = p.topology.Cluster.Name, p.topology.KnownNodes, p.topology.NodePorts
	}
	for i := range c.planned {
		c.planned[i].By = cmp.Or(c.planned[i].By, c.rebuilds())
	}
	return c
}

// rebuilds returns what names all removals of a run that rebuilds what one before it has removed, or "".
func (c *consent) rebuilds() string {
	if c.options.Rebuilds {
		return "--recreate"
	}
	return ""
}

// neverLeaves refuses to take nodes out of a cluster whose playbook never records that they have left.
func (p *planned) neverLeaves() diag.List {
	t := p.topology
	if p.plan == nil || p.mode == modeStatus || len(t.Leaving) == 0 || p.options.CleansUp || p.options.Recreate || !p.plan.Remembers() {
		return nil
	}
	leaving := lists.Map(t.Leaving, func(l topology.Leaving) string { return l.Name })
	return diag.List{{Summary: "Nodes cannot leave", Subject: &t.Cluster.Range, Cause: topology.ErrExisting,
		Detail: fmt.Sprintf("The cluster %q would lose %s, and no task of its playbook writes cluster.record.left: the record would have these nodes for good, and no later run would create them again. Nothing was changed. Add a task that writes cluster.record.left to cluster.record.path after the tasks that remove nodes; or rebuild the cluster with --recreate.",
			t.Cluster.Name, lists.And(leaving))}}
}

// removals returns the nodes, pods and addresses that the plan's tasks remove, as far as they are known
// before these look at their hosts.
func (p *planned) removals() []Removal {
	if p.topology == nil || p.plan == nil {
		return nil
	}
	within, sweeps := p.matters(), p.plan.Sweeps()
	leaves := p.plan.Leaving() && (sweeps || p.plan.Forgets()) || p.options.CleansUp || p.options.Recreate
	late := func(r Removal) bool {
		return slices.ContainsFunc(p.topology.Leaving, func(l topology.Leaving) bool { return l.Name == r.Name && l.Hypervisor == r.Host })
	}
	return slices.DeleteFunc(slices.Clone(p.topology.Removals), func(r Removal) bool {
		out := p.mode != modeStatus && slices.Contains(names(p.hosts), r.Host) && !within(r.Host) // --limit leaves the host out
		return out || late(r) && !leaves || !late(r) && !sweeps
	})
}

// confirmed asks, before anything changes, about all that is to be removed and that nothing names. It returns
// why the run is refused.
func (c *consent) confirmed(ctx context.Context) diag.List {
	unnamed := event.Unnamed(c.planned)
	if len(unnamed) == 0 {
		return nil
	}
	yes, err := c.ask(ctx, unnamed)
	switch {
	case ctx.Err() != nil:
		return diag.List{{Summary: "Interrupted", Detail: "Nothing was removed, and nothing was changed.", Cause: ctx.Err()}}
	case err != nil:
		return diag.List{{Summary: "No answer", Detail: err.Error() + ". Nothing was changed.\n\n" + c.advice(unnamed), Cause: err}}
	case !yes && c.options.ConfirmRemovals != nil:
		return diag.List{{Summary: "Removals declined", Detail: "Nothing was changed."}}
	case !yes:
		return diag.List{{Summary: "Removals not named", Detail: "The run would remove, and no flag names:\n\n" + objectList(unnamed) + "\n\nNothing was changed. " + c.advice(unnamed)}}
	}
	for i := range c.planned {
		if c.planned[i].By == "" {
			c.planned[i].By = answered
		}
	}
	return nil
}

// answered is what names removals that were confirmed.
const answered = "your answer"

func (c *consent) ask(ctx context.Context, unnamed []Removal) (bool, error) {
	if c.options.ConfirmRemovals == nil {
		return false, nil
	}
	return c.options.ConfirmRemovals(ctx, unnamed)
}

// advice says how removals are named.
func (c *consent) advice(unnamed []Removal) string {
	flag := event.RemoveFlags(unnamed)
	if c.options.NamesRemovals != nil {
		return fmt.Sprintf("To remove them, %s. To keep them, change the spec or the other arguments.", c.options.NamesRemovals(event.RemovedNames(unnamed)))
	}
	if c.saved {
		return fmt.Sprintf("To remove them, make a new plan with %s. To keep them, make it of another spec or with other flags.", flag)
	}
	return fmt.Sprintf("To remove them, give %s or answer on a terminal. To keep them, change the spec or the other flags.", flag)
}

func objectList(removals []Removal) string {
	return strings.Join(lists.Map(removals, func(r Removal) string { return "  " + r.Object() + ": " + r.Why }), "\n")
}

// gate decides about what the steps of a task remove on a host. Its error fails the task before it
// has changed anything.
func (c *consent) gate(ctx context.Context, host string, removed []module.Removed) error {
	unnamed := event.Unnamed(c.ofSteps(host, removed))
	if len(unnamed) == 0 {
		return nil
	}
	yes, err := c.ask(ctx, unnamed)
	switch {
	case err != nil:
		return err
	case !yes && c.options.ConfirmRemovals != nil:
		return diag.List{{Summary: "Removals declined", Detail: "The task has changed nothing:\n\n" + objectList(unnamed)}}
	case !yes:
		return diag.List{{Summary: "Removals not named", Detail: "The task would remove, with what they hold, and no flag names:\n\n" + objectList(unnamed) + "\n\nThe task has changed nothing. " + c.advice(unnamed)}}
	}
	return nil
}

// ofSteps returns what steps remove on a host, and what names each. What belongs to a node or pod that the plan
// removes there is left out.
func (c *consent) ofSteps(host string, removed []module.Removed) (all []Removal) {
	for _, one := range removed {
		if len(one.Parts) > 0 {
			all = append(all, c.ofParts(host, one)...)
			continue
		}
		r := Removal{Kind: one.Kind, Name: one.Name, Host: host, Why: "the playbook no longer declares it"}
		part := slices.IndexFunc(c.planned, func(r Removal) bool { return r.Host == host && c.has(r, one.Name) })
		switch {
		case part >= 0: // what names the node or pod names it too
			continue
		case one.All:
			r.By, r.Why = c.everything(), "everything of the owner is removed"
		default:
			r.By = c.flag(one.Name)
		}
		r.Name = c.options.Redactor.Redact(r.Name)
		all = append(all, r)
	}
	return all
}

// ofParts returns the parts of nodes that stay: their nodes go by no removal of the plan.
func (c *consent) ofParts(host string, removed module.Removed) (all []Removal) {
	for _, part := range removed.Parts {
		node, found := c.ports[part]
		goes := func(r Removal) bool { return r.Kind == event.RemovedNode && r.Name == node }
		if !found || slices.ContainsFunc(c.planned, goes) {
			continue
		}
		all = append(all, Removal{Kind: removed.Kind, Name: node, Host: host, By: c.flag(node), Why: "the playbook does not keep it, and the node stays"})
	}
	return all
}

// has reports whether an object on the host of a planned removal is, or is a part of, what goes.
func (c *consent) has(r Removal, object string) bool {
	node := c.node(object)
	return r.Kind == event.RemovedNode && node == r.Name || r.Kind == event.RemovedPod && node == ""
}

// node returns the name of the node that an object belongs to by its name, such as a disk
// "shop-web-01-data-1.qcow2" to "shop-web-01", or "".
func (c *consent) node(object string) string {
	base, longest := path.Base(object), ""
	for _, name := range c.nodes {
		if isPart(base, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

func isPart(object, name string) bool {
	rest, found := strings.CutPrefix(object, name)
	return found && (rest == "" || rest[0] == '-' || rest[0] == '.')
}

// flag returns the flag that names an object, or "": by its own name, the last part of its path, or its node's.
func (c *consent) flag(object string) string {
	node := c.node(object)
	for _, given := range c.options.Remove {
		if given == object || given == path.Base(object) || node != "" && (given == node || c.cluster+"-"+given == node) {
			return "--remove " + given
		}
	}
	return c.rebuilds()
}

// everything is what names the removal of all that the owner has.
func (c *consent) everything() string {
	switch {
	case c.options.Recreate:
		return "--recreate"
	case c.options.StopAfter != "":
		return "--stop-after " + c.options.StopAfter
	}
	return "the playbook"
}

// all returns the removals of a run or plan: those that were known before its tasks, and what these found.
func (c *consent) all(results []Result) []Removal {
	found := slices.Clone(c.planned)
	for _, result := range results {
		found = append(found, c.ofSteps(result.Host, result.Removes)...)
	}
	return found
}

// asked makes a ConfirmRemovals ask about each removal once, and one question at a time.
func asked(confirm ConfirmRemovals) ConfirmRemovals {
	if confirm == nil {
		return nil
	}
	var mu sync.Mutex
	var known []Removal
	return func(ctx context.Context, removals []Removal) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		open := slices.DeleteFunc(slices.Clone(removals), func(r Removal) bool { return slices.Contains(known, r) })
		if len(open) == 0 {
			return true, nil
		}
		yes, err := confirm(ctx, open)
		if yes && err == nil {
			known = append(known, open...)
		}
		return yes, err
	}
}
