package removal

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/topology"
	"kinit/engine/module"
)

// Unknown reports names of --remove that mean nothing which a run may remove. Names of no node, pod or hypervisor are
// looked up on the hosts.
func Unknown(ctx context.Context, remove []string, t *topology.Topology, p *plan.Plan, connections *host.Connections) (diags diag.List) {
	var known []string
	cluster := ""
	if t != nil {
		known, cluster = t.Known, t.Cluster.Name
	}
	open := slices.DeleteFunc(slices.Clone(remove), func(name string) bool {
		return slices.Contains(known, name) || slices.Contains(known, cluster+"-"+name)
	})
	if len(open) == 0 {
		return nil
	}
	objects := objects(ctx, p, connections)
	for _, name := range open {
		if slices.ContainsFunc(objects, func(object string) bool { return object == name || path.Base(object) == name }) {
			continue
		}
		all := slices.Concat(known, objects)
		there := "There is nothing to name."
		if len(all) > 0 {
			there = "There are " + strings.Join(all, ", ") + "."
		}
		diags = append(diags, diag.Errorf(nil, "Unknown name", "--remove names %q, and nothing that the run may remove has this name.%s %s If it was removed before, leave the name out.", name, diag.Near(name, all), there)...)
	}
	return diags
}

// objects lists what holds data on the hosts of the plan's tasks that remove such objects. A host that cannot be asked
// adds nothing; its task says why.
func objects(ctx context.Context, p *plan.Plan, connections *host.Connections) (all []string) {
	asked := map[string]bool{}
	for _, t := range p.Main.Tasks {
		key := fmt.Sprint(t.Block.Kind.Name, t.Host, t.Become)
		if !t.Sweeps() || p.Declared(t.Host) || asked[key] {
			continue
		}
		asked[key] = true
		machine, err := connections.As(ctx, t.Host, (*host.Become)(t.Become))
		if err != nil {
			continue
		}
		if steps, err := t.Block.Kind.New().Plan(ctx, machine.Bind(p.Owner, nil)); err == nil {
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
