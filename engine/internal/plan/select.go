package plan

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
)

// selectTasks leaves those tasks in the plan that the selection means. The graph
// keeps all keys, so that the order of the others does not change.
func (b *builder) selectTasks() {
	s := b.in.Selection
	b.checkStage("--stop-after", s.StopAfter)
	b.checkStage("--start-at", s.StartAt)
	only, skip := b.matching("--only", s.Only), b.matching("--skip", s.Skip)
	limit := b.limited()
	if b.diags.HasErrors() {
		return
	}
	inRange := b.stageRange()
	left := func(t *Task) bool { return skip[t.Address] || limit != nil && !limit[t.Host] }
	wanted := func(t *Task) bool { return (only == nil || only[t.Address]) && !left(t) }
	chosen := map[string]bool{}
	for _, t := range b.plan.Main.Tasks {
		if !t.Handler && wanted(t) && inRange[t.Address] {
			chosen[t.Address] = true
		}
	}
	for before := -1; before < len(chosen); {
		before = len(chosen)
		b.addNeeded(chosen, skip, limit)
		addNotified(b.plan.Main.Tasks, chosen, left)
	}
	b.plan.Main.keep(func(t *Task) bool { return chosen[t.Address] })
	for _, s := range []*Section{&b.plan.OnFailure, &b.plan.Always} {
		final := map[string]bool{}
		for _, t := range s.Tasks {
			final[t.Address] = !t.Handler && wanted(t) && (t.Stage == "" || inRange[stageEnd(t.Stage)])
		}
		addNotified(s.Tasks, final, left)
		s.keep(func(t *Task) bool { return final[t.Address] })
	}
}

// addNotified adds the handlers that chosen tasks notify, and those that these
// notify.
func addNotified(tasks []*Task, chosen map[string]bool, left func(*Task) bool) {
	for added := true; added; {
		added = false
		for _, t := range tasks {
			if !t.Handler || chosen[t.Address] || left(t) {
				continue
			}
			for _, by := range t.Watches {
				chosen[t.Address] = chosen[t.Address] || chosen[by.Address]
			}
			added = added || chosen[t.Address]
		}
	}
}

// keep leaves the tasks in the section that are chosen.
func (s *Section) keep(chosen func(t *Task) bool) {
	s.Tasks = slices.DeleteFunc(s.Tasks, func(t *Task) bool { return !chosen(t) })
	s.index()
}

func (b *builder) checkStage(option, stage string) {
	if stage == "" || slices.Contains(b.plan.Stages, stage) {
		return
	}
	b.diags = append(b.diags, diag.Errorf(nil, "Unknown stage", "%s names the stage %q, which the playbook does not have.%s", option, stage, diag.Near(stage, b.plan.Stages))...)
}

// stageRange is the keys of the main graph from the first stage to the last.
func (b *builder) stageRange() map[string]bool {
	s, g := b.in.Selection, b.plan.Main.Graph
	in := map[string]bool{}
	if s.StopAfter != "" {
		in = g.Closure(stageEnd(s.StopAfter))
	} else {
		for _, key := range g.Keys() {
			in[key] = true
		}
	}
	if s.StartAt != "" {
		begin := stageBegin(s.StartAt)
		for key := range g.Closure(begin) {
			if key != begin {
				delete(in, key)
			}
		}
	}
	return in
}

// matching is the addresses of the tasks that patterns mean, or nil without a pattern.
func (b *builder) matching(option string, patterns []string) map[string]bool {
	if len(patterns) == 0 {
		return nil
	}
	found := map[string]bool{}
	for _, pattern := range patterns {
		any := slices.Contains(b.plan.Stages, pattern)
		for _, block := range b.blocks.order {
			for _, t := range block.instances {
				if t.matches(pattern) {
					found[t.Address] = true
					any = true
				}
			}
			any = any || block.matches(pattern)
		}
		if !any {
			b.diags = append(b.diags, diag.Errorf(nil, "Nothing selected", "%s names %q, which is no stage, no import, no name and no address of a task.%s",
				option, pattern, diag.Near(pattern, b.selectable()))...)
		}
	}
	return found
}

// matches tells whether a pattern means all tasks of a block.
func (b *block) matches(pattern string) bool {
	s := b.spec
	return pattern == s.Name || pattern == s.Module+"."+s.Name || pattern == s.Address() || s.In.Named(pattern)
}

func (t *Task) matches(pattern string) bool {
	return pattern == t.Address || t.Stage != "" && pattern == t.Stage || t.block.matches(pattern)
}

// selectable lists what a mistyped pattern may have meant.
func (b *builder) selectable() []string {
	all := slices.Clone(b.plan.Stages)
	for _, names := range b.in.Spec.Namespaces()[1:] {
		all = append(all, names.Path())
	}
	for _, block := range b.blocks.order {
		all = append(all, block.spec.Name, block.spec.Address())
	}
	return all
}

// limited is the hosts that tasks may be on, or nil when they may be on all.
func (b *builder) limited() map[string]bool {
	if len(b.in.Selection.Limit) == 0 {
		return nil
	}
	limit, diags := b.hosts.inventory.Limit(b.in.Selection.Limit, b.hosts.names())
	b.diags = append(b.diags, diags...)
	maps.Copy(b.plan.Sources, b.hosts.inventory.Sources)
	return limit
}

// addNeeded adds the tasks whose values the chosen ones read, and tells of those
// that are to be skipped, or are on a machine that no task may be on.
func (b *builder) addNeeded(chosen, skip, limit map[string]bool) {
	todo := slices.Clone(b.plan.Main.Tasks)
	todo = slices.DeleteFunc(todo, func(t *Task) bool { return !chosen[t.Address] })
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		if t.Skip != "" {
			continue
		}
		for _, address := range t.Needs {
			need := b.blocks.tasks[address]
			if chosen[address] || need.final() {
				continue
			}
			if skip[address] {
				b.errorf(b.where(t, need), "Skipped task is needed", "%s reads values of %s, which --skip leaves out. Skip both or neither.", t.Address, address)
				continue
			}
			if limit != nil && !limit[need.Host] && need.Host != inventory.Localhost {
				b.errorf(b.where(t, need), "Task on a host left out", "%s reads values of %s, which is on %s, and --limit leaves that host out. Add it to --limit.", t.Address, address, need.Host)
				continue
			}
			chosen[address] = true
			todo = append(todo, need)
		}
	}
}

// where is the place at which a task needs another.
func (b *builder) where(t, need *Task) hcl.Range {
	if at := t.reads.at(need); at.Filename != "" {
		return at
	}
	return t.Range
}
