package existing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
)

// Recognise asks the hosts what they have of the cluster. If they have none of its name, and one of the name that
// older versions of the spec gave it, which the same driver made, it is this one: it keeps its name. The returned
// cluster has it then, and Found.First is the name in the spec.
func (r Run) Recognise(ctx context.Context, c *topology.Cluster) (*topology.Cluster, Found, diag.List) {
	have, diags := r.find(ctx, *c)
	if diags.HasErrors() || have.Known() || c.Formerly == "" || c.Formerly == c.Name || r.named() || r.Offline {
		return c, have, append(diags, r.absent(ctx, *c, have)...)
	}
	formerly := r
	formerly.First = c.Name
	named := r.Spec.Renamed(c.Formerly)
	old, more := topology.Decode(named.Cluster, named.Drivers, r.Scope.Context(named.Cluster.Range.Filename))
	if more.HasErrors() {
		return c, Found{}, more
	}
	found, more := formerly.find(ctx, old)
	for i := range more {
		if more[i].Summary != unreadable {
			continue
		}
		more[i].Detail += fmt.Sprintf(" If that is not the cluster of this spec, name this one by --set cluster.name=%s.", c.Name)
	}
	if more.HasErrors() {
		return c, Found{}, more
	}
	if there := topology.Merge(asOwn(found.Answers), r.Inputs.Lost); there.Known() && there.Of(old) || r.Inputs.Restore.Cluster == old.Name {
		found.First = c.Name
		return &old, found, slices.Concat(diags, more, formerly.absent(ctx, old, found))
	}
	hidden := append(formerly.hidden(old, found.Answers), formerly.elsewhere(ctx, old)...)
	return c, have, slices.Concat(diags, r.absent(ctx, *c, have), hidden)
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
func (r Run) named() bool { return r.Spec.Cluster.NameRange.Filename == spec.SetOption }

// Instance returns the id of the instance that the record names: the chosen one, that of the backup that is restored,
// the one that hosts have, the recorded one, one that the controller has elsewhere, or a fresh one.
func (r Run) Instance(c topology.Cluster, found Found, chosen, fresh string) string {
	if r.Offline {
		return ""
	}
	id, asked := cmp.Or(chosen, r.Inputs.Restore.Instance), []string{}
	for _, a := range slices.SortedFunc(slices.Values(found.Answers), func(a, b topology.Answer) int { return strings.Compare(a.Host, b.Host) }) {
		if id = cmp.Or(id, a.Instance); !a.Silent {
			asked = append(asked, a.Host)
		}
	}
	if id = cmp.Or(id, found.Existing.Instance()); id != "" {
		return id
	}
	if known, there, err := r.Memory.Beside(c.Name, asked); err == nil && there {
		return known.ID
	}
	return fresh
}
