package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"kinit/engine"
)

// importer imports a playbook twice; one of them notifies handlers of the importer.
const importer = `
import "told" {
  source = "./shop"
  inputs = { file = "TMP/told", topics = ["shop changed"], topic = "logged" }
}
import "silent" {
  source = "./shop"
  inputs = { file = "TMP/silent" }
}
handler "copy" "reload" {
  listen  = ["shop changed"]
  dest    = "TMP/reloaded"
  content = "x"
}
handler "copy" "log" {
  listen  = ["logged", "never notified"]
  dest    = "TMP/logged"
  content = "x"
}
handler "copy" "never" {
  listen  = ["never notified"]
  dest    = "TMP/never"
  content = "x"
}
`

const shop = `
variable "file" {}
variable "topics" { default = [] }
variable "topic" { default = null }
task "copy" "conf" {
  dest    = var.file
  content = "x"
  notify  = var.topics
}
task "copy" "again" {
  dest    = "${var.file}.again"
  content = "x"
  notify  = [var.topic]
}
`

// TestAnImportNotifiesHandlersOfItsImporterByTopicsThatItIsGiven: an import without topics notifies
// nothing, and a handler that others might notify gets no warning.
func TestAnImportNotifiesHandlersOfItsImporterByTopicsThatItIsGiven(t *testing.T) {
	t.Parallel()
	o := options(t, importer)
	if err := os.MkdirAll(filepath.Join(o.Cwd, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(o.Cwd, "shop", "shop.hcl"), shop)
	o.Only = []string{"import.silent"}
	r := engine.Run(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "tasks of the silent import", len(r.Results), 2)
	o.Only = nil
	r = engine.Run(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "statuses", statuses(r), map[string]string{
		"import.told.task.copy.conf": "changed", "import.told.task.copy.again": "changed",
		"import.silent.task.copy.conf": "ok", "import.silent.task.copy.again": "ok",
		`handler.copy.reload["localhost"]`: "changed", `handler.copy.log["localhost"]`: "changed",
	})
}
