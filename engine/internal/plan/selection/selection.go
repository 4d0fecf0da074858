package selection

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/dag"
	"kinit/engine/internal/plan/refs"
)

// Apply returns the graph with the tasks that the flags select. Its sections keep all keys,
// so that the order of the others does not change.
func Apply(g *dag.Graph, flags Flags) (*dag.Graph, diag.List) {
	s := &selector{Graph: g, flags: flags}
	s.checkStage("--stop-after", flags.StopAfter)
	s.checkStage("--start-at", flags.StartAt)
	only, skip := s.matching("--only", flags.Only), s.matching("--skip", flags.Skip)
	limit := s.limited()
	tagged, out := s.tagged(only, skip)
	if s.Diags.HasErrors() {
		return g, s.Diags
	}
	inRange := s.stageRange()
	left := func(t *dag.Task) bool { return out[t.Address] != "" || limit != nil && !limit[t.Host] }
	wanted := func(t *dag.Task) bool { return (only == nil || only[t.Address]) && tagged(t) && !left(t) }
	chosen := map[string]bool{}
	for _, t := range g.Main.Tasks {
		if !t.Handler && wanted(t) && inRange[dag.TaskKey(t.Address)] {
			chosen[t.Address] = true
		}
	}
	for before := -1; before < len(chosen); {
		before = len(chosen)
		s.addNeeded(chosen, out, limit)
		addNotified(g.Main.Tasks, chosen, left)
	}
	final := func(tasks []*dag.Task) []*dag.Task {
		chosen := map[string]bool{}
		for _, t := range tasks {
			chosen[t.Address] = !t.Handler && wanted(t) && (t.Stage == "" || inRange[dag.StageEnd(t.Stage)])
		}
		addNotified(tasks, chosen, left)
		return keep(tasks, chosen)
	}
	return g.With(keep(g.Main.Tasks, chosen), final(g.OnFailure.Tasks), final(g.Always.Tasks)), s.Diags
}

// addNotified adds the handlers that chosen tasks notify, and those that these
// notify.
func addNotified(tasks []*dag.Task, chosen map[string]bool, left func(*dag.Task) bool) {
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

func keep(tasks []*dag.Task, chosen map[string]bool) []*dag.Task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *dag.Task) bool { return !chosen[t.Address] })
}

func (s *selector) checkStage(option, stage string) {
	if stage == "" || slices.Contains(s.Stages, stage) {
		return
	}
	s.Tell(diag.Errorf(nil, "Unknown stage", "%s names the stage %q, which the playbook does not have.%s", option, stage, diag.Near(stage, s.Stages)))
}

// stageRange returns the keys of the main graph from the first stage to the last.
func (s *selector) stageRange() map[dag.Key]bool {
	flags, g := s.flags, s.Main.Graph
	in := map[dag.Key]bool{}
	if flags.StopAfter != "" {
		in = g.Closure(dag.StageEnd(flags.StopAfter))
	} else {
		for _, key := range g.Keys() {
			in[key] = true
		}
	}
	if flags.StartAt != "" {
		begin := dag.StageBegin(flags.StartAt)
		for key := range g.Closure(begin) {
			if key != begin {
				delete(in, key)
			}
		}
	}
	return in
}

// matching returns the addresses of the tasks that match patterns, or nil without a
// pattern.
func (s *selector) matching(option string, patterns []string) map[string]bool {
	if len(patterns) == 0 {
		return nil
	}
	found := map[string]bool{}
	for _, pattern := range patterns {
		any := slices.Contains(s.Stages, pattern)
		for _, t := range s.All {
			if t.Stage != "" && pattern == t.Stage || pattern == t.Address || matches(t.Block, pattern) {
				found[t.Address] = true
				any = true
			}
		}
		any = any || slices.ContainsFunc(s.Refs.Blocks, func(b *refs.Block) bool { return matches(b, pattern) })
		if !any {
			s.Tell(diag.Errorf(nil, "Nothing selected", "%s names %q, which is no stage, no import, no name and no address of a task.%s",
				option, pattern, diag.Near(pattern, s.selectable())))
		}
	}
	return found
}

// matches reports whether a pattern matches all tasks of a block.
func matches(b *refs.Block, pattern string) bool {
	s := b.Spec
	return pattern == s.Name || pattern == s.Module+"."+s.Name || pattern == s.Address() || pattern == s.PlainAddress() || s.In.Named(pattern)
}

// selectable lists suggestions for a mistyped pattern.
func (s *selector) selectable() []string {
	all := slices.Clone(s.Stages)
	for _, names := range s.Refs.Set.Spec.Namespaces()[1:] {
		all = append(all, names.Path())
	}
	for _, block := range s.Refs.Blocks {
		all = append(all, block.Spec.Name, block.Spec.Address())
	}
	return all
}

// limited returns the hosts that tasks may be on, or nil if all are allowed.
func (s *selector) limited() map[string]bool {
	if len(s.flags.Limit) == 0 {
		return nil
	}
	hosts := s.Refs.Set.Hosts
	limit, diags := hosts.Inventory.Limit(s.flags.Limit, hosts.Names())
	s.Tell(diags)
	if !diags.HasErrors() {
		s.Tell(s.none(limit))
	}
	return limit
}

// none reports a limit that leaves no host on which the playbook has tasks.
func (s *selector) none(limit map[string]bool) diag.List {
	var on []string
	for _, t := range s.All {
		if limit[t.Host] {
			return nil
		}
		if t.Host != "" {
			on = append(on, t.Host)
		}
	}
	if len(on) == 0 {
		return nil
	}
	slices.Sort(on)
	return diag.Errorf(nil, "No host left", "--limit means %s, and the run has no task there. Its hosts are %s; name hosts of the inventory with --hosts to run the tasks on them.",
		diag.Listed(slices.Sorted(maps.Keys(limit))), diag.Listed(slices.Compact(on)))
}

// addNeeded adds the tasks whose values the chosen ones read, and reports those that are
// skipped, or are on a machine outside of the limit.
func (s *selector) addNeeded(chosen map[string]bool, out map[string]string, limit map[string]bool) {
	byAddress := map[string]*dag.Task{}
	for _, t := range s.All {
		byAddress[t.Address] = t
	}
	todo := keep(s.Main.Tasks, chosen)
	for len(todo) > 0 {
		t := todo[0]
		todo = todo[1:]
		if t.Skip != "" {
			continue
		}
		for _, address := range t.Needs {
			need := byAddress[address]
			if chosen[address] || need.Final() {
				continue
			}
			if out[address] != "" && t.Args.AskOnly(need.Task) {
				continue // it neither changes anything nor fails
			}
			if why := out[address]; why != "" {
				s.Errorf(where(t, need), "Skipped task is needed", "%s reads values of %s, which "+why, t.Address, address)
				continue
			}
			if limit != nil && !limit[need.Host] && need.Host != inventory.Localhost {
				s.Errorf(where(t, need), "Task on a host left out", "%s reads values of %s, which is on %s, and --limit leaves that host out. Add it to --limit.", t.Address, address, need.Host)
				continue
			}
			chosen[address] = true
			todo = append(todo, need)
		}
	}
}

// where returns the place where a task needs another.
func where(t, need *dag.Task) hcl.Range {
	if at := t.Args.At(need.Task); at.Filename != "" {
		return at
	}
	return t.Range
}
