// Package selection removes the tasks from a graph that a run does not do.
package selection

import (
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/plan/dag"
	"kinit/engine/internal/spec"
)

// Flags selects the tasks of a run.
type Flags struct {
	StopAfter string   // the last stage
	StartAt   string   // the first stage; earlier tasks are left out unless their values are needed
	Only      []string // stages, names or addresses of tasks; with the tasks whose values they read
	Skip      []string // stages, names or addresses of tasks to leave out
	Tags      []string // tasks with one of these tags, and those with "always"; empty means all but those with "never"
	SkipTags  []string // tasks with one of these tags are left out
	Limit     []string // patterns of hosts; tasks on others are left out, except needed tasks of the local machine
}

// selector is the state of one Apply. No other package sees it.
type selector struct {
	*dag.Graph
	diag.Collector
	flags Flags
}

// tagged returns a function that reports whether tags choose a task, and why tasks are left
// out: the end of a sentence about the task, by its address. Handlers have no tags: a task that
// notifies them decides.
func (s *selector) tagged(only, skip map[string]bool) (chosen func(*dag.Task) bool, out map[string]string) {
	s.checkTags("--tags", s.flags.Tags)
	s.checkTags("--skip-tags", s.flags.SkipTags)
	out = map[string]string{}
	for _, t := range s.All {
		tags := t.Block.Spec.Tags
		switch {
		case skip[t.Address]:
			out[t.Address] = "--skip leaves out. Skip both or neither."
		case t.Handler:
		case s.skips(tags):
			out[t.Address] = "--skip-tags leaves out. Leave out both or neither."
		case slices.Contains(tags, spec.TagNever) && !names(s.flags.Tags, tags) && !only[t.Address]:
			out[t.Address] = "has the tag never and is left out. Choose it by --tags, or give both the same tags."
		}
	}
	return func(t *dag.Task) bool { return t.Handler || s.chooses(t.Block.Spec.Tags) }, out
}

// chooses reports whether --tags chooses a task with some tags.
func (s *selector) chooses(tags []string) bool {
	return len(s.flags.Tags) == 0 || slices.Contains(tags, spec.TagAlways) || names(s.flags.Tags, tags) ||
		slices.ContainsFunc(s.flags.Tags, func(word string) bool {
			return word == spec.AllTags || word == spec.Tagged && len(tags) > 0 || word == spec.Untagged && len(tags) == 0
		})
}

// skips reports whether --skip-tags leaves a task with some tags out.
func (s *selector) skips(tags []string) bool {
	return names(s.flags.SkipTags, tags) || slices.ContainsFunc(s.flags.SkipTags, func(word string) bool {
		return word == spec.AllTags && !slices.Contains(tags, spec.TagAlways) || word == spec.Tagged && len(tags) > 0 || word == spec.Untagged && len(tags) == 0
	})
}

func names(list, tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(list, tag) })
}

// checkTags reports the words of an option that are no tags of a task.
func (s *selector) checkTags(option string, words []string) {
	known := []string{spec.AllTags, spec.Tagged, spec.Untagged, spec.TagAlways, spec.TagNever}
	var all []string
	for _, block := range s.Refs.Blocks {
		for _, tag := range block.Spec.Tags {
			if !slices.Contains([]string{spec.TagAlways, spec.TagNever}, tag) {
				all = append(all, tag)
			}
		}
	}
	slices.Sort(all)
	tags := slices.Compact(all)
	for _, word := range words {
		if slices.Contains(known, word) || slices.Contains(tags, word) {
			continue
		}
		advice := diag.Near(word, tags)
		switch {
		case len(tags) == 0:
			advice = " No task has a tag."
		case advice == "":
			advice = " There are " + strings.Join(tags, ", ") + "."
		}
		s.Tell(diag.Errorf(nil, "Unknown tag", "%s names %q, which no task has as a tag.%s", option, word, advice))
	}
}
