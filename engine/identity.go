package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/input"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// ErrFixed is the cause when a run would change what a cluster keeps for as long as it exists.
var ErrFixed = errors.New("a fixed property of the cluster would change")

// recognise asks the hosts what they have of the cluster. If they have none of its name, and one of the name that
// older versions of the spec gave it, which the same driver made, it is this one: it keeps its name.
func (p *planned) recognise(ctx context.Context, c *topology.Cluster) (*topology.Cluster, diag.List) {
	have, diags := p.whatExists(ctx, *c)
	if diags.HasErrors() || have.Known() || c.Formerly == "" || c.Formerly == c.Name || p.named() || p.offline() {
		p.existing = have
		return c, append(diags, p.absent(ctx, *c, have)...)
	}
	now := *p
	p.first = c.Name
	p.rename(c.Formerly)
	old, more := p.decode()
	if more.HasErrors() {
		return c, more
	}
	found, more := p.whatExists(ctx, *old)
	for i := range more {
		if more[i].Summary != unreadable {
			continue
		}
		more[i].Detail += fmt.Sprintf(" If that is not the cluster of this spec, name this one by --set cluster.name=%s.", c.Name)
	}
	if more.HasErrors() {
		return c, more
	}
	if there := topology.Merge(asOwn(p.answers), p.options.Lost); there.Known() && there.Of(*old) || p.options.Restore.Cluster == old.Name {
		p.existing = found
		return old, slices.Concat(diags, more, p.absent(ctx, *old, found))
	}
	hidden := append(p.hidden(*old, p.answers), p.elsewhere(ctx, *old)...)
	*p = now
	p.existing = have
	return c, slices.Concat(diags, p.absent(ctx, *c, have), hidden)
}

// asOwn returns answers in which what belongs to another instance counts.
func asOwn(answers []topology.Answer) []topology.Answer {
	all := slices.Clone(answers)
	for i := range all {
		all[i].Foreign = false
	}
	return all
}

// named reports whether the command line names the cluster.
func (p *planned) named() bool { return p.spec.Cluster.NameRange.Filename == spec.SetOption }

// rename gives the cluster of the spec another name.
func (p *planned) rename(name string) {
	renamed := func(s *spec.Spec) *spec.Spec {
		changed, c := *s, *s.Cluster
		c.Name, changed.Cluster = name, &c
		return &changed
	}
	p.asRead, p.spec = renamed(p.asRead), renamed(p.spec)
}

// decode evaluates the cluster block.
func (p *planned) decode() (*topology.Cluster, diag.List) {
	c := p.spec.Cluster
	cluster, diags := topology.Decode(c, p.spec.Drivers, p.scope.Context(c.Range.Filename))
	return &cluster, diags
}

// keeps compares the requested cluster with the one that exists, and refuses a run that would change what is fixed.
// A run that only looks, or only removes the cluster, takes the network as it exists; one that looks takes the
// drivers, too.
func (p *planned) keeps(in *topology.Input) diag.List {
	record, diags := p.scope.Record(in.Cluster.Before())
	if diags.HasErrors() {
		return diags
	}
	in.Fixed = record.Fixed
	if in.Recreate {
		return diags
	}
	asked := in.Cluster
	switch {
	case p.mode == modeStatus:
		in.Cluster = in.Existing.Recorded(asked, p.driverNames())
	case record.Removes:
		in.Cluster = in.Existing.Recorded(asked, nil)
		asked = in.Cluster
	}
	if node, host, driver := in.Existing.Unidentified(asked); node != "" {
		diags = append(diags, diag.Diagnostic{Warning: p.mode == modeStatus, Summary: "Driver of a node not known", Subject: &asked.Range, Cause: topology.ErrExisting,
			Detail: fmt.Sprintf("The record of the cluster %q does not say which driver made the node %q on %s, and the driver %q could not list its nodes there, so it may be one of them. Nothing was changed. Make what the driver %q needs on %s work, such as its service, and run kinit again.",
				asked.Name, node, host, driver, driver, host)})
	}
	if differences := in.Existing.Differences(asked, record.Fixed); len(differences) > 0 {
		diags = append(diags, p.fixed(asked, in.Existing, differences, record))
	}
	return diags
}

