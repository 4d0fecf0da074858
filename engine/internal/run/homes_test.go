package run_test

import (
	"os/user"
	"testing"
)

// TestAPathMayBeginWithTheHomeFolderOfAUser asks the host, which knows that Debian's user daemon
// lives in /usr/sbin.
func TestAPathMayBeginWithTheHomeFolderOfAUser(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	own, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	result := j.run(`
task "command" "own" {
  host      = "a"
  argv      = ["pwd"]
  dir       = "~"
  read_only = true
}
task "command" "daemon" {
  host      = "a"
  argv      = ["pwd"]
  dir       = "~daemon"
  read_only = true
}
task "copy" "of_no_one" {
  host         = "a"
  dest         = "~nosuch/file"
  content      = "text"
}
task "link" "to" {
  host   = "a"
  path   = "DIR/link"
  target = "~daemon/in it"
}
task "copy" "said" {
  host    = "a"
  dest    = "DIR/said"
  content = "${task.command.own.stdout}${task.command.daemon.stdout}"
}
`)
	check(t, []string{
		"task.command.own ok", "task.command.daemon ok", "task.copy.of_no_one failed", "task.link.to changed", "task.copy.said changed",
	}, show(result))
	check(t, []string{`dest: "~nosuch/file": a has no user nosuch`}, details(result))
	check(t, []string{own.HomeDir + "\n/usr/sbin\n"}, []string{j.read("said")})
}

func TestPathsInAHomeFolderAreCheckedAsTheyAre(t *testing.T) {
	t.Parallel()
	own, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	result := newJob(t, "a").run(`
task "copy" "onto_itself" {
  host        = "a"
  host_source = "~/nosuch"
  dest        = "` + own.HomeDir + `/nosuch"
}
`)
	check(t, []string{"task.copy.onto_itself failed"}, show(result))
	check(t, []string{"host_source is dest, " + own.HomeDir + "/nosuch: want two files"}, details(result))
}
