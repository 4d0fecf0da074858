package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyOther is two blocks with n instances each, in which every task of the second
// comes after all of the first and reads all of them.
func everyOther(n int) string {
	return fmt.Sprintf(`
-- spec.hcl --
locals {
  names = toset([for i in range(%d) : format("n%%04d", i)])
}
task "file" "a" {
  for_each = local.names
  path     = each.key
}
task "file" "b" {
  for_each   = local.names
  path       = join(",", [for f in task.file.a : f.path])
  depends_on = [task.file.a]
}
`, n)
}

func TestReferencesToAllInstancesAreFewEdges(t *testing.T) {
	t.Parallel()
	g := build(t, everyOther(200)).Main.Graph
	edges := 0
	for _, key := range g.Keys() {
		edges += len(g.Needs(key))
	}
	if most := 200 * 4; edges > most {
		t.Errorf("%d edges, want %d at most", edges, most)
	}
}

func TestNeedsSeesThroughKeysOfAllInstances(t *testing.T) {
	t.Parallel()
	p := build(t, everyOther(3))
	want := []string{`task.file.a["n0000"]`, `task.file.a["n0001"]`, `task.file.a["n0002"]`}
	if diff := cmp.Diff(want, needs(p.Main, `task.file.b["n0001"]`)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, p.Main.Task(`task.file.b["n0001"]`).Needs); diff != "" {
		t.Error(diff)
	}
}

// TestKeysOfAllInstancesStandBehindThem holds the order that a walk with few workers
// follows: what waits for a block goes on when the block is done, before later tasks.
func TestKeysOfAllInstancesStandBehindThem(t *testing.T) {
	t.Parallel()
	var order []string
	for _, key := range build(t, everyOther(2)).Main.Graph.Order() {
		order = append(order, key.String())
	}
	got := strings.Join(order, " ")
	want := `task.file.a["n0000"] task.file.a["n0001"] task.file.a[*] ended task.file.a[*] task.file.b["n0000"] task.file.b["n0001"]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
