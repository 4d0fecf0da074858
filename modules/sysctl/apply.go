package sysctl

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.decideAbsent(h, s), nil
	}
	return t.decide(h, s), nil
}

// decide compares without reading the host. A parameter that the kernel does
// not have yet may come with a module that an earlier task loads.
func (t *Task) decide(h module.Host, s state) []module.Step {
	var steps []module.Step
	if !s.known || !t.holds(s) {
		want := normal(t.Value)
		text := fmt.Sprintf("set %s to %s", t.Name, want)
		if s.known {
			text += ", was " + s.value
		}
		steps = append(steps, module.NewStep(text, t.set))
	}
	// A parameter that is high enough without kinit needs no file.
	byItself := t.Least && s.kept == "" && !s.marked && !s.shared && len(steps) == 0
	if t.Persistent && s.kept != t.line() && !byItself {
		steps = append(steps, module.NewStep("write "+t.file(h), t.keep))
	}
	return steps
}

func (t *Task) holds(s state) bool {
	if s.value == normal(t.Value) {
		return true
	}
	have, err := strconv.ParseInt(s.value, 10, 64)
	want, _ := strconv.ParseInt(t.Value, 10, 64) // Validate has read it
	return t.Least && err == nil && have >= want
}

// set marks the parameter with its current value, and changes it.
func (t *Task) set(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if !s.known {
		return fmt.Errorf("the kernel has no parameter %s: is the module loaded that brings it?", t.Name)
	}
	if t.holds(s) {
		return nil
	}
	if err := h.Own(ctx, module.Mark{Kind: "sysctl", ID: t.Name, Prior: s.value}); err != nil {
		return err
	}
	return write(ctx, h, t.Name, normal(t.Value))
}

// write changes the value. Files below /proc cannot be replaced as Files.Write
// does, and not every host has the program sysctl.
func write(ctx context.Context, h module.Host, name, value string) error {
	_, err := h.Run(ctx, module.Command{Argv: []string{"tee", "--", procPath(name)}, Stdin: strings.NewReader(value + "\n")})
	if err != nil {
		return fmt.Errorf("set %s to %s: %w", name, value, err)
	}
	return nil
}

func (t *Task) keep(ctx context.Context, h module.Host) error {
	file := t.file(h)
	if err := h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: file, Sums: hostfile.Sum(t.line())}); err != nil {
		return err
	}
	if err := h.Files().Mkdir(ctx, path.Dir(file), module.Attr{}); err != nil {
		return err
	}
	return h.Files().Write(ctx, file, strings.NewReader(t.line()), module.Attr{Mode: 0o644})
}

func (t *Task) decideAbsent(h module.Host, s state) []module.Step {
	var steps []module.Step
	if s.kept != "" {
		steps = append(steps, module.NewStep("remove "+t.file(h), func(ctx context.Context, h module.Host) error {
			return hostfile.Drop(ctx, h, t.file(h))
		}))
	}
	switch {
	case s.marked && (s.shared || !s.known || s.value == s.mark.Prior):
		steps = append(steps, module.NewStep("release "+t.Name+", which stays "+s.value, func(ctx context.Context, h module.Host) error {
			return h.Disown(ctx, s.mark)
		}))
	case s.marked:
		text := fmt.Sprintf("set %s back to %s, was %s", t.Name, s.mark.Prior, s.value)
		steps = append(steps, ownership.UndoStep(text, s.mark, undoSysctl)...)
	}
	return steps
}
