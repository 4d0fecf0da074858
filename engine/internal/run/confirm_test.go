package run_test

import (
	"context"
	"testing"
)

// What would change depends on where and with which environment the task's commands run.
func TestATaskIsConfirmedForItsEnvironmentAndFolder(t *testing.T) {
	t.Parallel()
	for name, unless := range map[string]string{
		"environment": `["sh", "-c", "test \"$WHERE\" != here"]`,
		"folder":      `["sh", "-c", "test \"$(pwd)\" != DIR"]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a")
			asked := 0
			j.confirm = func(_ context.Context, _, _ string, steps []string) (bool, error) {
				asked++
				check(t, []string{"run touch made"}, steps)
				return false, nil
			}
			check(t, []string{"task.command.make skipped: left out"}, show(j.run(`
task "command" "make" {
  host        = "a"
  environment = { WHERE = "here" }
  cwd         = "DIR"
  argv        = ["touch", "made"]
  unless      = `+unless+`
}
`)))
			if asked != 1 || j.read("made") != "none" {
				t.Errorf("asked %d times, and made: %q", asked, j.read("made"))
			}
		})
	}
}

func TestWhatASensitiveFolderWouldShowIsNotShownToConfirm(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.confirm = func(_ context.Context, _, _ string, steps []string) (bool, error) {
		check(t, []string{"(sensitive)"}, steps)
		return false, nil
	}
	check(t, []string{"task.command.make skipped: left out"}, show(j.run(`
task "command" "make" {
  host = "a"
  cwd  = sensitive("DIR")
  argv = ["touch", "made"]
}
`)))
}

func TestATaskWithNothingToDoInAHomeFolderIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	var asked []string
	j.confirm = func(_ context.Context, task, _ string, steps []string) (bool, error) {
		asked = append(asked, task)
		if len(steps) != 1 {
			t.Errorf("%s: the steps are %q, want one", task, steps)
		}
		return false, nil
	}
	check(t, []string{"task.directory.own ok", "task.directory.more skipped: left out"}, show(j.run(`
task "directory" "own" {
  host = "a"
  path = "~"
}
task "directory" "more" {
  host = "a"
  path = "~/nosuch"
}
`)))
	check(t, []string{"task.directory.more"}, asked)
}
