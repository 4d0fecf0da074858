package report

import (
	"cmp"
	"slices"
	"strconv"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
	"kinit/engine/lists"
)

// scene is one drawing of the graph: nodes in layers, from left to right.
type scene struct {
	Title string   `json:"title"`
	Nodes []node   `json:"nodes"`
	Edges [][2]int `json:"edges"` // a node, and one that waits for it
}

// node stands for one task or for several.
type node struct {
	Label  string `json:"v"`
	Layer  int    `json:"x"`
	Row    int    `json:"y"`
	Tasks  []int  `json:"tasks"`
	Status string `json:"s"`            // the worst of its tasks
	Scene  int    `json:"go,omitempty"` // the scene that shows it in detail, 0 without one
}

// The most nodes that a scene shows before tasks are drawn together.
const (
	mostInWhole = 60  // all tasks in one scene
	mostInStage = 150 // the tasks of a stage
)

// scenes are the drawings of a run's graph: all of it when it is small, else the
// stages, and the tasks of each.
func scenes(r *replay.Run) []scene {
	all := indices(r, func(*replay.Task) bool { return true })
	if len(all) == 0 {
		return []scene{}
	}
	if len(all) <= mostInWhole {
		return []scene{taskScene(r, "All tasks", all, true)}
	}
	names := stageNames(r)
	out := []scene{stageScene(r, names)}
	for i, name := range names {
		in := indices(r, func(t *replay.Task) bool { return part(t) == name })
		out[0].Nodes[i].Scene = len(out)
		if len(in) > mostInStage {
			out = append(out, blockScene(r, title(name), in))
			continue
		}
		out = append(out, taskScene(r, title(name), in, false))
	}
	return out
}

func indices(r *replay.Run, in func(*replay.Task) bool) []int {
	var out []int
	for _, t := range r.Tasks {
		if in(t) {
			out = append(out, t.Index)
		}
	}
	return out
}

// part is the stage of a task, or the section where that is done after all stages.
func part(t *replay.Task) string {
	if t.Section != event.Main {
		return string(t.Section)
	}
	return t.Stage
}

func title(name string) string { return cmp.Or(view.Clean(name), "without a stage") }

func stageNames(r *replay.Run) []string {
	names := lists.Map(r.Plan.Stages, func(s event.Stage) string { return s.Name })
	for _, t := range r.Tasks {
		if name := part(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(r.Tasks, func(t *replay.Task) bool { return part(t) == name })
	})
}

// stageScene draws a node a stage. A stage without tasks is looked through.
func stageScene(r *replay.Run, names []string) scene {
	s := scene{Title: "Stages"}
	at, after := map[string]int{}, map[string][]string{}
	for i, name := range names {
		at[name] = i
		in := indices(r, func(t *replay.Task) bool { return part(t) == name })
		s.Nodes = append(s.Nodes, node{Label: title(name) + " (" + strconv.Itoa(len(in)) + ")", Tasks: in, Status: worst(r, in)})
	}
	for _, stage := range r.Plan.Stages {
		after[stage.Name] = stage.After
	}
	for i, name := range names {
		for _, before := range shown(name, after, at, map[string]bool{}) {
			s.Edges = append(s.Edges, [2]int{before, i})
		}
	}
	s.arrange()
	return s
}

// shown lists the nodes of the stages before one.
func shown(name string, after map[string][]string, at map[string]int, seen map[string]bool) []int {
	var out []int
	for _, before := range after[name] {
		if seen[before] {
			continue
		}
		seen[before] = true
		if i, ok := at[before]; ok {
			out = append(out, i)
			continue
		}
		out = append(out, shown(before, after, at, seen)...)
	}
	return out
}

// taskScene draws a node a task. With stages, what comes after a stage is drawn to
// the right of it.
func taskScene(r *replay.Run, title string, in []int, stages bool) scene {
	s := scene{Title: title}
	at := map[int]int{}
	for i, n := range in {
		at[n] = i
		s.Nodes = append(s.Nodes, node{Label: view.Clean(r.Tasks[n].Address), Tasks: []int{n}, Status: worst(r, in[i:i+1])})
	}
	for i, n := range in {
		for need := range r.Plan.Waits(r.Tasks[n].Task) {
			if from, ok := at[need]; ok {
				s.Edges = append(s.Edges, [2]int{from, i})
			}
		}
	}
	if stages {
		s.Edges = append(s.Edges, betweenStages(r, in)...)
	}
	s.arrange()
	return s
}

// betweenStages are edges from the tasks of a stage on which no other of it waits,
// to those of the next stages that wait for none of their own.
func betweenStages(r *replay.Run, in []int) [][2]int {
	first, last := map[string][]int{}, map[string][]int{}
	waited := map[int]bool{}
	for _, n := range in {
		waits := false
		for need := range r.Plan.Waits(r.Tasks[n].Task) {
			if part(r.Tasks[need]) == part(r.Tasks[n]) {
				waited[need], waits = true, true
			}
		}
		if !waits {
			first[part(r.Tasks[n])] = append(first[part(r.Tasks[n])], n)
		}
	}
	for _, n := range in {
		if !waited[n] {
			last[part(r.Tasks[n])] = append(last[part(r.Tasks[n])], n)
		}
	}
	var out [][2]int
	for _, stage := range r.Plan.Stages {
		for _, before := range stage.After {
			for _, to := range first[stage.Name] {
				for _, from := range last[before] {
					out = append(out, [2]int{slices.Index(in, from), slices.Index(in, to)})
				}
			}
		}
	}
	return out
}

// blockScene draws a node a task block, for stages with very many tasks.
func blockScene(r *replay.Run, title string, in []int) scene {
	s := scene{Title: title}
	at := map[int]int{}
	for _, n := range in {
		b := r.Tasks[n].Block
		if _, ok := at[b]; !ok {
			at[b] = len(s.Nodes)
			s.Nodes = append(s.Nodes, node{Label: event.WithoutKeys(view.Clean(r.Tasks[n].Address))})
		}
		one := &s.Nodes[at[b]]
		one.Tasks = append(one.Tasks, n)
	}
	known := map[[2]int]bool{}
	for _, n := range in {
		for need := range r.Plan.Waits(r.Tasks[n].Task) {
			from, ok := at[r.Tasks[need].Block]
			edge := [2]int{from, at[r.Tasks[n].Block]}
			if ok && part(r.Tasks[need]) == part(r.Tasks[n]) && edge[0] != edge[1] && !known[edge] {
				known[edge] = true
				s.Edges = append(s.Edges, edge)
			}
		}
	}
	for i := range s.Nodes {
		one := &s.Nodes[i]
		one.Label += " (" + strconv.Itoa(len(one.Tasks)) + ")"
		one.Status = worst(r, one.Tasks)
	}
	s.arrange()
	return s
}

// worst is the status that a node of several tasks shows.
func worst(r *replay.Run, tasks []int) string {
	order := []string{"failed", "unreachable", "unfinished", "changed", "ok", "skipped", "planned"}
	best := len(order) - 1
	for _, n := range tasks {
		best = min(best, max(0, slices.Index(order, status(r.Tasks[n]))))
	}
	return order[best]
}
