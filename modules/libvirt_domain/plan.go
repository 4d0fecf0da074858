package domain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/virt"
)

// state is the part of the host's state that Plan needs.
type state struct {
	exists bool
	domain virt.Domain
	hash   string // of the wanted domain; empty if it should be absent
	logs   bool   // the owner has a mark of the domain's logs
}

// outdated reports whether the persistent definition differs from the wanted one.
func (s state) outdated() bool { return s.domain.Stamp == nil || s.domain.Stamp.Hash != s.hash }

// pending reports whether the domain runs with a definition that differs from the wanted
// one.
func (s state) pending() bool {
	return s.domain.State != virt.Stopped && s.hash != "" &&
		(s.domain.Live == nil || s.domain.Live.Hash != s.hash)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if s.exists && !s.domain.OwnedBy(ownership.Signature(h)) {
		return nil, virt.Foreign(h, s.domain)
	}
	if t.State == "absent" {
		return t.decideAbsent(s), nil
	}
	return t.decide(s)
}

// read reads the host. If libvirt is not installed, there is no domain.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	s, err := t.want()
	if err != nil {
		return state{}, err
	}
	err = t.open.Do(ctx, h, func(c *virt.Conn) error {
		var err error
		s.domain, s.exists, err = c.Find(ctx, t.Name)
		return err
	})
	if err != nil && !errors.Is(err, virt.ErrNotInstalled) {
		return state{}, err
	}
	_, s.logs, err = ownership.Of(ctx, h, t.Name, virt.LogKind)
	return s, err
}

// want starts the state with the hash of the wanted domain.
func (t *Task) want() (state, error) {
	if t.State == "absent" {
		return state{}, nil
	}
	spec, err := t.spec()
	if err != nil {
		return state{}, err
	}
	hash, err := spec.Hash()
	return state{hash: hash}, err
}

// decideAbsent removes the domain, or the rest of an interrupted removal.
func (t *Task) decideAbsent(s state) []module.Step {
	switch {
	case !s.exists && s.logs:
		return module.OneStep("remove the logs of domain "+t.Name, t.remove)
	case !s.exists:
		return nil
	case s.domain.State == virt.Stopped:
		return module.OneStep("undefine domain "+t.Name, t.remove)
	}
	return []module.Step{
		module.NewStep("stop domain "+t.Name, t.powerOff),
		module.NewStep("undefine domain "+t.Name, t.remove),
	}
}

// decide creates or corrects the domain.
func (t *Task) decide(s state) ([]module.Step, error) {
	if s.exists && t.UUID != "" && !strings.EqualFold(t.UUID, s.domain.UUID) {
		return nil, fmt.Errorf("domain %s has the UUID %s, and %s is wanted: remove it first, with state = \"absent\"",
			t.Name, s.domain.UUID, strings.ToLower(t.UUID))
	}
	if !s.exists {
		s.domain.State = virt.Stopped
	}
	var steps []module.Step
	add := func(text string, do func(context.Context, module.Host) error) {
		steps = append(steps, module.NewStep(text, do))
	}
	switch {
	case !s.exists:
		add(fmt.Sprintf("define domain %s: %d vcpus, %s, %s", t.Name, t.VCPUs, t.Memory, t.VirtType), t.define)
	case s.outdated() && s.domain.State != virt.Stopped && t.State == "running" && !t.Restart:
		add("redefine domain "+t.Name+": takes effect at its next start", t.define)
	case s.outdated():
		add("redefine domain "+t.Name, t.define)
	}
	if s.domain.Autostart != t.Autostart {
		add(fmt.Sprintf("set autostart of domain %s to %v", t.Name, t.Autostart), t.setAutostart)
	}
	if text, do := t.power(s); do != nil {
		add(text, do)
	}
	return steps, nil
}

// power returns the step that makes the domain run or stop; nil if there is nothing to do.
func (t *Task) power(s state) (string, func(context.Context, module.Host) error) {
	switch {
	case t.State == "stopped" && s.domain.State != virt.Stopped:
		return "shut down domain " + t.Name, t.shutdown
	case t.State == "stopped":
		return "", nil
	case s.domain.State == virt.Stopped:
		return "start domain " + t.Name, t.start
	case t.Restart && s.pending():
		return "restart domain " + t.Name, t.restart
	case s.domain.State == virt.Paused:
		return "resume domain " + t.Name, t.start
	}
	return "", nil
}
