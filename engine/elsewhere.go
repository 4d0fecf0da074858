package engine

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
	"kinit/engine/internal/ownership"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// elsewhere reports a cluster that no host of the run has, and that exists, or may exist, on other hosts of the
// inventory on which this controller has worked on it: the run would create it a second time.
func (p *planned) elsewhere(ctx context.Context, c topology.Cluster) (diags diag.List) {
	if p.offline() || p.options.Continues {
		return nil
	}
	been, err := p.options.memory().On(c.Name)
	if err != nil {
		return nil // choosing the instance reports it
	}
	known := maps.Clone(been)
	if p.options.Job.Folder != "" { // commands beside the job may have made one, too
		byHand, err := p.options.userMemory().On(c.Name)
		if err != nil {
			return diag.List{{Summary: "Cluster not known", Subject: &c.Range, Cause: errors.Join(err, topology.ErrExisting), Detail: "What this controller knows of the cluster cannot be read: " + err.Error() + "."}}
		}
		maps.Copy(known, byHand)
	}
	hosts := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return slices.Contains(names(p.hosts), name) || slices.Contains(p.options.Lost, name) || !p.reachable(name)
	})
	answers, diags := p.ask(ctx, c, hosts, nil)
	if diags.HasErrors() || len(hosts) == 0 {
		return diags
	}
	for i, a := range answers {
		if known, err := p.options.userMemory().Knows(a.Instance); known && err == nil {
			answers[i].Foreign = false
		}
	}
	if have := topology.Merge(answers, nil); have.Known() {
		return diag.List{p.exists(c, have, known)}
	}
	for _, a := range answers {
		if made, own := been[a.Host]; own && a.Silent && p.mode != modeStatus {
			diags = append(diags, p.mayExist(c, a, made))
		}
	}
	return diags
}

// reachable reports whether a host is in the inventory as those of the run are: labs have inventories of their own.
func (p *planned) reachable(name string) bool {
	reserved := slices.ContainsFunc(names(p.hosts), p.inventory.IsReserved)
	return p.inventory.Host(name) != nil && p.inventory.IsReserved(name) == reserved
}

// exists is the error for a cluster that is on other hosts.
func (p *planned) exists(c topology.Cluster, have topology.Existing, been map[string]instance.Instance) diag.Diagnostic {
	has, run, by := have.Hypervisors(), names(p.hosts), ""
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
	if p.options.Job.Folder != "" {
		fmt.Fprintf(&text, "The job would create a second one of that name, and remove it again. Give it a cluster of another name, as in set = [%q].", "cluster.name="+p.another(c.Name))
		return diag.Diagnostic{Summary: "Cluster is on other hosts", Subject: &c.Range, Cause: errors.Join(ErrTaken, topology.ErrExisting), Detail: p.options.Redactor.Redact(text.String())}
	}
	fmt.Fprintf(&text, "To work on it, name its hypervisors: --hosts %s", strings.Join(has, ","))
	if fresh := without(run, has); len(fresh) > 0 {
		fmt.Fprintf(&text, ", or --hosts %s to use %s for it too", strings.Join(slices.Concat(has, fresh), ","), lists.And(fresh))
	}
	text.WriteString("." + p.beside(c))
	return diag.Diagnostic{Summary: "Cluster is on other hosts", Subject: &c.Range, Cause: topology.ErrExisting, Detail: p.options.Redactor.Redact(text.String())}
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// mayExist is the error for another host that does not answer.
func (p *planned) mayExist(c topology.Cluster, a topology.Answer, made instance.Instance) diag.Diagnostic {
	why := "it does not answer"
	if a.Err != nil {
		why += ": " + a.Err.Error()
	}
	text := fmt.Sprintf("This controller has worked on the cluster %q on %s: %s. The run does not have that host, %s, and no host that answers has the record of the cluster. Nothing was changed. To work on that cluster, name %s with --hosts when it answers. If it does not come back, give --lost %s.%s",
		c.Name, a.Host, made.Origin(), why, a.Host, a.Host, p.beside(c))
	return diag.Diagnostic{Summary: "Cluster may be on another host", Subject: &c.Range, Host: a.Host, Cause: errors.Join(a.Err, topology.ErrExisting), Detail: p.options.Redactor.Redact(text)}
}

// beside returns the advice for a second cluster.
func (p *planned) beside(c topology.Cluster) string {
	if p.options.Restore.ID != "" {
		return ""
	}
	return " For a second cluster beside it:\n" + input.Command(p.options.Inputs, "--set cluster.name="+p.another(c.Name))
}

// forget notes that a clean-up has left nothing of the owner on some hosts.
func (p *planned) forget(ctx context.Context, held *ownership.Held, report *Report) diag.List {
	if !p.options.CleansUp || p.mode != modeRun || report.Diagnostics.HasErrors() {
		return nil
	}
	return held.Forget(ctx)
}
