package firewall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/activefirewall"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/ownership"
)

// record is what a mark keeps of a rule: all that is needed to remove it.
type record struct {
	Firewall string   `json:"firewall"`
	Rule     rule     `json:"rule"`
	Parts    []string `json:"parts"` // those that kinit added
}

func (r record) id() string { return r.Firewall + ": " + r.Rule.String() }

// found is a rule on a host.
type found struct {
	record
	brand  brand
	all    []string // parts of the rule
	gone   []string // those that the host lacks
	mark   module.Mark
	marked bool
}

// Plan asks each active firewall.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	active, err := activefirewall.Of(ctx, h)
	if err != nil {
		return nil, err
	}
	names := active.Names()
	if len(names) == 0 && t.Required {
		return nil, errors.New("no firewall is active: start firewalld, ufw or nftables.service, or set required = false")
	}
	var steps []module.Step
	for _, name := range names {
		f, err := t.find(ctx, h, name, brandOf(name, active.Chains))
		if err != nil {
			return nil, err
		}
		steps = append(steps, t.decide(h, f)...)
	}
	return steps, nil
}

func (t *Task) find(ctx context.Context, h module.Host, name string, b brand) (found, error) {
	var err error
	f := found{record: record{Firewall: name}, brand: b}
	if f.Rule, err = b.resolve(ctx, h, t.rule()); err != nil {
		return f, err
	}
	if f.all, err = b.parts(ctx, h, f.Rule); err != nil {
		return f, err
	}
	if f.mark, f.marked, err = ownership.Of(ctx, h, f.id(), Mark); err != nil {
		return f, err
	}
	f.gone, err = b.missing(ctx, h, f.Rule, f.all, f.marked)
	return f, err
}

// decide compares data alone. Of a rule that should be absent, a cluster's host loses what the
// cluster has added.
func (t *Task) decide(h module.Host, f found) []module.Step {
	switch {
	case t.Absent() && !f.marked && (h.Owner() != "" || len(f.gone) == len(f.all)):
		return nil
	case t.Absent():
		return module.OneStep("remove the rule of "+f.id(), func(ctx context.Context, h module.Host) error { return t.remove(ctx, h, f) })
	case len(f.gone) == 0:
		return nil
	}
	return module.OneStep("add the rule of "+f.id(), func(ctx context.Context, h module.Host) error { return t.add(ctx, h, f) })
}

// add marks the missing parts and then adds them.
func (t *Task) add(ctx context.Context, h module.Host, before found) error {
	f, err := t.find(ctx, h, before.Firewall, before.brand)
	if err != nil || len(f.gone) == 0 {
		return err
	}
	f.Parts = f.gone
	if err := ownership.Keep(ctx, h, Mark, f.id(), f.record); err != nil {
		return err
	}
	return f.brand.add(ctx, h, f.Rule, f.gone)
}

// remove removes the rule, unless another cluster has it too.
func (t *Task) remove(ctx context.Context, h module.Host, before found) error {
	f, err := t.find(ctx, h, before.Firewall, before.brand)
	if err != nil {
		return err
	}
	if !f.marked {
		return f.brand.remove(ctx, h, f.Rule, f.all)
	}
	others, err := manifest.ReadOthers(ctx, h)
	if err != nil {
		return err
	}
	if others.Owner(Mark, f.id()) == "" {
		if err := Undo(ctx, h, f.mark); err != nil {
			return err
		}
	}
	return h.Disown(ctx, f.mark)
}

// Undo removes the parts that a mark records. The firewall may be stopped or gone by now.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	var r record
	if err := json.Unmarshal([]byte(mark.Prior), &r); err != nil {
		return fmt.Errorf("read the rule in its mark: %w", err)
	}
	b := brandOf(r.Firewall, nil)
	if b == nil {
		return fmt.Errorf("the mark is of the firewall %q, want firewalld, ufw or nftables", r.Firewall)
	}
	return b.remove(ctx, h, r.Rule, r.Parts)
}
