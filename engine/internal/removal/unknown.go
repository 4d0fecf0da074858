package removal

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
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
	objects, machines := objects(ctx, p, connections)
	for _, name := range open {
		if slices.ContainsFunc(objects, func(object string) bool { return object == name || path.Base(object) == name }) {
			continue
		}
		if stays := stays(ctx, name, p.Owner, machines); stays != "" {
			diags = append(diags, diag.Errorf(nil, "Not to be removed", "--remove names %q, and the run does not remove that: %s", name, stays)...)
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

// objects lists what holds data on the hosts of the plan's tasks that remove such objects, and returns these hosts. A host that
// cannot be asked adds nothing; its task says why.
func objects(ctx context.Context, p *plan.Plan, connections *host.Connections) (all []string, machines []*host.Machine) {
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
		machines = append(machines, machine)
		if steps, err := t.Block.Kind.New().Plan(ctx, machine.Bind(p.Owner, nil)); err == nil {
			for _, one := range module.Removals(steps) {
				if one.Name != "" {
					all = append(all, one.Name)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), machines
}

// stays says what has a name that the run does not remove, and what to do; "" if the hosts have nothing of that name.
func stays(ctx context.Context, name, owner string, machines []*host.Machine) string {
	for _, m := range machines {
		h := m.Bind(owner, nil)
		marks, err := h.Marks(ctx)
		if err != nil {
			continue
		}
		mark, marked := module.Mark{ID: name}, false
		for _, one := range marks {
			if one.ID == name || path.IsAbs(one.ID) && path.Base(one.ID) == name {
				mark, marked = one, true
			}
		}
		info, err, others := module.FileInfo{}, fs.ErrNotExist, ""
		if path.IsAbs(mark.ID) {
			info, err = h.Files().Stat(ctx, mark.ID)
		}
		if err == nil && info.Mode.IsDir() {
			others = foreign(ctx, h, mark.ID, marks)
		}
		switch {
		case marked && others != "":
			return fmt.Sprintf("%s on %s is a folder that kinit made, and it stays as long as %s in it. Remove those by hand if nothing needs them: a run that no longer declares the folder then removes it, without --remove.",
				mark.ID, h.Name(), others)
		case marked:
			return fmt.Sprintf("kinit made %s on %s, and the run keeps it or needs no name to remove it. Leave the name out.", mark.ID, h.Name())
		case err == nil:
			return fmt.Sprintf("%s on %s is not marked as made by %s. Remove it by hand if nothing needs it, and leave the name out.", mark.ID, h.Name(), owner)
		}
	}
	return ""
}

// mostForeign is how many foreign files a message names.
const mostForeign = 5

// foreign says that a folder has files which kinit has not made, as "a and b are"; "" without one.
func foreign(ctx context.Context, h module.Host, dir string, marks []module.Mark) string {
	infos, err := h.Files().List(ctx, dir)
	infos = slices.DeleteFunc(infos, func(info module.FileInfo) bool {
		return slices.ContainsFunc(marks, func(m module.Mark) bool { return m.ID == path.Join(dir, info.Name) })
	})
	names := lists.Map(infos, func(info module.FileInfo) string { return info.Name })
	switch {
	case err != nil || len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0] + ", which kinit did not make, is"
	case len(names) > mostForeign:
		return fmt.Sprintf("%s and %d others, which kinit did not make, are", strings.Join(names[:mostForeign], ", "), len(names)-mostForeign)
	}
	return lists.And(names) + ", which kinit did not make, are"
}
