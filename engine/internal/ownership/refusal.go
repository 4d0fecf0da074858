package ownership

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/instance"
	"kinit/engine/internal/lock"
	"kinit/engine/internal/run"
	"kinit/engine/lists"
)

// taken returns the error for an owner's name that another instance has.
func (c *choice) taken(h *holder) error {
	where := lists.And(h.hosts)
	if c.job != "" {
		why := fmt.Sprintf("no run of the job %q made %s on %s: %s. The job removes what it deploys, so it works only on what its own runs have made", c.job, c.owner, where, h.MadeIt())
		if adopted, _ := c.memory.WasAdopted(h.ID); adopted || h.Adopted != "" {
			why = fmt.Sprintf("a command outside the job %q has adopted %s on %s: %s. The job removes what it deploys, so it leaves that alone", c.job, c.owner, where, h.MadeIt())
		}
		return fmt.Errorf("%w: %s. Nothing was changed. To keep what is there, give the job a spec with another name: that of the cluster, or the owner of the spec. Otherwise remove what is there first, or give --adopt: the job then takes it over, and removes it at its end",
			instance.ErrTaken, why)
	}
	whose := fmt.Sprintf("%s on %s is not known here: %s", c.owner, where, h.Origin())
	if h.Old {
		whose = fmt.Sprintf("%s on %s %s, so its owner is unknown", c.owner, where, h.Origin())
	}
	return fmt.Errorf("%w: %s. Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name: that of the cluster, or the owner of the spec",
		instance.ErrTaken, whose)
}

// otherKind refuses a run without a cluster whose owner is a cluster, and a cluster with the name of a playbook's owner.
func (c *choice) otherKind(h *holder) error {
	switch {
	case c.fresh.Plain && h.Cluster:
		return c.isCluster(h)
	case !c.fresh.Plain && h.Plain && !h.Cluster && !c.adopt:
		return c.isPlaybook(h)
	}
	return nil
}

// isCluster returns the error for a run without a cluster whose owner has the name of one: its sweeps would remove the
// nodes, keys and record of the cluster as what the playbook no longer declares.
func (c *choice) isCluster(h *holder) error {
	return fmt.Errorf("%w: %s on %s is a cluster, and this spec has the same owner and no cluster: %s. Its sweeps would remove the cluster's keys, record and nodes. Nothing was changed. Give the spec another owner. To work on the cluster or to remove it, use the spec that describes it",
		instance.ErrTaken, c.owner, lists.And(h.hosts), h.MadeIt())
}

// isPlaybook returns the error for a cluster that has the name of a playbook's owner: its sweeps would remove what the
// playbook has made as what the cluster does not declare.
func (c *choice) isPlaybook(h *holder) error {
	return fmt.Errorf("%w: %s on %s is what a playbook without a cluster has made, and this cluster has the same name: %s. Its sweeps would remove the playbook's objects. Nothing was changed. Give the cluster another name, or the playbook another owner; if the cluster has become part of the playbook, give --adopt",
		instance.ErrTaken, c.owner, lists.And(h.hosts), h.MadeIt())
}

// other returns the error for a backup of another instance than the one on the hosts.
func (c *choice) other(h *holder) error {
	return fmt.Errorf("%w: the backup is of another %s than the one on %s: %s. Nothing was changed. To restore it anyway, give --adopt; or remove the existing one first",
		instance.ErrTaken, c.owner, lists.And(h.hosts), h.Origin())
}

func together(holders []*holder) string {
	return strings.Join(lists.Map(holders, func(h *holder) string {
		return "on " + lists.And(h.hosts) + ", " + h.MadeIt()
	}), "; ")
}

// teamProblem reports why the team's lock could not be taken, and where the inventory
// configures it.
func (r Run) teamProblem(err error) diag.List {
	diags := r.problem(err)
	if !errors.Is(err, lock.ErrHeld) && !errors.Is(err, context.Canceled) {
		diags[0].Summary = "No lock from etcd"
		diags[0].Detail += ". Without the team's lock nothing is changed."
		diags[0].Subject = &r.Team.Range
	}
	return diags
}

func (r Run) problem(err error) diag.List {
	summary, text := run.Summary(err), r.Redact(err.Error())
	switch {
	case errors.Is(err, instance.ErrTaken):
		summary = "The name is taken"
		text = strings.TrimPrefix(text, instance.ErrTaken.Error()+": ") + "."
	case errors.Is(err, lock.ErrHeld):
		summary = "Another run is at work"
		text += ". Wait for it to end; a run that has died gives its lock up within half a minute."
	case errors.Is(err, lock.ErrLost):
		summary = "The run has lost its lock"
		text += ". It has stopped, so that two runs do not work at once; what it had begun is brought about by the next run."
	}
	return diag.List{{Summary: summary, Detail: text, Cause: err}}
}
