package plan

import (
	"slices"

	"kinit/engine/internal/plan/dag"
)

// Waiting holds what the tasks of a section wait for, without the order of stages. Tasks
// that many others wait for, such as all instances of a block, form a set: otherwise a
// thousand tasks that each wait for a thousand would be a million pairs.
type Waiting struct {
	Sets [][]string // addresses

	section Section
	known   map[Key][]string // the tasks of virtual keys
	index   map[Key]int      // their sets
}

// Waiting returns what the tasks of the section wait for.
func (s Section) Waiting() *Waiting {
	return &Waiting{section: s, known: map[Key][]string{}, index: map[Key]int{}}
}

// Of lists the tasks that a task waits for directly, and the sets it waits for, as indices
// in Sets. For a task that was not selected, it lists what that task waits for.
func (w *Waiting) Of(address string) (tasks []string, sets []int) {
	seen := map[Key]bool{dag.TaskKey(address): true}
	todo := slices.Clone(w.section.Graph.Needs(dag.TaskKey(address)))
	for len(todo) > 0 {
		key := todo[0]
		todo = todo[1:]
		switch {
		case seen[key] || key.Stage:
		case key.Kind == dag.OfTask && w.section.Task(key.Name) != nil:
			tasks = append(tasks, key.Name)
		case key.Kind == dag.OfTask:
			todo = append(todo, w.section.Graph.Needs(key)...)
		default:
			if i := w.set(key); i >= 0 {
				sets = append(sets, i)
			} else {
				for _, member := range w.members(key) {
					todo = append(todo, dag.TaskKey(member))
				}
			}
		}
		seen[key] = true
	}
	slices.Sort(sets)
	return tasks, slices.Compact(sets)
}

// set returns the index of a virtual key's set, or a negative number if the key has one
// task or none.
func (w *Waiting) set(key Key) int {
	if i, ok := w.index[key]; ok {
		return i
	}
	w.index[key] = -1
	if members := w.members(key); len(members) > 1 {
		w.index[key] = len(w.Sets)
		w.Sets = append(w.Sets, members)
	}
	return w.index[key]
}

// members lists the tasks of a virtual key.
func (w *Waiting) members(key Key) []string {
	if all, ok := w.known[key]; ok {
		return all
	}
	var all []string
	seen := map[Key]bool{}
	todo := slices.Clone(w.section.Graph.Needs(key))
	for len(todo) > 0 {
		need := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[need] || need.Stage {
			continue
		}
		seen[need] = true
		if need.Kind == dag.OfTask && w.section.Task(need.Name) != nil {
			all = append(all, need.Name)
			continue
		}
		todo = append(todo, w.section.Graph.Needs(need)...)
	}
	slices.Sort(all)
	w.known[key] = all
	return all
}
