package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kinit/engine"
	"kinit/engine/event"
)

const importedTwice = `
stage "after" { after = ["deploy"] }

import "blue" {
  source = "./web"
  inputs = { name = "blue" }
}

import "green" {
  source = "./web"
  inputs = { name = "green", upstream = import.blue.path }
}

task "copy" "all" {
  stage   = "after"
  dest    = "TMP/all"
  content = "${import.green.path} ${import.green.log}\n"
}

output "green" { value = import.green.path }
`

const imported = `
variable "name" {}
variable "upstream" { default = "none" }

stage "deploy" {}

task "copy" "conf" {
  stage   = "deploy"
  dest    = "TMP/${var.name}"
  content = "upstream ${var.upstream}\n"
  notify  = [handler.copy.reload]
}

handler "copy" "reload" {
  dest    = "TMP/${var.name}.reloaded"
  content = "x"
}

import "log" {
  source = "../log"
  inputs = { path = task.copy.conf.path }
}

output "path" { value = task.copy.conf.path }
output "log" { value = import.log.said }
`

const importedInside = `
variable "path" {}
stage "deploy" {}

task "command" "say" {
  stage     = "deploy"
  argv      = ["basename", var.path]
  read_only = true
}

output "said" { value = trimspace(task.command.say.stdout) }
`

// withPlaybooks puts playbooks beside the spec.
func withPlaybooks(t *testing.T, o engine.Options, playbooks map[string]string) {
	t.Helper()
	for name, text := range playbooks {
		if err := os.Mkdir(filepath.Join(o.Cwd, name), 0o700); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "TMP", o.Cwd)
		if err := os.WriteFile(filepath.Join(o.Cwd, name, "main.hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPlaybookImportedTwiceIsDoneTwiceApart(t *testing.T) {
	t.Parallel()
	o := options(t, importedTwice)
	withPlaybooks(t, o, map[string]string{"web": imported, "log": importedInside})
	var started sync.Map // workers tell events at the same time
	o.Events = watcher(func(e event.Event) {
		if e.Kind == event.TaskStarted {
			started.Store(e.Task, true)
		}
	})
	first := engine.Run(t.Context(), o)
	equal(t, "problems", problems(first), "")
	equal(t, "first run", statuses(first), map[string]string{
		"copy.all":                                      "changed",
		"import.blue.task.copy.conf":                    "changed",
		"import.blue.import.log.task.command.say":       "ok",
		`import.blue.handler.copy.reload["localhost"]`:  "changed",
		"import.green.task.copy.conf":                   "changed",
		"import.green.import.log.task.command.say":      "ok",
		`import.green.handler.copy.reload["localhost"]`: "changed",
	})
	_, told := started.Load("import.green.import.log.task.command.say")
	equal(t, "an event names the import", told, true)
	equal(t, "blue", content(t, o, "blue"), "upstream none\n")
	equal(t, "green", content(t, o, "green"), "upstream "+o.Cwd+"/blue\n")
	equal(t, "all", content(t, o, "all"), o.Cwd+"/green green\n")
	equal(t, "outputs", first.Outputs, []engine.Output{{Name: "green", Value: o.Cwd + "/green"}})

	o.Only = []string{"import.blue"}
	equal(t, "blue alone", statuses(engine.Run(t.Context(), o)), map[string]string{
		"import.blue.task.copy.conf": "ok", "import.blue.import.log.task.command.say": "ok",
	})
	o.Only, o.StartAt = nil, "after"
	again := statuses(engine.Run(t.Context(), o))
	equal(t, "from the last stage, with what it reads", again, map[string]string{
		"copy.all": "ok", "import.blue.task.copy.conf": "ok",
		"import.green.task.copy.conf": "ok", "import.green.import.log.task.command.say": "ok",
	})
}

// To read one value, a playbook is planned once more; its imports are as many as before.
func TestAValueIsReadFromOneOfTheImportsOfAForEach(t *testing.T) {
	t.Parallel()
	o := options(t, `
import "shop" {
  source   = "./shop"
  for_each = ["a", "b"]
  inputs   = { name = each.key }
}
output "said" { value = import.shop["b"].said }
`)
	withPlaybooks(t, o, map[string]string{"shop": `
variable "name" {}
host "made" {
  name      = "host-${var.name}"
  address   = "127.0.0.1"
  transport = "local"
}
task "command" "say" {
  host      = "host-${var.name}"
  argv      = ["echo", var.name]
  read_only = true
}
output "said" { value = trimspace(task.command.say.stdout) }
`})
	said, report := engine.Value(t.Context(), o, "said")
	equal(t, "problems", problems(report), "")
	equal(t, "the value", said, "b")
}
