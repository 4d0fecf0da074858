package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/run"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
	"kinit/engine/pace"
)

// unreadable is the summary of a record that cannot be used.
const unreadable = "Unreadable record"

// answerTime is how long a host of ordinary speed may take to answer what it has of a cluster.
const answerTime = time.Minute

// whatExists asks the selected hosts and those that are lost what they have of the cluster, all at
// once, unless no host is to be asked. A host that does not answer counts only if its tasks are to
// be done or planned.
func (p *planned) whatExists(ctx context.Context, c topology.Cluster) (topology.Existing, diag.List) {
	listers, diags := p.listers(c)
	if diags.HasErrors() || p.offline() {
		return topology.Existing{}, diags
	}
	var machines map[string]topology.Machine
	var meeting sync.WaitGroup
	meeting.Go(func() { machines = p.meet(ctx, c) })
	answers, diags := p.ask(ctx, c, append(names(p.hosts), p.options.Lost...), listers)
	meeting.Wait()
	if diags.HasErrors() {
		return topology.Existing{}, diags
	}
	answers, lost := answers[:len(p.hosts)], answers[len(p.hosts):]
	p.answers = answers
	found := topology.Merge(answers, p.options.Lost)
	diags = found.Returned(c, lost)
	for name, m := range machines {
		found.Meet(name, m)
	}
	return found, diags
}

// absent reports what may keep a cluster of which no host has a record from being seen, or that it must exist.
func (p *planned) absent(ctx context.Context, c topology.Cluster, have topology.Existing) diag.List {
	switch {
	case p.offline() || have.HasRecord():
		return nil
	case have.Known(): // without a record, nodes do not say where the others are
		return p.elsewhere(ctx, c)
	}
	diags := slices.Concat(p.silent(c, p.answers), p.hidden(c, p.answers), p.elsewhere(ctx, c))
	taken := slices.ContainsFunc(p.answers, func(a topology.Answer) bool { return a.Taken })
	if p.options.MustExist && !taken && !diags.HasErrors() {
		diags = append(diags, p.missing(c, p.answers))
	}
	return diags
}

// missing reports a cluster that must exist and that no host has.
func (p *planned) missing(c topology.Cluster, answers []topology.Answer) diag.Diagnostic {
	detail := "No host was asked"
	if len(answers) > 0 {
		detail = "It is not on " + lists.And(lists.Map(answers, func(a topology.Answer) string { return a.Host }))
	}
	return diag.Diagnostic{Summary: fmt.Sprintf("Cluster %q does not exist", c.Name), Subject: &c.Range, Cause: topology.ErrExisting,
		Detail: detail + ". This command works on a cluster that exists, and creates none. Give the hosts that have it by --hosts, or create it first by 'kinit run'."}
}

// listers returns how the drivers list nodes. Those that no pool of the cluster uses are asked late.
func (p *planned) listers(c topology.Cluster) (listers []host.Lister, diags diag.List) {
	for _, d := range p.spec.Drivers {
		if d.Nodes == nil {
			continue
		}
		text, more := p.listing(d)
		used := slices.ContainsFunc(c.Pools, func(pool topology.Pool) bool { return pool.Driver == d.Name })
		listers, diags = append(listers, host.Lister{Driver: d.Name, Script: text, Late: !used}), append(diags, more...)
	}
	return listers, diags
}

func (p *planned) listing(d *spec.Driver) (string, diag.List) {
	value, problems := d.Nodes.Value(p.scope.Context(d.Range.Filename))
	if problems.HasErrors() {
		return "", diag.FromHCL(problems)
	}
	value, _ = value.Unmark()
	if at := d.Nodes.Range(); !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
		return "", diag.Errorf(&at, "Invalid nodes", "The nodes of the driver %q are listed by a script: give its text. It may depend on variables, but not on the cluster, whose nodes it is asked for.", d.Name)
	}
	return value.AsString(), nil
}

