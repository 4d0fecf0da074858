package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOuterBlockRollsBackAfterTheFailureOfAnInnerOne(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.command.first["a"]["x"] failed`, `task.command.first["a"]["y"] changed`,
		`task.command.first["b"]["x"] changed`, `task.command.first["b"]["y"] changed`,
		`task.command.inner["a"] changed`, `task.command.outer["a"] changed`,
		`task.command.unlock["a"] changed`, `task.command.unlock["b"] changed`,
	}, show(j.run(`
block "outer" {
  hosts = run.hosts
  block "inner" {
    task "command" "first" {
      for_each = ["x", "y"]
      argv     = ["test", "${host.name}${each.key}", "!=", "ax"]
    }
`+strings.Replace(rollback, "rollback", "inner", 1)+`  }
`+strings.Replace(rollback, "rollback", "outer", 1)+unlock+`}
`)))
}

func TestImportIsDoneOnHostsWhereItsConditionIsTrue(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	j.module("web", `
variable "name" {}
task "copy" "conf" {
  dest    = "DIR/${var.name}"
  content = host.name
  notify  = [handler.command.reload]
}
handler "command" "reload" {
  argv = ["true"]
}
check "conf" {
  assert {
    condition     = task.copy.conf["a"].path != null
    error_message = "no path"
  }
}
`)
	check(t, []string{
		`task.command.say["a"] ok`, `task.command.say["b"] ok`,
		`import.web.task.copy.conf["a"] changed`, `import.web.task.copy.conf["b"] skipped: when is false`,
		`import.none.task.copy.conf["a"] skipped: when is false`, `import.none.task.copy.conf["b"] skipped: when is false`,
		`import.web.handler.command.reload["a"] changed`,
	}, show(j.run(`
locals {
  said = trimspace(task.command.say[host.name].stdout)
}
task "command" "say" {
  hosts     = run.hosts
  argv      = ["echo", host.name]
  read_only = true
}
block "sites" {
  hosts = run.hosts
  import "web" {
    source = "./web"
    when   = local.said == "a"
    inputs = { name = "of-${local.said}" }
  }
  import "none" {
    source = "./web"
    when   = local.said == "c"
    inputs = { name = "never" }
  }
}
`)))
	check(t, []string{"a", "none", "none"}, []string{j.read("of-a"), j.read("of-b"), j.read("never")})
}

func TestLoopOnHostsIsDoneForEachElement(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,down")
	check(t, []string{
		`task.copy.site["a"]["x"] changed`, `task.copy.site["a"]["y"] changed`,
		`task.copy.site["down"]["x"] unreachable`, `task.copy.site["down"]["y"] skipped: after the failure of task.copy.site["down"]["x"]`,
		`task.command.see["a"] changed`, `task.command.see["down"] skipped: after the failure of task.copy.site["down"]["x"]`,
	}, show(j.run(`
task "copy" "site" {
  hosts    = run.hosts
  for_each = ["x", "y"]
  dest     = "DIR/${host.name}-${each.key}"
  content  = each.value
}
task "command" "see" {
  hosts = run.hosts
  argv  = concat(["ls"], values(task.copy.site[host.name])[*].path)
}
`)))
	check(t, []string{"x", "y"}, []string{j.read("a-x"), j.read("a-y")})
}

// A failure that max_fail allows leaves the host out of later stages, and not out of what handles the failure.
func TestAHostThatIsLeftOutIsRolledBack(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	j.module("app", `
task "command" "install" {
  stage = "install"
  argv  = ["test", host.name, "!=", "a"]
}
task "command" "start" {
  stage = "start"
  argv  = ["true"]
}
`)
	check(t, []string{
		`task.command.rollback["a"] changed`,
		`task.command.unlock["a"] changed`, `task.command.unlock["b"] changed`,
		`task.command.later["a"] skipped: after the failure of import.app.task.command.install["a"]`, `task.command.later["b"] changed`,
		`import.app.task.command.install["a"] failed`, `import.app.task.command.install["b"] changed`,
		`import.app.task.command.start["a"] skipped: after the failure of import.app.task.command.install["a"]`,
		`import.app.task.command.start["b"] changed`,
		`task.command.late["a"] skipped: after the failure of import.app.task.command.install["a"]`, `task.command.late["b"] changed`,
		`task.command.unlock_late["a"] skipped: after the failure of import.app.task.command.install["a"]`, `task.command.unlock_late["b"] changed`,
	}, show(j.run(`
stage "install" { max_fail = 1 }
stage "start" { after = ["install"] }
stage "late" { after = ["start"] }
block "site" {
  hosts = run.hosts
  import "app" { source = "./app" }
`+rollback+unlock+`}
task "command" "later" {
  hosts      = run.hosts
  depends_on = [block.site]
  argv       = ["true"]
}
block "late" {
  hosts = run.hosts
  stage = "late"
  task "command" "late" { argv = ["true"] }
`+strings.NewReplacer("rollback", "rollback_late", "unlock", "unlock_late").Replace(rollback+unlock)+`}
`)))
}

// module writes a playbook of the job that others import.
func (j *job) module(name, text string) {
	j.t.Helper()
	if err := os.MkdirAll(filepath.Join(j.dir, name), 0o755); err != nil {
		j.t.Fatal(err)
	}
	j.write(filepath.Join(name, "main.hcl"), strings.ReplaceAll(text, "DIR", j.dir))
}
