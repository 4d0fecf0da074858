package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"kinit/engine"
)

// foretold is a folder that a plan does not find, and tasks that refer to its path and to the
// paths of files.
const foretold = `
task "directory" "home" {
  host = "localhost"
  path = "TMP/home"
  mode = "0755"
}
task "directory" "inner" {
  host = "localhost"
  path = "${task.directory.home.path}/inner"
}
task "link" "current" {
  host   = "localhost"
  path   = "TMP/current"
  target = task.directory.inner.path
}
task "copy" "conf" {
  host    = "localhost"
  dest    = "TMP/conf"
  content = "new\n"
}
task "read_file" "conf" {
  host = "localhost"
  path = task.copy.conf.path
}
task "copy" "sum" {
  host    = "localhost"
  dest    = "TMP/sum"
  content = task.copy.conf.sha256
}
output "path" { value = task.directory.inner.path }
`

func TestPlanKnowsOutputsThatAreArguments(t *testing.T) {
	t.Parallel()
	o := options(t, foretold)
	r := engine.Plan(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "what is made in the folder", steps(r, "task.directory.inner"), []string{"create folder " + o.Cwd + "/home/inner"})
	equal(t, "a link to it", steps(r, "task.link.current"), []string{"link " + o.Cwd + "/current to " + o.Cwd + "/home/inner"})
	equal(t, "another output", steps(r, "task.copy.sum"), []string{"known after task.copy.conf"})
	equal(t, "outputs", r.Outputs, []engine.Output{{Name: "path", Value: o.Cwd + "/home/inner"}})
}

// TestPlanDoesNotTrustWhatIsBehindAPathThatChanges: what read_file finds in a plan is not what
// it finds in the run.
func TestPlanDoesNotTrustWhatIsBehindAPathThatChanges(t *testing.T) {
	t.Parallel()
	o := options(t, foretold)
	if err := os.WriteFile(filepath.Join(o.Cwd, "conf"), []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := engine.Plan(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "the reader", steps(r, "task.read_file.conf"), []string{"known after task.copy.conf"})
}

// TestPlanNamesOnlyTasksThatChange: a folder whose mode changes is no reason to doubt what is in
// it.
func TestPlanNamesOnlyTasksThatChange(t *testing.T) {
	t.Parallel()
	o := options(t, foretold)
	equal(t, "problems of the run", problems(engine.Run(t.Context(), o)), "")
	if err := os.Chmod(filepath.Join(o.Cwd, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := engine.Plan(t.Context(), o)
	equal(t, "plan", statuses(r), map[string]string{
		"directory.home": "changed", "directory.inner": "ok", "link.current": "ok", "copy.conf": "ok", "read_file.conf": "ok", "copy.sum": "ok",
	})
}

// TestOutputsOfATaskThatMayBeLeftOutStayUnknown: they are null if its condition is false.
func TestOutputsOfATaskThatMayBeLeftOutStayUnknown(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "copy" "conf" {
  host    = "localhost"
  dest    = "TMP/conf"
  content = "new\n"
}
task "directory" "maybe" {
  host = "localhost"
  when = task.copy.conf.size > 100
  path = "TMP/maybe"
}
task "copy" "reader" {
  host    = "localhost"
  dest    = "TMP/reader"
  content = coalesce(task.directory.maybe.path, "none")
}
`)
	r := engine.Plan(t.Context(), o)
	equal(t, "problems", problems(r), "")
	equal(t, "what reads its path", steps(r, "task.copy.reader"), []string{"known after task.directory.maybe"})
	equal(t, "problems of the run", problems(engine.Run(t.Context(), o)), "")
	equal(t, "what the run wrote", content(t, o, "reader"), "none")
}

// TestMistakesInValuesOfOtherTasksAreFoundBeforeTheRun: an argument that is known is checked.
func TestMistakesInValuesOfOtherTasksAreFoundBeforeTheRun(t *testing.T) {
	t.Parallel()
	r := engine.Validate(t.Context(), options(t, `
task "link" "current" {
  host   = "localhost"
  path   = "TMP/current"
  target = "releases/7"
}
task "copy" "conf" {
  host    = "localhost"
  dest    = trimprefix(task.link.current.path, "/")
  content = ""
}
`))
	if got := problems(r); got == "" {
		t.Error("a relative path has no error")
	}
}

// steps returns the steps of one task.
func steps(r *engine.Report, address string) []string {
	for _, result := range r.Results {
		if result.Address == address {
			return result.Steps
		}
	}
	return nil
}