func (p *planned) driverNames() []string {
	var names []string
	for _, d := range p.spec.Drivers {
		names = append(names, d.Name)
	}
	return names
}

// fixed describes what exists, what is requested, and the commands that may have been meant.
func (p *planned) fixed(c topology.Cluster, have topology.Existing, differences []topology.Difference, record eval.Record) diag.Diagnostic {
	d := diag.Diagnostic{Warning: p.mode == modeStatus, Summary: "Another cluster than the one that exists", Subject: &c.Range, Cause: errors.Join(ErrFixed, topology.ErrExisting)}
	var text strings.Builder
	on := ""
	if hosts := have.Hypervisors(); len(hosts) > 0 {
		on = " on " + lists.And(hosts)
	}
	fmt.Fprintf(&text, "The cluster %q exists%s, and this run asks for another one of that name:\n", c.Name, on)
	for _, diff := range differences {
		fmt.Fprintf(&text, "  %s: exists %s, requested %s\n", diff.What, diff.Exists, cmp.Or(diff.Requested, "none"))
	}
	if d.Warning {
		text.WriteString("What is shown is the existing one. A run with these settings would be refused.")
		d.Detail = text.String()
		return d
	}
	text.WriteString("Nothing was changed. To work on the existing cluster, request what exists. ")
	if record.Removes {
		text.WriteString("To remove the existing cluster all the same:\n")
	} else {
		fmt.Fprintf(&text, "For a second cluster beside it:\n%s\n", input.Command(p.options.Inputs, "--set cluster.name="+p.another(c.Name)))
		if own := p.ownValues(); len(own) > 0 {
			fmt.Fprintf(&text, "On the same hypervisors it also needs other values of %s, by --var.\n", lists.And(own))
		}
		text.WriteString("To rebuild the cluster as requested, which first removes its nodes and all their data:\n")
	}
	text.WriteString(input.Command(p.options.Inputs, "--recreate"))
	d.Detail = p.options.Redactor.Redact(text.String())
	return d
}

// ownValues returns the variables of the spec that two clusters on one hypervisor must not share: those of its network and of
// the hypervisor's ports.
func (p *planned) ownValues() (own []string) {
	for _, name := range []string{"network_cidr", "published_ports"} {
		if slices.ContainsFunc(p.spec.Root.Variables, func(v *spec.Variable) bool { return v.Name == name }) {
			own = append(own, name)
		}
	}
	return own
}

// another returns a name for a second cluster: that of the spec, if the first has another one.
func (p *planned) another(name string) string {
	if p.first != "" {
		return p.first
	}
	return name[:min(len(name), 61)] + "-2"
}

// otherInstance reports whether the run works on another instance than the one that the record would name, as when
// only machines beside the hypervisors have it. The next plan has it.
func (p *planned) otherInstance(id string) bool {
	if p.topology == nil || id == "" || id == p.topology.Instance {
		return false
	}
	p.instance = id
	return true
}

// identify returns the id of the instance that the record names: that of the backup that is restored, the one that
// hosts have, the recorded one, one that the controller has elsewhere, or a new one.
func (p *planned) identify(c topology.Cluster) string {
	if p.offline() {
		return ""
	}
	id, asked := cmp.Or(p.instance, p.options.Restore.Instance), []string{}
	for _, a := range slices.SortedFunc(slices.Values(p.answers), func(a, b topology.Answer) int { return strings.Compare(a.Host, b.Host) }) {
		if id = cmp.Or(id, a.Instance); !a.Silent {
			asked = append(asked, a.Host)
		}
	}
	if id = cmp.Or(id, p.existing.Instance()); id != "" {
		return id
	}
	if known, there, err := p.options.memory().Beside(c.Name, asked); err == nil && there {
		return known.ID
	}
	return p.fresh.ID
}
