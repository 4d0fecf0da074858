package service

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/ownership"
)

// decide compares the state with the arguments, in the order in which systemd
// needs the changes.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case t.Unit == nil || s.ours:
	case s.link != "":
		return nil, ownership.NotOwned(h, module.Mark{ID: t.path()}, t.path()+" is a link to "+s.link+" and",
			"choose another name, or remove the link yourself if nothing needs it")
	case s.file != nil && *s.file != *t.Unit:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.path()}, t.path()+" exists with other content and",
			"choose another name, or use a drop-in folder with a copy task")
	}
	p := &planner{task: t, state: s}
	p.unit(h)
	p.boot()
	p.run()
	return p.steps, nil
}

// planner collects steps.
type planner struct {
	task  *Task
	state state
	steps []module.Step
}

func (p *planner) unit(h module.Host) {
	t, s := p.task, p.state
	switch {
	case t.Unit != nil && s.file == nil:
		p.add("create unit "+t.unit(), t.writeUnit)
	case t.Unit != nil && *s.file != *t.Unit:
		diff := h.Redact(content.Diff(t.path(), []byte(*s.file), []byte(*t.Unit)))
		p.add("change unit "+t.unit()+"\n"+diff, t.writeUnit)
	case t.DaemonReload:
		p.add("reload systemd", reload)
	case s.reload == "yes":
		p.add("reload systemd, which has an old "+t.unit(), reload)
	}
}

func (p *planner) boot() {
	t, s := p.task, p.state
	switch {
	case is(t.Masked) && !s.masked():
		p.change("mask", "--now")
	case isNot(t.Masked) && s.masked():
		p.change("unmask")
	}
	switch {
	case is(t.Enabled) && !s.enabled() && s.enables():
		p.change("enable")
	case isNot(t.Enabled) && (s.enabled() || s.fileState == "enabled-runtime"):
		p.change("disable")
	}
}

func (p *planner) run() {
	t, s, want := p.task, p.state, p.task.fingerprint()
	// Starting a unit that is already starting only waits for it: if it began with other
	// files, it needs a restart.
	restarts := want != "" && s.up()
	switch {
	case t.State == "stopped" && s.activeState != "inactive" && s.activeState != "failed":
		p.change("stop")
	case t.State == "stopped":
	case t.acts() && !s.up():
		p.start("start", "", want)
	case t.State == "restarted":
		p.start("restart", "", want)
	case t.State == "reloaded":
		p.add("reload "+t.unit(), func(ctx context.Context, h module.Host) error { return t.start(ctx, h, "reload") })
	case restarts && s.stored == "":
		p.start("restart", ", as it is not known what it was started with", want)
	case restarts && want != s.stored:
		p.start("restart", ", as what it was started with has changed", want)
	case t.State == "started" && s.once() && t.done.ended: // in this run
	case t.State == "started" && !s.active():
		p.start("start", "", want)
	}
}

func (p *planner) add(text string, do func(context.Context, module.Host) error) {
	p.steps = append(p.steps, module.NewStep(text, do))
}

// change adds a systemctl command that changes the service, and begins with a verb.
func (p *planner) change(command ...string) {
	p.add(command[0]+" "+p.task.unit(), func(ctx context.Context, h module.Host) error {
		if err := p.mark(ctx, h); err != nil {
			return err
		}
		return systemctl(ctx, h, p.task.unit(), command...)
	})
}

// start adds a start or restart. The fingerprint of a start is stored before it: systemd
// continues the start if the run is killed, and only the fingerprint records what it began
// with. The fingerprint of a restart is stored after it, because until then the service
// runs with the earlier files.
func (p *planner) start(verb, why, fingerprint string) {
	p.add(verb+" "+p.task.unit()+why, func(ctx context.Context, h module.Host) error {
		if verb == "start" {
			if err := p.mark(ctx, h); err != nil {
				return err
			}
			if err := p.task.store(ctx, h, fingerprint); err != nil {
				return err
			}
		}
		if err := p.task.start(ctx, h, verb); err != nil || verb == "start" {
			return err
		}
		return p.task.store(ctx, h, fingerprint)
	})
}

// mark records the former state of a distribution's service. A unit that kinit made
// already has a mark.
func (p *planner) mark(ctx context.Context, h module.Host) error {
	if p.task.Unit != nil {
		return nil
	}
	return ownership.Keep(ctx, h, "service", p.task.unit(), p.state.prior())
}
