package plan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// BenchmarkBuild5000 plans 5,000 instances, each of which refers to one before it.
func BenchmarkBuild5000(b *testing.B) {
	dir := b.TempDir()
	text := `
locals {
  names = toset([for i in range(1000) : format("n%04d", i)])
}
stage "one" {}
stage "two" { after = ["one"] }
task "guest" "a" {
  for_each = local.names
  stage    = "one"
  name     = each.key
}
task "file" "b" {
  for_each = local.names
  path     = task.guest.a[each.key].ip
}
task "file" "c" {
  for_each = local.names
  stage    = "two"
  path     = task.file.b[each.key].path
}
task "file" "d" {
  for_each = local.names
  path     = "${task.file.c[each.key].path}/${task.guest.a[each.key].id}"
}
task "note" "e" {
  for_each = local.names
  text     = task.file.d[each.key].path
}
task "note" "all" {
  text = join(",", [for n in task.guest.a : n.ip])
}
`
	if err := os.WriteFile(filepath.Join(dir, "spec.hcl"), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	src := spec.Sources{Cwd: dir}
	sp, diags := spec.Load(src, "spec.hcl")
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	for b.Loop() {
		scope, diags := eval.New(eval.Input{Spec: sp, Sources: src})
		diags = append(diags, scope.SetCluster(cty.NilVal)...)
		p, more := Build(Input{Spec: sp, Scope: scope, Inventory: &inventory.Inventory{}, Kinds: fakeKinds()})
		if diags = append(diags, more...); diags.HasErrors() || len(p.Main.Tasks) != 5001 {
			b.Fatal(diags)
		}
	}
}
