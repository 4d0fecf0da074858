// Package alternatives is the module "alternatives": which of several programs a common name
// stands for.
package alternatives

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// Task is the choice of the program that a common name stands for, as iptables or editor.
//
// It uses update-alternatives, of Debian's and of Red Hat's families. On a host that belongs to a
// cluster, a mark records the earlier choice; cleanup and state = "absent" restore it.
//
// kinit is developed on Debian, and its tests run the program there; what that of Red Hat prints
// is known from its manual alone.
//
// Errors:
//   - path is no alternative of name, and link is missing to make it one
//   - path is no alternative of name, and name has another link
//   - update-alternatives is not installed
type Task struct {
	// Name is the common name, such as "iptables".
	Name string `hcl:"name" nonempty:"want a name such as \"iptables\""`
	// Path is the program that name should stand for. Needed for state = "selected" and
	// state = "present".
	Path string `hcl:"path,optional" path:"clean"`
	// Link is the path of the common name, such as "/usr/sbin/iptables", for a path that is no
	// alternative yet. Default: the link that name has.
	Link string `hcl:"link,optional" path:"clean"`
	// Priority is that of a new alternative: the highest one is what "auto" chooses.
	Priority int `hcl:"priority,optional" default:"50"`
	// State is what should be: "selected" is the choice of path, "present" that path is one of
	// the alternatives, "auto" the choice by priority, and "absent" how it was before
	// kinit: on a host without an owner, that path is no alternative.
	State string `hcl:"state,optional" enum:"selected,present,auto,absent" default:"selected"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "alternatives", Marks: []module.MarkKind{
		module.NewMarkKind(choiceMark, "choice of alternative", undoChoice, module.Restores("alternative")),
		module.NewMarkKind(entryMark, "alternative", undoEntry, module.MarkTraits{Shared: true}),
	}})
}

func (t *Task) Validate() error {
	switch {
	case strings.HasPrefix(t.Name, "-") || strings.ContainsAny(t.Name, "/ \t\n"):
		return fmt.Errorf("name is %q, want a name such as \"iptables\"", t.Name)
	case t.Path == "" && (t.State == "selected" || t.State == "present"):
		return fmt.Errorf("path is empty, want the program that %s should stand for", t.Name)
	case t.Path != "" && t.State == "auto":
		return fmt.Errorf("path is for a choice, want state = \"auto\" without it")
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := read(ctx, h, t.Name)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.planAbsent(ctx, h, s)
	}
	return t.decide(s)
}

// decide needs no host.
func (t *Task) decide(s state) ([]module.Step, error) {
	if t.State == "auto" {
		if s.auto || len(s.priorities) == 0 {
			return nil, nil
		}
		return module.OneStep("choose "+t.Name+" by priority, was "+s.value, func(ctx context.Context, h module.Host) error {
			return t.change(ctx, h, "--auto", t.Name)
		}), nil
	}
	var steps []module.Step
	if _, there := s.priorities[t.Path]; !there {
		switch {
		case t.Link == "" && s.link == "":
			return nil, fmt.Errorf("%s is no alternative of %s, want link, the path of %s, to make it one", t.Path, t.Name, t.Name)
		case t.Link != "" && s.link != "" && t.Link != s.link: // update-alternatives would move it
			return nil, fmt.Errorf("%s has the link %s, want it as link, or no link", t.Name, s.link)
		}
		steps = module.OneStep("make "+t.Path+" an alternative of "+t.Name+", priority "+strconv.Itoa(t.Priority), t.install)
	}
	if t.State == "present" || s.value == t.Path && !s.auto {
		return steps, nil
	}
	text := "choose " + t.Path + " as " + t.Name
	if s.value != "" {
		text += ", was " + s.value
	}
	if s.auto {
		text += " by priority"
	}
	return append(steps, module.NewStep(text, func(ctx context.Context, h module.Host) error {
		return t.change(ctx, h, "--set", t.Name, t.Path)
	})), nil
}

type Outputs struct {
	Path         string   `cty:"path"`         // the program that the name stands for; empty for a name without alternatives
	Auto         bool     `cty:"auto"`         // whether the priorities chose it
	Alternatives []string `cty:"alternatives"` // the programs that the name can stand for, in the order of the alphabet
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := read(ctx, h, t.Name)
	return Outputs{Path: s.value, Auto: s.auto, Alternatives: s.paths()}, err
}
