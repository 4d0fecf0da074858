package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/lists"
)

// Fold is how much of a plan becomes one box.
type Fold string

// The ways to fold. Auto takes the first of the others by which the picture has few
// enough boxes to be read.
const (
	Auto   Fold = "auto"
	Tasks  Fold = "tasks"  // a box for each instance of a task
	Blocks Fold = "blocks" // a box for each task block
	Stages Fold = "stages" // a box for each stage
)

// How many boxes a picture may have before Auto folds more.
const (
	mostTasks  = 60
	mostBlocks = 150
)

// unnamed is the box of tasks without a stage, where stages are boxes.
const unnamed = "without a stage"

// New makes the picture of a plan.
func New(title string, g *engine.Graph, fold Fold) *Picture {
	if fold == Auto {
		fold = automatic(g)
	}
	f := &folder{graph: g, fold: fold, picture: &Picture{Title: title}, group: map[string]int{}, box: map[string]int{}}
	f.groups()
	f.boxes()
	f.arrows()
	return f.picture
}

func automatic(g *engine.Graph) Fold {
	blocks := map[string]bool{}
	for _, t := range g.Tasks {
		blocks[t.Block] = true
	}
	switch {
	case len(g.Tasks) <= mostTasks:
		return Tasks
	case len(blocks) <= mostBlocks:
		return Blocks
	}
	return Stages
}

// folder is the state of one New.
type folder struct {
	graph   *engine.Graph
	fold    Fold
	picture *Picture
	group   map[string]int // by name
	box     map[string]int // by the key of its tasks
	tasks   [][]engine.GraphTask
}

// groups makes a group of each stage that has tasks, and puts those that have none
// between their neighbours.
func (f *folder) groups() {
	for _, t := range f.graph.Tasks {
		if name := groupOf(t); t.Stage == "" || t.Section != engine.Main {
			f.addGroup(name)
		}
	}
	used := map[string]bool{}
	for _, t := range f.graph.Tasks {
		used[groupOf(t)] = true
	}
	before := map[string][]string{} // the nearest stages with tasks
	for _, s := range f.graph.Stages {
		var nearest []string
		for _, name := range s.After {
			if used[name] {
				nearest = append(nearest, name)
			} else {
				nearest = append(nearest, before[name]...)
			}
		}
		before[s.Name] = nearest
		if !used[s.Name] {
			continue
		}
		to := f.addGroup(s.Name)
		for _, name := range compact(nearest) {
			f.picture.Order = append(f.picture.Order, Arrow{From: f.group[name], To: to})
		}
	}
	f.picture.Order = Reduced(len(f.picture.Groups), f.picture.Order)
}

func compact(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func groupOf(t engine.GraphTask) string {
	if t.Section != engine.Main {
		return string(t.Section)
	}
	return t.Stage
}

func (f *folder) addGroup(name string) int {
	if i, ok := f.group[name]; ok {
		return i
	}
	i := len(f.picture.Groups)
	f.group[name] = i
	f.picture.Groups = append(f.picture.Groups, Group{Name: name})
	return i
}

// key is what the tasks of one box have in common.
func (f *folder) key(t engine.GraphTask) string {
	switch f.fold {
	case Blocks:
		return groupOf(t) + " " + t.Block
	case Stages:
		return groupOf(t)
	}
	return t.Address
}

func (f *folder) boxes() {
	for _, t := range f.graph.Tasks {
		key := f.key(t)
		i, ok := f.box[key]
		if !ok {
			i = len(f.tasks)
			f.box[key] = i
			f.tasks = append(f.tasks, nil)
		}
		f.tasks[i] = append(f.tasks[i], t)
	}
	for _, tasks := range f.tasks {
		f.picture.Boxes = append(f.picture.Boxes, f.boxOf(tasks))
	}
}

func (f *folder) boxOf(tasks []engine.GraphTask) Box {
	first := tasks[0]
	b := Box{Label: shortAddress(first.Address), Note: first.Host, Group: f.group[groupOf(first)]}
	b.Faint = !slices.ContainsFunc(tasks, func(t engine.GraphTask) bool { return t.Skip == "" })
	switch f.fold {
	case Tasks:
		if first.Skip != "" {
			b.Note += ", skipped: " + first.Skip
		}
	case Blocks:
		b.Label = shortAddress(first.Block)
		if len(tasks) > 1 {
			b.Label += fmt.Sprintf(" x%d", len(tasks))
			b.Note = where(tasks)
		}
	case Stages:
		b.Label = cmp.Or(groupOf(first), unnamed)
		b.Note = view.Count(len(tasks), "task") + ", " + where(tasks)
	}
	b.Tip = tip(tasks)
	return b
}

// shortAddress leaves out what all addresses begin with.
func shortAddress(address string) string { return strings.TrimPrefix(address, "task.") }

// where is the host of tasks, or how many there are.
func where(tasks []engine.GraphTask) string {
	hosts := lists.Map(tasks, func(t engine.GraphTask) string { return t.Host })
	hosts = compact(hosts)
	if len(hosts) == 1 {
		return hosts[0]
	}
	return view.Count(len(hosts), "host")
}

// mostTip is how many tasks a tip lists.
const mostTip = 20

func tip(tasks []engine.GraphTask) string {
	var lines []string
	for i, t := range tasks {
		if i == mostTip {
			lines = append(lines, fmt.Sprintf("and %d more", len(tasks)-i))
			break
		}
		line := t.Address + " on " + t.Host
		if t.Skip != "" {
			line += ", skipped: " + t.Skip
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// arrows connects the boxes, once each, without what follows from other arrows.
func (f *folder) arrows() {
	at := map[string]int{}
	for i, tasks := range f.tasks {
		for _, t := range tasks {
			at[t.Address] = i
		}
	}
	all := f.between(at)
	if f.fold == Stages {
		for _, order := range f.picture.Order {
			all = append(all, Arrow{From: f.picture.first(order.From), To: f.picture.first(order.To)})
		}
		// All boxes stand side by side: they are the groups themselves.
		f.picture.Groups, f.picture.Order = []Group{{}}, nil
		for i := range f.picture.Boxes {
			f.picture.Boxes[i].Group = 0
		}
	}
	all = Reduced(len(f.tasks), all)
	follows := reach(len(f.picture.Groups), f.picture.Order)
	for i, a := range all {
		all[i].Faint = follows[f.picture.Boxes[a.From].Group].has(f.picture.Boxes[a.To].Group)
	}
	f.picture.Arrows = all
}

// between lists the arrows between boxes, each once; at is the box of each task.
func (f *folder) between(at map[string]int) []Arrow {
	sets := make([][]int, len(f.graph.Sets)) // the boxes of each
	for i, set := range f.graph.Sets {
		sets[i] = boxesOf(set, at)
	}
	known := map[Arrow]bool{}
	var all []Arrow
	for _, t := range f.graph.Tasks {
		to := at[t.Address]
		from := boxesOf(t.Needs, at)
		for _, i := range t.Sets {
			from = append(from, sets[i]...)
		}
		for _, box := range from {
			if a := (Arrow{From: box, To: to}); box != to && !known[a] {
				known[a] = true
				all = append(all, a)
			}
		}
	}
	return all
}

// boxesOf lists the boxes that tasks are in, each once.
func boxesOf(addresses []string, at map[string]int) []int {
	var all []int
	seen := map[int]bool{}
	for _, address := range addresses {
		if box, ok := at[address]; ok && !seen[box] {
			seen[box] = true
			all = append(all, box)
		}
	}
	return all
}
