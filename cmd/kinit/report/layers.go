package report

import (
	"cmp"
	"slices"

	"kinit/cmd/kinit/draw"
	"kinit/engine/lists"
)

// sweeps is how often the rows are put in order; more changes little.
const sweeps = 6

// arrange leaves out edges that others imply, puts each node in the layer after the
// last one it waits for, and orders the rows of layers so that few edges cross.
func (s *scene) arrange() {
	if s.Nodes == nil {
		s.Nodes = []node{}
	}
	s.reduce()
	needs, users := make([][]int, len(s.Nodes)), make([][]int, len(s.Nodes))
	for _, e := range s.Edges {
		needs[e[1]], users[e[0]] = append(needs[e[1]], e[0]), append(users[e[0]], e[1])
	}
	layers := s.layers(needs, users)
	for range sweeps {
		for _, l := range layers {
			s.order(l, needs)
		}
		for _, l := range slices.Backward(layers) {
			s.order(l, users)
		}
	}
	for _, l := range layers {
		s.order(l, needs)
	}
}

// layers gives each node its layer, and lists the nodes of each. Nodes on a circle,
// of which a plan has none, stay in the first.
func (s *scene) layers(needs, users [][]int) [][]int {
	waiting := make([]int, len(s.Nodes))
	var ready []int
	for i := range s.Nodes {
		if waiting[i] = len(needs[i]); waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		for _, user := range users[i] {
			s.Nodes[user].Layer = max(s.Nodes[user].Layer, s.Nodes[i].Layer+1)
			if waiting[user]--; waiting[user] == 0 {
				ready = append(ready, user)
			}
		}
	}
	var out [][]int
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for len(out) <= n.Layer {
			out = append(out, nil)
		}
		n.Row = len(out[n.Layer])
		out[n.Layer] = append(out[n.Layer], i)
	}
	return out
}

// order sorts a layer by the mean row of what its nodes are joined to.
func (s *scene) order(layer []int, joined [][]int) {
	mean := map[int]float64{}
	for _, i := range layer {
		mean[i] = float64(s.Nodes[i].Row)
		if len(joined[i]) == 0 {
			continue
		}
		sum := 0
		for _, j := range joined[i] {
			sum += s.Nodes[j].Row
		}
		mean[i] = float64(sum) / float64(len(joined[i]))
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	for row, i := range layer {
		s.Nodes[i].Row = row
	}
}

// mostReduced is the number of edges from which a drawing is too full to be worth
// the time.
const mostReduced = 20_000

// reduce leaves out an edge when there is a longer way between its ends.
func (s *scene) reduce() {
	if s.Edges == nil {
		s.Edges = [][2]int{}
	}
	if len(s.Edges) > mostReduced {
		s.Edges = [][2]int{}
		return
	}
	arrows := lists.Map(s.Edges, func(e [2]int) draw.Arrow { return draw.Arrow{From: e[0], To: e[1]} })
	s.Edges = s.Edges[:0]
	for _, a := range draw.Reduced(len(s.Nodes), arrows) {
		s.Edges = append(s.Edges, [2]int{a.From, a.To})
	}
}
