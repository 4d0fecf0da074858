package plan

import "slices"

// Waiting says what the tasks of a section wait for, but for what the order of stages
// says. What many tasks wait for alike, such as all instances of a block, is a set, so
// that a thousand tasks that each wait for a thousand are not a million pairs.
type Waiting struct {
	Sets [][]string // addresses

	section Section
	known   map[string][]string // what virtual keys stand for
	index   map[string]int      // their sets
}

// Waiting returns the section's.
func (s Section) Waiting() *Waiting {
	return &Waiting{section: s, known: map[string][]string{}, index: map[string]int{}}
}

// Of lists the tasks that one waits for by itself, and the sets it waits for, as
// indices in Sets. A task that was not selected stands for what it would have waited
// for.
func (w *Waiting) Of(address string) (tasks []string, sets []int) {
	seen := map[string]bool{address: true}
	todo := slices.Clone(w.section.Graph.Needs(address))
	for len(todo) > 0 {
		key := todo[0]
		todo = todo[1:]
		switch {
		case seen[key] || IsStage(key):
		case w.section.Task(key) != nil:
			tasks = append(tasks, key)
		case isTask(key) && !isWhole(key):
			todo = append(todo, w.section.Graph.Needs(key)...)
		default:
			if i := w.set(key); i >= 0 {
				sets = append(sets, i)
			} else {
				todo = append(todo, w.members(key)...)
			}
		}
		seen[key] = true
	}
	slices.Sort(sets)
	return tasks, slices.Compact(sets)
}

// set is the index of the set that a virtual key stands for, below 0 for one of a
// single task or none.
func (w *Waiting) set(key string) int {
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

// members lists the tasks that a virtual key stands for.
func (w *Waiting) members(key string) []string {
	if all, ok := w.known[key]; ok {
		return all
	}
	var all []string
	seen := map[string]bool{}
	todo := slices.Clone(w.section.Graph.Needs(key))
	for len(todo) > 0 {
		need := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[need] || IsStage(need) {
			continue
		}
		seen[need] = true
		if w.section.Task(need) != nil {
			all = append(all, need)
			continue
		}
		todo = append(todo, w.section.Graph.Needs(need)...)
	}
	slices.Sort(all)
	w.known[key] = all
	return all
}
