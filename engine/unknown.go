package engine

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/topology"
	"kinit/engine/module"
)

// unknownLost reports names of lost hosts that are in no inventory, and that nothing says the cluster has been on.
func (p *planned) unknownLost(c *topology.Cluster) (diags diag.List) {
	if p.offline() || p.options.Continues {
		return nil
	}
	known := append(p.inventory.HostNames(), p.options.Hosts...)
	for _, a := range p.answers {
		if a.Record != nil {
			known = append(known, a.Record.Hosts()...)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range p.options.Lost {
		if slices.Contains(known, name) {
			continue
		}
		if c != nil {
			if been, err := p.options.memory().MayBeOn(c.Name, name); been && err == nil {
				continue
			}
		}
		diags = append(diags, diag.Errorf(nil, "Unknown host", "--lost names %q, which is no host of the inventories and no hypervisor of the cluster.%s The hosts are %s.",
			name, diag.Near(name, known), strings.Join(known, ", "))...)
	}
	return diags
}

// withoutCluster reports names of nodes, where the spec has no cluster.
func (p *planned) withoutCluster() (diags diag.List) {
	for _, name := range p.options.YesDestroy {
		diags = append(diags, diag.Errorf(nil, "Unknown node", "--yes-destroy names %q, and the spec has no cluster with nodes. Leave the flag out.", name)...)
	}
	return diags
}

// unknownRemovals reports names of --remove that mean nothing which exists. Names of no node, pod or hypervisor are
// looked up on the hosts.
func (p *planned) unknownRemovals(ctx context.Context) (diags diag.List) {
	if p.offline() || p.options.Continues {
		return nil
	}
	var known []string
	cluster := ""
	if p.topology != nil {
		known, cluster = p.topology.Known, p.topology.Cluster.Name
	}
	open := slices.DeleteFunc(slices.Clone(p.options.Remove), func(name string) bool {
		return slices.Contains(known, name) || slices.Contains(known, cluster+"-"+name)
	})
	if len(open) == 0 {
		return nil
	}
	objects := p.objects(ctx)
	for _, name := range open {
		if slices.ContainsFunc(objects, func(object string) bool { return object == name || path.Base(object) == name }) {
			continue
		}
		all := slices.Concat(known, objects)
		there := "Nothing is there."
		if len(all) > 0 {
			there = "There are " + strings.Join(all, ", ") + "."
		}
		diags = append(diags, diag.Errorf(nil, "Unknown name", "--remove names %q, and nothing that exists has this name.%s %s If it was removed before, leave the name out.", name, diag.Near(name, all), there)...)
	}
	return diags
}

// objects lists what holds data on the hosts of the plan's tasks that remove such objects. A host that cannot be asked
// adds nothing; its task says why.
func (p *planned) objects(ctx context.Context) (all []string) {
	asked := map[string]bool{}
	for _, t := range p.plan.Main.Tasks {
		key := fmt.Sprint(t.Block.Kind.Name, t.Host, t.Become)
		if !t.Sweeps() || p.plan.Declared(t.Host) || asked[key] {
			continue
		}
		asked[key] = true
		machine, err := p.connections.As(ctx, t.Host, (*host.Become)(t.Become))
		if err != nil {
			continue
		}
		if steps, err := t.Block.Kind.New().Plan(ctx, machine.Bind(p.plan.Owner, nil)); err == nil {
			for _, one := range module.Removals(steps) {
				if one.Name != "" {
					all = append(all, one.Name)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
