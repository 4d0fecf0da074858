package plan

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/dag"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/plan/selection"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// Build expands and checks everything that is known before a run: instances, references,
// the graph and the selection. The plan is nil if there are errors.
func Build(in Input) (*Plan, diag.List) {
	if in.Inventory == nil {
		in.Inventory = &inventory.Inventory{}
	}
	instances, diags := expand.Instances(expand.Input{Spec: in.Spec, Scope: in.Scope, Inventory: in.Inventory, Hosts: in.Hosts, Kinds: in.Kinds})
	links, more := refs.Resolve(instances, !diags.HasErrors())
	diags = append(diags, more...)
	order, more := dag.Build(links)
	diags = append(diags, more...)

	p := &Plan{Stages: order.Stages, Sources: map[string]*hcl.File{}, refs: links}
	diags = append(diags, p.setOwner(in)...)
	tasks := p.tasks(order.All)
	diags = append(diags, p.check(tasks)...)
	diags = append(diags, p.addChecks(in.Spec)...)
	diags = append(diags, p.addOutputs(in.Spec)...)
	if !diags.HasErrors() {
		order, more = selection.Apply(order, in.Selection)
		diags = append(diags, more...)
	}
	maps.Copy(p.Sources, in.Spec.Sources)
	maps.Copy(p.Sources, in.Inventory.Sources)
	diags = premises(diags.Distinct()) // every instance of a task has the same errors
	diags.Sort()
	if diags.HasErrors() {
		return nil, diags
	}
	p.Main, p.OnFailure, p.Always = p.section(order.Main), p.section(order.OnFailure), p.section(order.Always)
	p.LeftOut = leftOut(tasks, p.Main, p.OnFailure, p.Always)
	return p, diags
}

// setOwner finds the owner of what the tasks make: the cluster, or the owner in the spec.
func (p *Plan) setOwner(in Input) diag.List {
	if in.Topology != nil {
		p.Cluster = in.Topology.Cluster.Name
	}
	p.Owner = p.Cluster
	expr := in.Spec.Owner
	if expr == nil {
		return nil
	}
	var early expand.Early
	if p.Cluster != "" {
		early.Errorf(expr.Range(), "Invalid owner", "What this spec makes belongs to its cluster %q; leave the owner out.", p.Cluster)
		return early.Diags
	}
	value, ok := early.Must(p.refs.Set.Namespaces[in.Spec.Root], "owner", expr, in.Scope.Context(expr.Range().Filename), cty.String, "Name the owner, or leave the argument out.")
	if !ok {
		return early.Diags
	}
	owner := value.AsString()
	if !ownerName.MatchString(owner) {
		early.Errorf(expr.Range(), "Invalid owner", "An owner is named like a cluster, with lower case letters, digits and - only; %q is not.", owner)
	}
	p.Owner = owner
	return early.Diags
}

// ownerName has the same form as a cluster's name: both become parts of file names on the
// hosts.
var ownerName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// tasks makes the plan's tasks from those of a graph.
func (p *Plan) tasks(of []*dag.Task) []*Task {
	return lists.Map(of, func(t *dag.Task) *Task { return &Task{Task: t, plan: p} })
}

// premises returns only the errors about conditions that the playbook asks for, if there are any:
// other errors may be consequences, such as references to nodes that a cluster without nodes lacks.
func premises(diags diag.List) diag.List {
	unmet := func(d diag.Diagnostic) bool { return errors.As(d.Cause, new(module.UnmetError)) }
	if !slices.ContainsFunc(diags, unmet) {
		return diags
	}
	return slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return !d.Warning && !unmet(d) })
}

// leftOut lists the tasks that no section has.
func leftOut(tasks []*Task, sections ...Section) []string {
	var all []string
	for _, t := range tasks {
		if !slices.ContainsFunc(sections, func(s Section) bool { return s.Task(t.Address) != nil }) {
			all = append(all, t.Address)
		}
	}
	return all
}

func (p *Plan) addChecks(sp *spec.Spec) (diags diag.List) {
	for _, s := range sp.Checks {
		var exprs []hcl.Expression
		for _, a := range s.Asserts {
			exprs = append(exprs, a.Condition, a.ErrorMessage)
		}
		l, _, more := p.refs.Later(p.refs.Set.Namespaces[s.In], s.Range.Filename, "", exprs...)
		diags = append(diags, more...)
		p.Checks = append(p.Checks, &Check{
			after: p.after(l), Address: s.In.Address("check." + s.Name), Range: s.Range, when: p.premises(s), asserts: s.Asserts,
		})
	}
	return diags
}

func (p *Plan) after(l refs.Later) after {
	return after{Needs: refs.Addresses(l.Args.Tasks()), later: l, refs: p.refs}
}

// premises returns the conditions of the import that a check is in. Their errors are those of
// its tasks.
func (p *Plan) premises(s *spec.Check) (all []premise) {
	in := p.refs.Set.Namespaces[s.In]
	for _, expr := range s.When {
		one, hosts := premise{expr: expr}, []string{""}
		if in.IsPerHost(expr) {
			hosts = lists.Map(p.refs.Set.Hosts.Selected, func(h *inventory.Host) string { return h.Name })
		}
		for _, host := range hosts {
			l, _, _ := p.refs.Later(in, s.Range.Filename, host, expr)
			one.later = append(one.later, l)
		}
		all = append(all, one)
	}
	return all
}

func (p *Plan) addOutputs(sp *spec.Spec) (diags diag.List) {
	for _, s := range sp.Root.Outputs {
		l, values, more := p.refs.Later(p.refs.Set.Namespaces[sp.Root], s.Range.Filename, "", s.Value)
		diags = append(diags, more...)
		if !s.Sensitive && slices.ContainsFunc(values, sensitive.Is) {
			diags = append(diags, openOutput(s.Name, s.Value.Range())...)
		}
		p.Outputs = append(p.Outputs, &Output{
			after: p.after(l), Name: s.Name, Description: s.Description, Sensitive: s.Sensitive, Range: s.Range, expr: s.Value,
		})
	}
	return diags
}

func (p *Plan) section(from dag.Section) Section {
	s := Section{Graph: from.Graph, Tasks: p.tasks(from.Tasks), byAddress: make(map[string]*Task, len(from.Tasks)), gates: from.Gates, begins: map[Key]bool{}}
	for _, stage := range p.Stages {
		s.begins[dag.StageBegin(stage)] = true
	}
	for _, t := range s.Tasks {
		s.byAddress[t.Address] = t
	}
	return s
}
