package lines_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/lines"
	"kinit/modules/internal/roottest"
)

// task is a line in a file, or not; key is what it replaces lines by.
type task struct {
	file   lines.File
	line   string
	key    string
	absent bool
}

func (k task) steps(t *testing.T, h module.Host) ([]module.Step, error) {
	t.Helper()
	drop := func(have []string) []string {
		return slices.DeleteFunc(have, func(line string) bool {
			return line == k.line || k.key != "" && strings.HasPrefix(line, k.key)
		})
	}
	if k.absent {
		return k.file.PlanAbsent(t.Context(), h, "remove", drop)
	}
	return k.file.Plan(t.Context(), h, "add", func(have []string) []string {
		if slices.Contains(have, k.line) {
			return have
		}
		return append(drop(have), k.line)
	})
}

func (k task) apply(t *testing.T, h module.Host) {
	t.Helper()
	steps, err := k.steps(t, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if err := step.Do(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := k.steps(t, h); err != nil || len(left) > 0 {
		t.Fatalf("planned again: %v, %v", left, err)
	}
}

func TestForeignLinesAreKeptAndMarksFollow(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Put(t, "/srv/f", "# others\nx", module.Attr{Mode: 0o640, Owner: "0", Group: "4"})
	one := task{file: lines.File{Path: "/srv/f"}, line: "one"}
	two := task{file: lines.File{Path: "/srv/f"}, line: "two: 2"}
	one.apply(t, h)
	two.apply(t, h)
	moduletest.Same(t, "file", h.Text(t, "/srv/f"), "# others\nx\none\ntwo: 2\n")
	moduletest.Marks(t, h, module.Mark{Kind: "line", ID: "/srv/f: one"}, module.Mark{Kind: "line", ID: "/srv/f: two: 2"})
	one.absent = true
	one.apply(t, h)
	if err := lines.Undo(t.Context(), h, module.Mark{Kind: "line", ID: "/srv/f: two: 2"}); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "file afterwards", h.Text(t, "/srv/f"), "# others\nx\n")
	moduletest.Marks(t, h)
	moduletest.Same(t, "mode", h.Shell(t, "stat -c %a:%u:%g /srv/f; ls -A /srv"), "640:0:4\nf\n")
}

func TestFileIsMadeAndGoesWithItsLastLine(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := roottest.New(t, owner)
		k := task{file: lines.File{Path: "/srv/f", Attr: module.Attr{Mode: 0o600}}, line: "one"}
		k.apply(t, h)
		moduletest.Same(t, "file", h.Shell(t, "stat -c %a /srv/f; cat /srv/f"), "600\none\n")
		k.absent = true
		k.apply(t, h)
		moduletest.Same(t, "what is left", h.Shell(t, "ls -A /srv"), "")
	}
}

func TestWhatALineReplacedComesBack(t *testing.T) {
	t.Parallel()
	for _, undo := range []string{"task", "clean-up"} {
		h := roottest.New(t, "demo")
		h.Put(t, "/srv/f", "a 1\nb 2\n", module.Attr{})
		file := lines.File{Path: "/srv/f", Replaces: true}
		task{file: file, key: "a ", line: "a 5"}.apply(t, h)
		task{file: file, key: "a ", line: "a 6"}.apply(t, h)
		moduletest.Same(t, "file", h.Text(t, "/srv/f"), "b 2\na 6\n")
		mark := module.Mark{Kind: "line", ID: "/srv/f: a 6", Prior: `{"replaced":["a 1"]}`}
		moduletest.Marks(t, h, mark)
		if undo == "task" {
			task{file: file, key: "a ", absent: true}.apply(t, h)
		} else if err := lines.Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, "file afterwards", h.Text(t, "/srv/f"), "b 2\na 1\n")
		moduletest.Marks(t, h)
	}
}

func TestForeignLineIsNotRemoved(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Put(t, "/srv/f", "one\n", module.Attr{})
	for _, k := range []task{{line: "one", absent: true}, {line: "one two", key: "one"}} {
		k.file = lines.File{Path: "/srv/f"}
		_, err := k.steps(t, h)
		want := "/srv/f has a line that is not owned by cluster demo: one: remove it yourself if nothing needs it"
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestTasksAtTheSameTimeLoseNoLine(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	var all sync.WaitGroup
	var want []string
	for i := range 12 {
		k := task{file: lines.File{Path: "/srv/f"}, line: fmt.Sprintf("line %02d", i)}
		want = append(want, k.line)
		steps, err := k.steps(t, h)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := steps[0].Do(t.Context(), h); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := strings.Fields(strings.ReplaceAll(h.Text(t, "/srv/f"), "line ", "line_"))
	slices.Sort(got)
	moduletest.Same(t, "lines", strings.Join(got, "\n"), strings.ReplaceAll(strings.Join(want, "\n"), " ", "_"))
	moduletest.Same(t, "what is left", h.Shell(t, "ls -A /srv"), "f\n")
}

func TestLinkIsNotReplaced(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	h.Shell(t, "ln -s other /srv/f")
	_, err := task{file: lines.File{Path: "/srv/f"}, line: "one"}.steps(t, h)
	if want := "/srv/f is a link to other, want a file: work on that one"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
