package report

import (
	"fmt"
	"strings"
	"testing"

	"kinit/cmd/kinit/replay"
	"kinit/test/replaytest"
)

// shape shows a scene: its layers from left to right, and its edges.
func shape(s scene) string {
	layers := map[int]map[int]string{}
	deepest := 0
	for _, n := range s.Nodes {
		if layers[n.Layer] == nil {
			layers[n.Layer] = map[int]string{}
		}
		layers[n.Layer][n.Row] = n.Label
		deepest = max(deepest, n.Layer)
	}
	var out []string
	for l := range deepest + 1 {
		var row []string
		for i := range len(layers[l]) {
			row = append(row, layers[l][i])
		}
		out = append(out, strings.Join(row, " "))
	}
	text := strings.Join(out, " | ")
	for _, e := range s.Edges {
		text += fmt.Sprintf(" %s>%s", s.Nodes[e[0]].Label, s.Nodes[e[1]].Label)
	}
	return text
}

func TestNodesComeAfterWhatTheyWaitForAndImpliedEdgesAreLeftOut(t *testing.T) {
	t.Parallel()
	s := scene{Nodes: []node{{Label: "a"}, {Label: "b"}, {Label: "c"}, {Label: "d"}},
		Edges: [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 2}}}
	s.arrange()
	if got, want := shape(s), "a d | b | c a>b b>c d>c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRowsFollowWhatTheyAreJoinedTo(t *testing.T) {
	t.Parallel()
	// Without order, both edges cross.
	s := scene{Nodes: []node{{Label: "a"}, {Label: "b"}, {Label: "y"}, {Label: "x"}}, Edges: [][2]int{{0, 3}, {1, 2}}}
	s.arrange()
	if got, want := shape(s), "a b | x y a>x b>y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestACircleEnds(t *testing.T) {
	t.Parallel()
	s := scene{Nodes: []node{{Label: "a"}, {Label: "b"}}, Edges: [][2]int{{0, 1}, {1, 0}}}
	s.arrange()
	if got, want := shape(s), "b a a>b b>a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestALargeGraphIsDrawnByStage(t *testing.T) {
	t.Parallel()
	all := scenes(replay.Of(replaytest.Large(5000)))
	if len(all) != 6 {
		t.Fatalf("got %d scenes, want the stages and one for each of five", len(all))
	}
	if got, want := shape(all[0]), "stage-1 (1000) | stage-2 (1000) | stage-3 (1000) | stage-4 (1000) | stage-5 (1000) "+
		"stage-1 (1000)>stage-2 (1000) stage-2 (1000)>stage-3 (1000) stage-3 (1000)>stage-4 (1000) stage-4 (1000)>stage-5 (1000)"; got != want {
		t.Errorf("the stages are %s, want %s", got, want)
	}
	if all[0].Nodes[2].Scene != 3 || all[3].Title != "stage-3" {
		t.Errorf("the third stage leads to scene %d, %q", all[0].Nodes[2].Scene, all[3].Title)
	}
	if got := len(all[1].Nodes); got != 10 {
		t.Errorf("the first stage has %d nodes, want one for each of its ten blocks", got)
	}
}

func TestASmallGraphIsDrawnWhole(t *testing.T) {
	t.Parallel()
	all := scenes(replay.Of(replaytest.Success()))
	if len(all) != 1 || len(all[0].Nodes) != 8 || all[0].Nodes[7].Layer != 3 {
		t.Errorf("got %d scenes, the first %s", len(all), shape(all[0]))
	}
}
