package run_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
)

func TestFailedWhenJudgesTheExitCode(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	result := j.run(`
task "command" "grep" {
  argv         = ["sh", "-c", "echo none; exit 1"]
  failed_when  = result.code > 1
  changed_when = result.stdout != "none\n"
}
task "command" "worse" {
  argv        = ["sh", "-c", "exit 2"]
  failed_when = result.code > 1
}
task "command" "fine" {
  argv        = ["echo", "an error"]
  failed_when = strcontains(result.stdout, "error")
}
task "command" "after" {
  argv         = ["test", task.command.grep.code, "=", "1"]
  changed_when = false
}
`)
	check(t, []string{"task.command.grep ok", "task.command.worse failed", "task.command.fine failed", "task.command.after ok"}, show(result))
	want := []string{
		"site.hcl:9,17-32: Task failed: What failed_when describes is true.",
		"site.hcl:13,17-52: Task failed: What failed_when describes is true.",
	}
	check(t, want, problems(j, result))
}

func TestFailedWhenJudgesTheExitCodeOfShellsAndScripts(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.write("search", "#!/bin/sh\necho none\nexit $1\n")
	result := j.run(`
task "shell" "search" {
  commands     = "echo none; exit 1"
  failed_when  = result.code > 1
  changed_when = result.stdout != "none\n"
}
task "script" "search" {
  source       = "search"
  args         = ["1"]
  ok_codes     = [0, 7]
  failed_when  = result.code > 1
  changed_when = result.stdout != "none\n"
}
task "shell" "worse" {
  commands    = "exit 2"
  failed_when = result.code > 1
}
task "script" "worse" {
  source      = "search"
  args        = ["7"]
  ok_codes    = [0, 7]
  failed_when = result.code > 1
}
`)
	check(t, []string{"task.shell.search ok", "task.script.search ok", "task.shell.worse failed", "task.script.worse failed"}, show(result))
	want := []string{
		"site.hcl:16,17-32: Task failed: What failed_when describes is true.",
		"site.hcl:22,17-32: Task failed: What failed_when describes is true.",
	}
	check(t, want, problems(j, result))
}

// problems are the diagnostics with files named below the job's folder.
func problems(j *job, result *run.Result) []string {
	var all []string
	for _, d := range result.Diagnostics {
		all = append(all, strings.ReplaceAll(d.Error(), j.dir+"/", ""))
	}
	return all
}

func TestFailedWhenJudgesTheErrorOfAnyModule(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	task := func(name, failed string) string {
		return block(`task "copy"`, name, `dest = "DIR/missing/folder/file"`, `content = "x"`, `failed_when = `+failed)
	}
	result := j.run(task("lost", `result.error != null && !strcontains(result.error, "no such file")`) + task("fails", "result.error != null"))
	check(t, []string{"task.copy.lost ok", "task.copy.fails failed"}, show(result))
}

func TestUntilTriesAgain(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	result := j.run(`
task "command" "count" {
  argv  = ["sh", "-c", "echo x >> DIR/count; wc -l < DIR/count"]
  until = tonumber(trimspace(result.stdout)) == 3
  retry {
    attempts = 5
    delay    = "1ms"
  }
}
task "command" "never" {
  argv  = ["true"]
  until = result.code == 1
  retry {
    attempts = 2
    delay    = "1ms"
  }
}
`)
	check(t, []string{"task.command.count changed", "task.command.never failed"}, show(result))
	check(t, []string{"x\nx\nx\n"}, []string{j.read("count")})
	check(t, []string{"site.hcl:12,11-27: Not yet true: What until waits for is not true after 2 attempts."}, problems(j, result))
}

func TestWhatAFailedAttemptChangedCounts(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	result := j.run(`
handler "command" "reload" { argv = ["touch", "DIR/reloaded"] }
task "copy" "conf" {
  dest    = "DIR/conf"
  content = "x"
  until   = fileexists("DIR/never")
  retry {
    attempts = 2
    delay    = "1ms"
  }
  notify = [handler.command.reload]
}
`)
	check(t, []string{"task.copy.conf failed", `handler.command.reload["localhost"] changed`}, show(result))
	if len(result.Tasks[0].Steps) != 1 {
		t.Errorf("steps %q", result.Tasks[0].Steps)
	}
}