func (p *planned) ask(ctx context.Context, c topology.Cluster, hosts []string, listers []host.Lister) ([]topology.Answer, diag.List) {
	answers, problems := make([]topology.Answer, len(hosts)), make([]diag.List, len(hosts))
	matters := p.matters()
	var all sync.WaitGroup
	for i, name := range hosts {
		all.Go(func() {
			has, err := p.has(ctx, name, c.Name, listers)
			answers[i] = topology.Answer{Host: name, At: p.inventory.Endpoint(name), Twins: p.inventory.Twins(name), Silent: err != nil, Taken: has.Instance.There(), Machine: topology.Machine(has.Self)}
			answers[i].Told, answers[i].Untold = told(has, listers)
			if err != nil && matters(name) {
				answers[i].Err = err
			}
			if err == nil {
				problems[i] = p.use(&answers[i], has, c)
			}
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, diag.List{{Summary: "Interrupted", Detail: "The hosts were still asked what they have of the cluster.", Cause: errors.Join(err, topology.ErrExisting)}}
	}
	return answers, slices.Concat(problems...)
}

// meet asks the machines that are nodes of the cluster, and no hypervisors, which machines they are.
// That one does not answer counts when its tasks are done.
func (p *planned) meet(ctx context.Context, c topology.Cluster) map[string]topology.Machine {
	found := map[string]topology.Machine{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, pool := range c.Pools {
		for _, name := range pool.Hosts {
			if p.inventory.Host(name) == nil || slices.Contains(names(p.hosts), name) {
				continue // expansion reports it
			}
			all.Go(func() {
				var self host.Self
				m, err := p.connections.Begin(ctx, name, nil)
				if err == nil {
					asking, limit := p.asking(ctx, m)
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

func (p *planned) has(ctx context.Context, name, cluster string, listers []host.Lister) (host.Has, error) {
	m, err := p.connections.Begin(ctx, name, nil)
	if err != nil {
		return host.Has{}, err
	}
	asking, limit := p.asking(ctx, m)
	defer limit.End()
	return m.Has(asking, cluster, topology.RecordFile, listers)
}

// asking limits how long a host may take to answer.
func (p *planned) asking(ctx context.Context, m *host.Machine) (context.Context, *pace.Limit) {
	within := answerTime
	if p.mode == modeStatus {
		within = cmp.Or(p.options.Within, answerTime)
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

// use adds what a host has to its answer. What is of another instance does not count: the run is refused for that
// reason later.
func (p *planned) use(a *topology.Answer, has host.Has, c topology.Cluster) diag.List {
	mine, err := p.mine(has.Instance)
	if err != nil {
		return diag.List{{Summary: "Unknown instance", Detail: err.Error() + ".", Host: a.Host, Cause: errors.Join(err, topology.ErrExisting)}}
	}
	a.Foreign, a.Nodes, a.Instance = !mine, has.Nodes, has.Instance.ID
	if has.Record == "" {
		return nil
	}
	r, err := topology.ParseRecord([]byte(has.Record))
	if err == nil && r.Cluster != c.Name {
		err = fmt.Errorf("it is of the cluster %q", r.Cluster)
	}
	if err == nil && r.Instance != "" && a.Instance != "" && r.Instance != a.Instance && !p.options.Adopt {
		err = fmt.Errorf("it is of the instance %s, and what the host has of the cluster is of %s (--adopt accepts that)", r.Instance, a.Instance)
	}
	if err != nil && a.Foreign {
		return nil
	}
	if err != nil {
		return diag.List{{Summary: unreadable, Host: a.Host, Subject: &c.Range, Cause: errors.Join(err, topology.ErrExisting),
			Detail: fmt.Sprintf("The record of the cluster %q on %s, %s, cannot be read: %v. Another hypervisor of the cluster has the same file; a newer kinit may have written it.", c.Name, a.Host, topology.RecordPath(c.Name), err)}}
	}
	a.Record = r
	return nil
}

// mine reports whether the run may use what an instance has.
func (p *planned) mine(i instance.Instance) (bool, error) {
	if !i.There() || p.options.Adopt || p.mode == modeStatus {
		return true, nil
	}
	if i.ID == p.options.Restore.Instance {
		return true, nil // the backup has it
	}
	return p.options.memory().Knows(i.ID)
}

// matters returns whether it matters that a host answers: not to somebody who only looks, and
// not of hosts that --limit leaves out.
func (p *planned) matters() func(name string) bool {
	var limit map[string]bool
	if len(p.options.Limit) > 0 {
		limit, _ = p.inventory.Limit(p.options.Limit, names(p.hosts)) // the plan reports its problems
	}
	return func(name string) bool { return p.mode != modeStatus && (limit == nil || limit[name]) }
}

// silent reports hosts that do not answer if no other one knows the cluster: it may exist.
func (p *planned) silent(c topology.Cluster, answers []topology.Answer) (diags diag.List) {
	for _, a := range answers {
		if a.Err == nil {
			continue
		}
		diags = append(diags, diag.Diagnostic{Summary: run.Summary(a.Err), Subject: &c.Range, Host: a.Host, Cause: errors.Join(a.Err, topology.ErrExisting),
			Detail: p.options.Redactor.Redact(fmt.Sprintf("Whether the cluster %q exists on %s is not known: %v. Without any host, 'kinit plan --offline' shows it as a new one.", c.Name, a.Host, a.Err))})
	}
	return diags
}

// hidden reports hosts that --limit leaves out and that do not answer, if the controller has worked on the
// cluster there, and no other host knows it: as a new one, it would be made again elsewhere.
func (p *planned) hidden(c topology.Cluster, answers []topology.Answer) (diags diag.List) {
	for _, a := range answers {
		if !a.Silent || a.Err != nil || p.mode == modeStatus {
			continue
		}
		may, err := p.options.memory().MayBeOn(c.Name, a.Host)
		text := fmt.Sprintf("that host does not answer, this controller has worked on the cluster there, and no host that answers has its record. --limit may leave out %s when it answers or another host has the record. If it does not come back, give --lost %s.", a.Host, a.Host)
		if err != nil {
			text = "that host does not answer, and what this controller knows of it cannot be read: " + err.Error() + "."
		}
		if may || err != nil {
			diags = append(diags, diag.Diagnostic{Summary: "Cluster not known", Subject: &c.Range, Host: a.Host, Cause: errors.Join(err, topology.ErrExisting),
				Detail: fmt.Sprintf("Whether the cluster %q exists on %s is not known: %s", c.Name, a.Host, text)})
		}
	}
	return diags
}

// changed reports whether another run has changed the record of the cluster since the hosts
// were asked. It asks again, which is of use once the run has its locks.
func (p *planned) changed(ctx context.Context) bool {
	before := slices.DeleteFunc(slices.Clone(p.answers), func(a topology.Answer) bool { return a.Silent })
	if len(before) == 0 {
		return false
	}
	hosts := lists.Map(before, func(a topology.Answer) string { return a.Host })
	now, diags := p.ask(ctx, p.topology.Cluster, hosts, nil)
	return diags.HasErrors() || !slices.EqualFunc(before, now, func(a, b topology.Answer) bool {
		return b.Silent || text(a.Record) == text(b.Record)
	})
}

// stalePlan is the error of a run that others have overtaken.
func stalePlan() diag.List {
	return diag.List{{Summary: "Another run was at work", Cause: topology.ErrExisting,
		Detail: "It has changed the places of the cluster since this run asked the hosts. Nothing was changed by this run; start it again."}}
}

func text(r *topology.Record) string {
	if r == nil {
		return ""
	}
	return r.Text()
}

// asRemovalWarnings warns a command that only looks about what a run would remove. Nodes that exist twice have
// errors of their own.
func asRemovalWarnings(t *topology.Topology) (diags diag.List) {
	for _, r := range t.Removals {
		stays := slices.ContainsFunc(t.Nodes, func(n topology.Node) bool { return n.Name == r.Name })
		if r.Kind == event.RemovedNode && stays && !slices.Contains(t.Moves, topology.Move{Node: r.Name, From: r.Host, To: t.Place(r.Name)}) {
			continue
		}
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "A run removes something", Subject: &t.Cluster.Range, Detail: "A run would remove: " + r.Object() + ": " + r.Why + "."})
	}
	return diags
}

// servicesStay warns about a hypervisor that is evacuated and keeps a pod.
func (p *planned) servicesStay() (diags diag.List) {
	t, at := p.topology, &p.topology.Cluster.Range
	for _, pod := range t.Pods {
		here, elsewhere := pod.Split(p.options.Evacuate)
		if len(here) == 0 {
			continue
		}
		text := fmt.Sprintf("The cluster's services run on %s, and kinit does not move them: ", strings.Join(here, ", "))
		if len(elsewhere) > 0 {
			text += fmt.Sprintf("while that host is down, those on %s answer.", strings.Join(elsewhere, ", "))
		} else {
			text += "while that host is down, the cluster is unreachable."
		}
		diags = append(diags, diag.Diagnostic{Warning: true, Summary: "Services stay", Subject: at, Detail: text})
	}
	return diags
}

// remains warns about what a clean-up leaves on hosts that the run does not have, or that --limit leaves out.
func (p *planned) remains() diag.List {
	c, within := p.topology.Cluster, p.matters()
	run := slices.DeleteFunc(names(p.hosts), func(name string) bool { return !within(name) })
	left := without(p.existing.Hosts(), run)
	if !p.options.CleansUp || p.mode == modeStatus || len(left) == 0 {
		return nil
	}
	return diag.List{{Warning: true, Summary: "Hosts not cleaned up", Subject: &c.Range,
		Detail: fmt.Sprintf("The cluster %q is on %s too, which this run leaves out: what the cluster has there stays. To remove it, run kinit with --hosts %s --stop-after %s, without --limit and --lost, when all of them answer.",
			c.Name, lists.And(left), strings.Join(slices.Concat(run, left), ","), p.options.StopAfter)}}
}

// asSeen makes warnings of what hosts have and should not have: commands that only look show the
// rest.
func asSeen(diags diag.List) diag.List {
	for i := range diags {
		if errors.Is(diags[i].Cause, topology.ErrExisting) && diags[i].Host == "" {
			diags[i].Warning = true
		}
	}
	return diags
}
