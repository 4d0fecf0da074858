package existing

import (
	"cmp"
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

// Expand chooses names, addresses and places for the cluster, and keeps those that exist. It refuses a run that would
// change a fixed property.
func (r Run) Expand(in topology.Input) (*topology.Topology, diag.List) {
	diags := r.keeps(&in)
	if diags.HasErrors() {
		return nil, orUnplaced(in, diags)
	}
	t, more := topology.Expand(in)
	if r.Looks && t != nil {
		more = asSeen(more)
	}
	return t, append(diags, more...)
}

// orUnplaced returns the refusal of a cluster that is not the existing one, or else what keeps the cluster from being
// placed at all: each command that the refusal proposes would end with it.
func orUnplaced(in topology.Input, refusal diag.List) diag.List {
	in.Existing = topology.Existing{}
	_, diags := topology.Expand(in)
	unplaced := slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Summary != topology.UnknownHypervisor })
	if len(unplaced) > 0 {
		return unplaced
	}
	return refusal
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

// keeps compares the requested cluster with the existing one, and refuses a run that would change a fixed property.
// A run that only looks, or only removes the cluster, takes the network as it exists; one that looks takes the
// drivers, too.
func (r Run) keeps(in *topology.Input) diag.List {
	record, diags := r.Scope.Record(in.Cluster.Before())
	if diags.HasErrors() {
		return diags
	}
	in.Fixed = record.Fixed
	if in.Recreate {
		return diags
	}
	asked := in.Cluster
	switch {
	case r.Looks:
		in.Cluster = in.Existing.Recorded(asked, r.driverNames())
	case record.Removes:
		in.Cluster = in.Existing.Recorded(asked, nil)
		asked = in.Cluster
	}
	if node, host, driver := in.Existing.Unidentified(asked); node != "" {
		diags = append(diags, diag.Diagnostic{Warning: r.Looks, Summary: "Driver of a node not known", Subject: &asked.Range, Cause: topology.ErrExisting,
			Detail: fmt.Sprintf("The record of the cluster %q does not say which driver made the node %q on %s, and the driver %q could not list its nodes there, so it may be one of them. Nothing was changed. Make what the driver %q needs on %s work, such as its service, and run kinit again.",
				asked.Name, node, host, driver, driver, host)})
	}
	if differences := in.Existing.Differences(asked, record.Fixed); len(differences) > 0 {
		diags = append(diags, r.fixed(asked, in.Existing, differences, record))
	}
	return diags
}

func (r Run) driverNames() []string {
	var names []string
	for _, d := range r.Spec.Drivers {
		names = append(names, d.Name)
	}
	return names
}

// fixed is the error that shows what exists, what is requested, and the commands that the user may have meant.
func (r Run) fixed(c topology.Cluster, have topology.Existing, differences []topology.Difference, record eval.Record) diag.Diagnostic {
	d := diag.Diagnostic{Warning: r.Looks, Summary: "Another cluster than the one that exists", Subject: &c.Range, Cause: errors.Join(ErrFixed, topology.ErrExisting)}
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
		text.WriteString("This is the state of the existing cluster; a run with these settings would be refused.")
		d.Detail = text.String()
		return d
	}
	text.WriteString("Nothing was changed. To work on the existing cluster, request what exists. ")
	if record.Removes {
		text.WriteString("To remove the existing cluster all the same:\n")
	} else {
		fmt.Fprintf(&text, "For a second cluster beside it:\n%s\n", input.Command(r.Inputs, "--set cluster.name="+r.another(c.Name)))
		if own := r.ownValues(); len(own) > 0 {
			fmt.Fprintf(&text, "On the same hypervisors it also needs other values of %s, by --var.\n", lists.And(own))
		}
		text.WriteString("To rebuild the cluster as requested, which first removes its nodes and all their data:\n")
	}
	text.WriteString(input.Command(r.Inputs, "--recreate"))
	d.Detail = r.Redact(text.String())
	return d
}

// ownValues returns the variables of the spec that two clusters on one hypervisor must not share: those of its network and of
// the hypervisor's ports.
func (r Run) ownValues() (own []string) {
	for _, name := range []string{"network_cidr", "published_ports"} {
		if slices.ContainsFunc(r.Spec.Root.Variables, func(v *spec.Variable) bool { return v.Name == name }) {
			own = append(own, name)
		}
	}
	return own
}

// another returns a name for a second cluster: that of the spec, if the first has another one.
func (r Run) another(name string) string {
	if r.First != "" {
		return r.First
	}
	return name[:min(len(name), 61)] + "-2"
}
