package existing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/input"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// elsewhere reports a cluster that no host of the run has, and that exists, or may exist, on other hosts of the
// inventory on which this controller has worked on it: the run would create it a second time.
func (r Run) elsewhere(ctx context.Context, c topology.Cluster) (diags diag.List) {
	if r.Offline || r.Continues {
		return nil
	}
	been, err := r.Memory.On(c.Name)
	if err != nil {
		return nil // choosing the instance reports it
	}
	known := maps.Clone(been)
	if r.Job { // commands beside the job may have made one, too
		byHand, err := r.UserMemory.On(c.Name)
		if err != nil {
			return diag.List{{Summary: "Cluster not known", Subject: &c.Range, Cause: errors.Join(err, topology.ErrExisting), Detail: "What this controller knows of the cluster cannot be read: " + err.Error() + "."}}
		}
		maps.Copy(known, byHand)
	}
	hosts := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return slices.Contains(r.Hosts, name) || slices.Contains(r.Inputs.Lost, name) || !r.reachable(name)
	})
	answers, diags := r.ask(ctx, c, hosts, nil)
	if diags.HasErrors() || len(hosts) == 0 {
		return diags
	}
	for i, a := range answers {
		if known, err := r.UserMemory.Knows(a.Instance); known && err == nil {
			answers[i].Foreign = false
		}
	}
	if have := topology.Merge(answers, nil); have.Known() {
		return diag.List{r.exists(c, have, known)}
	}
	for _, a := range answers {
		if made, own := been[a.Host]; own && a.Silent && !r.Looks {
			diags = append(diags, r.mayExist(c, a, made))
		}
	}
	return diags
}

// reachable reports whether a host is in the inventory as those of the run are: labs have inventories of their own.
func (r Run) reachable(name string) bool {
	reserved := slices.ContainsFunc(r.Hosts, r.Inventory.IsReserved)
	return r.Inventory.Host(name) != nil && r.Inventory.IsReserved(name) == reserved
}

// exists is the error for a cluster that is on other hosts.
func (r Run) exists(c topology.Cluster, have topology.Existing, been map[string]instance.Instance) diag.Diagnostic {
	has, run, by := have.Hypervisors(), r.Hosts, ""
	if len(has) == 0 {
		has = have.WithNodes()
	}
	others := without(has, run) // those of the run have nothing of it, as after a clean-up of some hosts
	var text strings.Builder
	fmt.Fprintf(&text, "The cluster %q exists on %s, and this run has %s. Nothing was changed.\n", c.Name, lists.And(others), cmp.Or(lists.And(run), "no hosts"))
	contents := have.Contents()
	for _, name := range others {
		if by == "" && been[name].There() {
			by = been[name].Origin()
		}
		if objects := contents[name]; len(objects) > 0 {
			fmt.Fprintf(&text, "  on %s: %s\n", name, strings.Join(objects, ", "))
		}
	}
	if by != "" {
		fmt.Fprintf(&text, "  %s\n", by)
	}
	if r.Job {
		fmt.Fprintf(&text, "The job would create a second one of that name, and remove it again. Give it a cluster of another name, as in set = [%q].", "cluster.name="+r.another(c.Name))
		return diag.Diagnostic{Summary: "Cluster is on other hosts", Subject: &c.Range, Cause: errors.Join(instance.ErrTaken, topology.ErrExisting), Detail: r.Redact(text.String())}
	}
	fmt.Fprintf(&text, "To work on it, name its hypervisors: --hosts %s", strings.Join(has, ","))
	if fresh := without(run, has); len(fresh) > 0 {
		fmt.Fprintf(&text, ", or --hosts %s to use %s for it too", strings.Join(slices.Concat(has, fresh), ","), lists.And(fresh))
	}
	text.WriteString("." + r.beside(c))
	return diag.Diagnostic{Summary: "Cluster is on other hosts", Subject: &c.Range, Cause: topology.ErrExisting, Detail: r.Redact(text.String())}
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// mayExist is the error for another host that does not answer.
func (r Run) mayExist(c topology.Cluster, a topology.Answer, made instance.Instance) diag.Diagnostic {
	why := "it does not answer"
	if a.Err != nil {
		why += ": " + a.Err.Error()
	}
	text := fmt.Sprintf("This controller has worked on the cluster %q on %s: %s. The run does not have that host, %s, and no host that answers has the record of the cluster. Nothing was changed. To work on that cluster, name %s with --hosts when it answers. If it does not come back, give --lost %s.%s",
		c.Name, a.Host, made.Origin(), why, a.Host, a.Host, r.beside(c))
	return diag.Diagnostic{Summary: "Cluster may be on another host", Subject: &c.Range, Host: a.Host, Cause: errors.Join(a.Err, topology.ErrExisting), Detail: r.Redact(text)}
}

// beside returns the advice for a second cluster.
func (r Run) beside(c topology.Cluster) string {
	if r.Inputs.Restore.ID != "" {
		return ""
	}
	return " For a second cluster beside it:\n" + input.Command(r.Inputs, "--set cluster.name="+r.another(c.Name))
}
