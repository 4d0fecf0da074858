package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/test/golden"
)

// site is a plan with everything a picture can show: instances, a skipped task,
// stages with one left out between them, a task without a stage, one for failures.
func site() *engine.Graph {
	task := func(block, key, host, stage string, needs ...string) engine.GraphTask {
		address := block
		if key != "" {
			address = fmt.Sprintf("%s[%q]", block, key)
		}
		return engine.GraphTask{Address: address, Block: block, Host: host, Stage: stage, Needs: needs}
	}
	failed := task("task.command.tell", "", "localhost", "")
	failed.Section = engine.OnFailure
	skipped := task("task.sysctl.odd", "", "web1", "base")
	skipped.Skip = "when is false"
	return &engine.Graph{
		Stages: []engine.GraphStage{{Name: "base"}, {Name: "empty", After: []string{"base"}}, {Name: "site", After: []string{"base", "empty"}}},
		Tasks: []engine.GraphTask{
			task("task.facts.all", "", "localhost", ""),
			task("task.package.nginx", "web1", "web1", "base"),
			task("task.package.nginx", "web2", "web2", "base"),
			skipped,
			task("task.copy.index", "web1", "web1", "site", `task.package.nginx["web1"]`),
			task("task.copy.index", "web2", "web2", "site", `task.package.nginx["web2"]`),
			task("task.service.nginx", "", "web1", "site", `task.copy.index["web1"]`, `task.copy.index["web2"]`, `task.package.nginx["web1"]`, "task.facts.all"),
			failed,
		},
	}
}

func TestPicturesAreWhatTheFilesSay(t *testing.T) {
	t.Parallel()
	for _, fold := range []Fold{Tasks, Blocks, Stages} {
		p := New("site.hcl", site(), fold)
		for kind, text := range map[string]string{"dot": Dot(p), "mmd": Mermaid(p), "svg": SVG(p)} {
			golden.Check(t, fmt.Sprintf("testdata/site-%s.%s", fold, kind), text)
		}
	}
}

func TestAutoFoldsUntilThePictureCanBeRead(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ blocks, instances, want int }{
		{5, 12, 60}, {5, 13, 5}, {150, 2, 150}, {151, 2, 1},
	} {
		g := &engine.Graph{Stages: []engine.GraphStage{{Name: "only"}}}
		for b := range tc.blocks {
			for i := range tc.instances {
				block := fmt.Sprintf("task.file.b%d", b)
				g.Tasks = append(g.Tasks, engine.GraphTask{Address: fmt.Sprintf("%s[\"%d\"]", block, i), Block: block, Stage: "only"})
			}
		}
		if got := len(New("x", g, Auto).Boxes); got != tc.want {
			t.Errorf("%d blocks with %d instances each: got %d boxes, want %d", tc.blocks, tc.instances, got, tc.want)
		}
	}
}

func TestReducedKeepsWhatDoesNotFollow(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want []Arrow }{
		"twice":              {[]Arrow{{From: 0, To: 1}, {From: 0, To: 1}}, []Arrow{{From: 0, To: 1}}},
		"a short cut":        {[]Arrow{{From: 0, To: 2}, {From: 0, To: 1}, {From: 1, To: 2}}, []Arrow{{From: 0, To: 1}, {From: 1, To: 2}}},
		"a long short cut":   {[]Arrow{{From: 0, To: 3}, {From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, []Arrow{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}},
		"a diamond":          {[]Arrow{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}}, []Arrow{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 3}, {From: 2, To: 3}}},
		"a cycle of folding": {[]Arrow{{From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}}, []Arrow{{From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Reduced(4, tc.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// odd is a picture with texts that are special in one language or another, and a
// cycle as folding may make it.
func odd() *Picture {
	return &Picture{
		Title:  `a "title" with \ and <tags>`,
		Groups: []Group{{Name: `sta"ge\n`}, {Name: "{}|<>"}},
		Boxes: []Box{
			{Label: `copy.a["x\\y"]`, Note: "häst 漢字", Tip: "one\ntwo & \"three\"", Group: 0},
			{Label: "end", Note: "#1; --> <br>", Faint: true, Group: 0},
			{Label: "", Note: "", Group: 1},
		},
		Arrows: []Arrow{{From: 0, To: 1}, {From: 1, To: 0}, {From: 1, To: 2, Faint: true}},
		Order:  []Arrow{{From: 0, To: 1}},
	}
}

func TestGraphvizTakesDot(t *testing.T) {
	t.Parallel()
	need.Programs(t, "graphviz", "dot")
	for _, p := range []*Picture{odd(), New("site", site(), Tasks), New("site", site(), Blocks), New("site", site(), Stages)} {
		cmd := exec.CommandContext(t.Context(), "dot", "-Tplain")
		cmd.Stdin = strings.NewReader(Dot(p))
		var problems bytes.Buffer
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil || problems.Len() > 0 {
			t.Fatalf("%v: %s\n%s", err, problems.String(), Dot(p))
		}
		if nodes, edges := strings.Count("\n"+string(out), "\nnode "), strings.Count("\n"+string(out), "\nedge "); nodes != len(p.Boxes) || edges != len(p.Arrows)+len(p.Order) {
			t.Errorf("graphviz has %d nodes and %d edges of %s\n%s", nodes, edges, Dot(p), out)
		}
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	t.Parallel()
	decoder := xml.NewDecoder(strings.NewReader(SVG(odd())))
	var texts []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" && !strings.Contains(string(text), "color-scheme") {
			texts = append(texts, string(text))
		}
	}
	want := []string{`a "title" with \ and <tags>`, `sta"ge\n`, "{}|<>", "one\ntwo & \"three\"", `copy.a["x\\y"]`, "häst 漢字", "end", "#1; --> <br>"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

func TestBoxesDoNotOverlapAndStayInTheirFrames(t *testing.T) {
	t.Parallel()
	g := site()
	for i := range 40 { // more than one column holds
		g.Tasks = append(g.Tasks, engine.GraphTask{Address: fmt.Sprintf("task.file.f[\"%d\"]", i), Block: "task.file.f", Stage: "site"})
	}
	p := New("x", g, Tasks)
	l := place(p)
	for i, a := range l.boxes {
		frame := l.frames[p.Boxes[i].Group]
		if a.x < frame.x || a.y < frame.y || a.x+a.w > frame.x+frame.w || a.y+a.h > frame.y+frame.h || a.x+a.w > l.w || a.y+a.h > l.h {
			t.Errorf("%s is at %v, its frame at %v", p.Boxes[i].Label, a, frame)
		}
		for n, b := range l.boxes[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("%s and %s overlap: %v, %v", p.Boxes[i].Label, p.Boxes[n].Label, a, b)
			}
		}
	}
	for i, a := range l.frames {
		for _, b := range l.frames[:i] {
			if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
				t.Errorf("frames overlap: %v, %v", a, b)
			}
		}
	}
}