func TestEnvironmentAndCwdAreOfEveryCommandOfATask(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.run(`
task "command" "who" {
  argv      = ["echo", "-n", "it"]
  read_only = true
}
task "command" "show" {
  cwd         = "DIR"
  environment = { WHO = task.command.who.stdout, OWN = "task" }
  env         = { OWN = "command" }
  only_if     = ["sh", "-c", "test $WHO = it && test $PWD = DIR && test ! -e said"]
  argv        = ["sh", "-c", "echo $WHO $OWN $PWD > said"]
}
`)
	check(t, []string{"it command " + j.dir + "\n"}, []string{j.read("said")})
}

func TestRunOnceIsDoneOnTheFirstHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "b,a")
	check(t, []string{"task.command.migrate changed", `task.command.after["b"] changed`, `task.command.after["a"] changed`}, show(j.run(`
task "command" "migrate" {
  hosts    = run.hosts
  run_once = true
  argv     = ["sh", "-c", "echo ${host.name} ${each.key} >> DIR/said"]
}
task "command" "after" {
  hosts = run.hosts
  argv  = ["test", task.command.migrate.code, "=", "0"]
}
`)))
	check(t, []string{"b b\n"}, []string{j.read("said")})
}

func TestNothingASensitiveTaskSaysIsShown(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	result := j.run(`
task "command" "login" {
  sensitive = true
  argv      = ["sh", "-c", "echo hunter22; echo hunter22 >&2; true hunter22"]
}
task "command" "fails" {
  sensitive = true
  argv      = ["sh", "-c", "echo hunter33 >&2; exit 3"]
}
task "command" "shows" {
  argv = ["echo", trimspace(task.command.login.stdout)]
}
task "copy" "file" {
  sensitive = true
  dest      = "DIR/file"
  content   = "hunter44"
}
`)
	check(t, []string{"task.command.login changed", "task.command.fails failed", "task.command.shows changed", "task.copy.file changed"}, show(result))
	text := fmt.Sprintf("%+v %+v", result.Tasks, result.Diagnostics)
	for len(j.events.events) > 0 {
		e := <-j.events.events
		text += fmt.Sprintf("%+v", e)
		if e.Progress != nil {
			text += e.Progress.Text
		}
	}
	if strings.Contains(text, "hunter") {
		t.Errorf("a secret is shown: %s", text)
	}
	if got := result.Tasks[0].Steps; len(got) != 1 || got[0] != "(sensitive)" {
		t.Errorf("steps %q", got)
	}
	want := "command ended with code 3; the task is sensitive, so nothing else is shown"
	if got := result.Tasks[1]; got.Status != event.Failed || got.Message != want {
		t.Errorf("got %q", got.Message)
	}
}

func TestBecomeIsOfTheTaskNotOfTheHost(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sudo"); err != nil || os.Geteuid() != 0 {
		need.Missing(t, "sudo", "it must be installed, and root must run the test")
	}
	server := sshd.Start(t)
	j := newJob(t, "web")
	p := j.build(`
task "command" "own" {
  host      = "web"
  argv      = ["id", "-un"]
  read_only = true
}
task "command" "sudo" {
  host      = "web"
  become    = "nobody"
  argv      = ["id", "-un"]
  read_only = true
}
block "su" {
  host = "web"
  become {
    user   = "nobody"
    method = "su"
  }
  task "command" "su" {
    argv      = ["id", "-un"]
    read_only = true
  }
}
task "command" "here" {
  become = "nobody"
  argv   = ["id", "-un"]
}
task "command" "here_su" {
  become {
    user   = "nobody"
    method = "su"
  }
  argv = ["id", "-un"]
}
`)
	pool := host.NewConnections(func(_ context.Context, name string) (host.Settings, error) {
		return host.Settings{Name: name, Address: "127.0.0.1", Port: server.Port, User: server.User, Local: name == "localhost",
			IdentityFiles: []string{server.ClientKey}, KnownHosts: []string{server.KnownHosts}, NoAgent: true}, nil
	}, j.redactor)
	defer pool.Close()
	values := &plan.Values{}
	result := run.Run(t.Context(), p, values, pool, run.Options{Forks: 1, Events: j.events, Redactor: j.redactor})
	got := map[string]string{}
	for _, name := range []string{"own", "sudo", "su", "here", "here_su"} {
		if stdout, ok := values.Get("task.command." + name)["stdout"]; ok {
			got[name] = stdout.AsString()
		}
	}
	if diff := cmp.Diff(map[string]string{"own": "root\n", "sudo": "nobody\n", "su": "nobody\n", "here": "nobody\n", "here_su": "nobody\n"}, got); diff != "" {
		t.Error(diff)
	}
	if len(result.Diagnostics) != 0 {
		t.Errorf("diagnostics: %v", result.Diagnostics)
	}
}
