package run

import (
	"context"
	"sync"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// runner is the state of one run.
type runner struct {
	plan     *plan.Plan
	values   *plan.Values
	opts     Options
	endings  *endings
	owed     *owed
	report   *reporter
	machines *machines
	always   context.Context // of tasks of always: it outlasts an interrupt for a short time
	watch    *hostWatch      // the hosts with tasks of always
	turns    turns
	seen     sync.Map // of seen by address, of tasks that were looked at before their turn
}

func newRunner(p *plan.Plan, values *plan.Values, connections *host.Connections, opts Options) *runner {
	for _, address := range p.LeftOut {
		values.SetOutcome(address, plan.Outcome{})
	}
	endings, machines := newEndings(), &machines{connections: connections}
	return &runner{
		plan: p, values: values, opts: opts, endings: endings, owed: newOwed(p, endings, machines, opts),
		report: &reporter{events: opts.Events, redactor: opts.Redactor}, machines: machines,
		turns: turns{things: map[thing]*turn{}},
	}
}

// decode decodes a task, and where and how its commands run, with what earlier tasks
// returned.
func (r *runner) decode(t *plan.Task) (module.Task, plan.Surroundings, diag.List) {
	task, hidden, diags := t.Decode(r.values)
	around, more := t.Surroundings(r.values)
	r.report.hide(t, hidden.With(around.Sensitive))
	if judged, ok := task.(module.Judged); ok && t.FailedWhen(r.values) != nil {
		judged.Judge()
	}
	return task, around, append(diags, more...)
}

// bind returns the host as a task sees it. The owner marks what the task makes on hosts that
// outlive the owner; what is made on a guest is removed with the guest and needs no mark.
func (r *runner) bind(t *plan.Task, machine *host.Machine, around plan.Surroundings, progress func(event.Progress)) module.Host {
	owner := r.plan.Owner
	if r.plan.Declared(t.Host) {
		owner = ""
	}
	return machine.Within(around.Env, around.Dir, owner, progress)
}
