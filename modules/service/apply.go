package service

import (
	"context"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

func systemctl(ctx context.Context, h module.Host, unit string, verb ...string) error {
	return module.Exec(ctx, h, slices.Concat([]string{"systemctl"}, verb, []string{"--", unit})...)
}

func reload(ctx context.Context, h module.Host) error {
	return module.Exec(ctx, h, "systemctl", "daemon-reload")
}

// writeUnit writes the unit file and makes systemd read it.
func (t *Task) writeUnit(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if s.file == nil || s.ours {
		if err := h.Own(ctx, module.Mark{Kind: "unit", ID: t.unit(), Sums: hostfile.Sum(*t.Unit)}); err != nil {
			return err
		}
	}
	if err := h.Files().Write(ctx, t.path(), strings.NewReader(*t.Unit), module.Attr{Mode: 0o644}); err != nil {
		return err
	}
	return reload(ctx, h)
}

// store records the fingerprint of a start.
func (t *Task) store(ctx context.Context, h module.Host, fingerprint string) error {
	if fingerprint == "" {
		return nil
	}
	file := t.fingerprintPath(h)
	if err := h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: file}); err != nil {
		return err
	}
	// The folder of the manifests; it can be missing on a host without an owner.
	if err := h.Files().Mkdir(ctx, path.Dir(file), module.Attr{}); err != nil {
		return err
	}
	return h.Files().Write(ctx, file, strings.NewReader(fingerprint+"\n"), module.Attr{Mode: 0o600})
}

// decideAbsent removes a unit that kinit made, or restores the former state of a
// distribution's service.
func (t *Task) decideAbsent(h module.Host, s state) ([]module.Step, error) {
	p := &planner{task: t, state: s}
	switch {
	case s.file != nil && !s.ours && s.before == nil:
		return nil, ownership.Foreign(h, t.path(), ownership.Remove)
	case s.file != nil && s.ours:
		p.steps = ownership.UndoStep("remove unit "+t.unit(), module.Mark{Kind: "unit", ID: t.unit()}, UndoUnit)
	case s.before != nil:
		p.steps = ownership.UndoStep("restore "+t.unit()+": "+s.before.words(), s.mark, undoService)
	}
	p.forget()
	return p.steps, nil
}

// PlanForget returns the step that removes the fingerprint of the last start, and leaves the unit
// as it is.
func (t *Task) PlanForget(ctx context.Context, h module.Host) ([]module.Step, error) {
	p := &planner{task: t}
	var err error
	if p.state.stored, err = t.readStored(ctx, h); err != nil {
		return nil, err
	}
	p.forget()
	return p.steps, nil
}

func (p *planner) forget() {
	if p.state.stored == "" {
		return
	}
	p.add("forget what "+p.task.unit()+" was started with", func(ctx context.Context, h module.Host) error {
		return hostfile.Drop(ctx, h, p.task.fingerprintPath(h))
	})
}
