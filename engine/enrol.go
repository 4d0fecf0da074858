package engine

import (
	"fmt"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/topology"
	"kinit/engine/lists"
)

// unnamedHosts returns the run's hosts that become hypervisors, if the command line names no hosts: all of the inventory
// are then.
func (p *planned) unnamedHosts() []string {
	if p.topology == nil || len(p.options.Hosts) > 0 || p.offline() || p.mode == modeStatus || p.options.CleansUp {
		return nil
	}
	all := lists.Map(p.topology.Hypervisors, func(h topology.Hypervisor) string { return h.Name })
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(p.existing.Hypervisors(), name) })
}

// enrolled refuses to make hosts that no flag names hypervisors of a cluster that exists.
func (p *planned) enrolled() diag.List {
	fresh, has := p.unnamedHosts(), p.existing.Hypervisors()
	if len(fresh) == 0 || len(has) == 0 || p.options.Continues {
		return nil
	}
	slices.Sort(fresh)
	return diag.List{{Summary: "New hypervisors not named", Subject: &p.topology.Cluster.Range, Cause: topology.ErrExisting,
		Detail: fmt.Sprintf("The cluster %q is on %s. Without --hosts, the run has all hosts of the inventory, and would use %s for the cluster too. Nothing was changed. To keep the hypervisors, give --hosts %s. To add hosts, name them too: --hosts %s.",
			p.topology.Cluster.Name, lists.And(has), lists.And(fresh), strings.Join(has, ","), strings.Join(slices.Concat(has, fresh), ","))}}
}
