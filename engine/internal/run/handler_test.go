package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kinit/engine/event"
)

// writes is the task copy.NAME, which writes a file of the job and notifies a handler.
func writes(name, file, handler string, args ...string) string {
	return block(`task "copy"`, name, append(args, `dest = "DIR/`+file+`"`, `content = "`+name+`\n"`, `notify = [handler.command.`+handler+`]`)...)
}

// says is a block of a command that adds its name to the file order.
func says(kind, name string, args ...string) string {
	return block(kind, name, append(args, `argv = ["sh", "-c", "echo `+name+` >> DIR/order"]`)...)
}

// web is a task that writes a file for each host and notifies the handler reload for it.
func web(name string, args ...string) string {
	return writes(name, "${host.name}."+name, "reload", append(args, `stage = "web"`, `hosts = run.hosts`)...)
}

// site has the tasks in the stage web, and a stage after it.
func site(tasks ...string) string {
	return `
stage "web" {}
stage "after" { after = ["web"] }
handler "command" "reload" {
  argv = ["sh", "-c", "echo ${host.name} >> DIR/reloads"]
}
` + strings.Join(tasks, "") + block(`task "command"`, "next", `stage = "after"`, `argv = ["true"]`, `read_only = true`)
}

func TestHandlerIsDoneOncePerHostAtTheEndOfTheStageThatNotified(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] changed`,
		`task.copy.more["a"] changed`, `task.copy.more["b"] changed`,
		`handler.command.reload["a"] changed`, `handler.command.reload["b"] changed`,
		`task.command.next ok`,
	}, show(j.run(site(web("conf"), web("more")))))
	order := j.order()
	if got := strings.Join(order[4:], " "); got != `handler.command.reload["a"] handler.command.reload["b"] task.command.next` {
		t.Errorf("got %s", got)
	}
	check(t, []string{"a\nb\n"}, []string{j.read("reloads")})

	// Nothing changes the second time, so nothing is notified or even mentioned.
	check(t, []string{
		`task.copy.conf["a"] ok`, `task.copy.conf["b"] ok`, `task.copy.more["a"] ok`, `task.copy.more["b"] ok`, `task.command.next ok`,
	}, show(j.run(site(web("conf"), web("more")))))
	check(t, []string{"a\nb\n"}, []string{j.read("reloads")})
}

func TestDryRunShowsTheHandlersThatWouldBeNotified(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.check = true
	result := j.run(site(web("conf"), web("more")))
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.more["a"] changed`, `handler.command.reload["a"] changed`, `task.command.next ok`,
	}, show(result))
	check(t, []string{"none"}, []string{j.read("reloads")})
}

func TestFailureElsewhereDoesNotLoseTheNotification(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] changed`,
		`task.command.fails failed`, `task.command.needs skipped: after the failure of task.command.fails`,
		`handler.command.reload["a"] changed`, `handler.command.reload["b"] changed`,
		`task.command.next skipped: after the failure of task.command.fails`,
	}, show(j.run(site(web("conf"), block(`task "command"`, "fails", `stage = "web"`, `host = "b"`, `argv = ["false"]`),
		block(`task "command"`, "needs", `stage = "web"`, `argv = ["true"]`, `depends_on = [task.command.fails]`, `notify = [handler.command.reload]`)))))
	check(t, []string{"a\nb\n"}, []string{j.read("reloads")})
}

func TestInterruptEndsBeforeTheHandlersAndSaysSo(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	j.ctx = ctx
	check(t, []string{
		`task.copy.conf changed`, `task.command.hangs skipped: interrupted`,
		`handler.command.reload["a"] skipped: interrupted`,
	}, show(j.run(`
handler "command" "reload" { argv = ["touch", "DIR/reloads"] }
handler "command" "other" { argv = ["touch", "DIR/other"] }
`+writes("conf", "conf", "reload", `host = "a"`)+`
task "command" "hangs" {
  argv       = ["sleep", "60"]
  depends_on = [task.copy.conf]
  notify     = [handler.command.other]
}
`)))
	check(t, []string{"none"}, []string{j.read("reloads")})
}

// What the task has done before the interrupt counts, although it was not done with waiting.
func TestInterruptWhileATaskWaitsDoesNotLoseWhatItHasChanged(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j.ctx = ctx
	j.sink = &interrupting{j.events, event.TaskRetried, cancel}
	check(t, []string{
		`task.copy.conf skipped: interrupted`, `handler.command.reload["a"] skipped: interrupted`, `task.command.tell changed`,
	}, show(j.run(`
handler "command" "reload" { argv = ["touch", "DIR/reloads"] }
`+writes("conf", "conf", "reload", `host = "a"`, `until = fileexists("DIR/never")`, `retry {
    attempts = 2
    delay    = "1h"
  }`)+`
task "command" "tell" {
  always = true
  when   = task.copy.conf.changed
  argv   = ["true"]
}
`)))
	check(t, []string{"conf\n", "none"}, []string{j.read("conf"), j.read("reloads")})
}

// interrupting is a log that interrupts the run at a kind of event.
type interrupting struct {
	*log
	on        event.Kind
	interrupt func()
}

func (i *interrupting) Emit(e event.Event) {
	i.log.Emit(e)
	if e.Kind == i.on {
		i.interrupt()
	}
}

func TestHandlersNotifyHandlersAndHaveHostsOfTheirOwn(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] changed`,
		`task.command.unchanged ok`,
		`handler.command.second["b"] changed`, `handler.command.first["a"] changed`, `handler.command.first["b"] changed`,
	}, show(j.run(says(`handler "command"`, "second", `host = "b"`)+says(`handler "command"`, "first", `notify = [handler.command.second]`)+
		writes("conf", "${host.name}.conf", "first", `hosts = run.hosts`)+`
handler "command" "never" {
  argv = ["false"]
}
task "command" "unchanged" {
  argv      = ["true"]
  read_only = true
  notify    = [handler.command.never]
}
`)))
	check(t, []string{"first\nfirst\nsecond\n"}, []string{j.read("order")})
}

func TestHandlerNotifiedInTwoStagesIsDoneAtTheEndOfBoth(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.run(`
stage "one" {}
stage "two" { after = ["one"] }
handler "command" "reload" {
  argv = ["sh", "-c", "cat DIR/one DIR/two >> DIR/seen; true"]
}
` + writes("two", "two", "reload", `stage = "two"`, `host = "a"`) + writes("one", "one", "reload", `stage = "one"`, `host = "a"`))
	check(t, []string{`task.copy.one`, `handler.command.reload["a", "one"]`, `task.copy.two`, `handler.command.reload["a", "two"]`}, j.order())
	check(t, []string{"one\none\ntwo\n"}, []string{j.read("seen")})
}

// flushed has a task that flushes, between two tasks that notify.
func flushed() string {
	return `
stage "web" {}
handler "command" "reload" {
  argv = ["sh", "-c", "echo $(ls DIR | grep -c '^${host.name}[.]') >> DIR/reloads.${host.name}"]
}
` + web("conf") + `task "command" "smoke" {
  stage          = "web"
  hosts          = run.hosts
  argv           = ["cat", "DIR/reloads.${host.name}"]
  read_only      = true
  depends_on     = [task.copy.conf]
  flush_handlers = true
}
` + web("more", `depends_on = [task.command.smoke]`)
}

func TestFlushedHandlerIsDoneBeforeTheTaskAndAgainOnlyIfNotifiedAgain(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	first := j.run(flushed())
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] changed`,
		`task.command.smoke["a"] ok`, `task.command.smoke["b"] ok`,
		`task.copy.more["a"] changed`, `task.copy.more["b"] changed`,
		`handler.command.reload["a", "web.flush1"] changed`, `handler.command.reload["b", "web.flush1"] changed`,
		`handler.command.reload["a", "web"] changed`, `handler.command.reload["b", "web"] changed`,
	}, show(first))
	// Each wrote how many files its host had: it ran between them, and after them.
	check(t, []string{"1\n2\n", "1\n2\n"}, []string{j.read("reloads.a"), j.read("reloads.b")})

	// What was not notified is not flushed.
	check(t, []string{
		`task.copy.conf["a"] ok`, `task.copy.conf["b"] ok`, `task.command.smoke["a"] ok`, `task.command.smoke["b"] ok`,
		`task.copy.more["a"] ok`, `task.copy.more["b"] ok`,
	}, show(j.run(flushed())))

	// Only the first is notified: there is nothing left for the end of the stage.
	j.write("a.conf", "other")
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] ok`, `task.command.smoke["a"] ok`, `task.command.smoke["b"] ok`,
		`task.copy.more["a"] ok`, `task.copy.more["b"] ok`, `handler.command.reload["a", "web.flush1"] changed`,
	}, show(j.run(flushed())))
	check(t, []string{"1\n2\n2\n", "1\n2\n"}, []string{j.read("reloads.a"), j.read("reloads.b")})
}

// flushedLater has a task that flushes in the second stage; tasks of both stages notify.
func flushedLater() string {
	return `
stage "prepare" {}
stage "web" { after = ["prepare"] }
` + says(`handler "command"`, "reload") +
		writes("left_out", "left_out", "reload", `stage = "prepare"`) +
		writes("needed", "needed", "reload", `stage = "prepare"`) +
		strings.Replace(writes("conf", "conf", "reload", `stage = "web"`), `"conf\n"`, "task.copy.needed.path", 1) +
		says(`task "command"`, "smoke", `stage = "web"`, `depends_on = [task.copy.conf]`, `flush_handlers = true`)
}

func TestHandlersAreFlushedInARunThatStartsAtALaterStage(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	j.selected.StartAt = "web"
	check(t, []string{
		"task.copy.needed changed", `handler.command.reload["localhost", "prepare"] changed`,
		"task.copy.conf changed", "task.command.smoke changed", `handler.command.reload["localhost", "web.flush1"] changed`,
	}, show(j.run(flushedLater())))
	// That of what is needed is done at the end of its stage, that of conf before smoke.
	check(t, []string{"reload\nreload\nsmoke\n"}, []string{j.read("order")})

	// What is left out notifies nothing, and what was not notified is not flushed.
	j.write("left_out", "other")
	check(t, []string{"task.copy.needed ok", "task.copy.conf ok", "task.command.smoke changed"}, show(j.run(flushedLater())))
	check(t, []string{"reload\nreload\nsmoke\nsmoke\n"}, []string{j.read("order")})
}

func TestFailedFlushKeepsBackTheTasksOfItsOwnHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	check(t, []string{
		`task.copy.conf["a"] changed`, `task.copy.conf["b"] changed`,
		`task.command.smoke["a"] skipped: after the failure of handler.command.reload["a", "web.flush1"]`,
		`task.command.smoke["b"] ok`,
		`task.copy.more["a"] skipped: after the failure of handler.command.reload["a", "web.flush1"]`,
		`task.copy.more["b"] changed`,
		`handler.command.reload["a", "web.flush1"] failed`, `handler.command.reload["b", "web.flush1"] changed`,
		`handler.command.reload["b", "web"] changed`,
	}, show(j.run(strings.Replace(flushed(), `"echo $`, `"test ${host.name} = b && echo $`, 1))))
}

func TestHandlersOfHandlersAndOfOtherHostsAreFlushed(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a,b")
	j.forks = 4
	slow := strings.NewReplacer("echo ", "sleep 0.1; echo ")
	handlers := says(`handler "command"`, "second", `host = "b"`) + says(`handler "command"`, "first", `notify = [handler.command.second]`)
	j.run(slow.Replace(handlers) +
		writes("conf", "conf", "first", `host = "a"`) + writes("other", "other", "first", `host = "a"`) +
		says(`task "command"`, "flush", `when = false`, `depends_on = [task.copy.conf]`, `flush_handlers = true`) +
		says(`task "command"`, "next", `depends_on = [task.command.flush]`))
	check(t, []string{"first\nsecond\nnext\nfirst\nsecond\n"}, []string{j.read("order")})
}

// again is a task that changes something in its first attempt, which fails. The second one
// finds nothing left to do.
func again(command string, args ...string) string {
	return `handler "command" "reload" { argv = ["touch", "DIR/reloads"] }
` + block(`task "shell"`, "once", append(args, `commands = "touch DIR/made; `+command+`"`, `creates = "DIR/made"`,
		`notify = [handler.command.reload]`, "retry {\n    attempts = 2\n    delay = \"1ms\"\n  }")...)
}

func TestAttemptThatFailsAfterAChangeDoesNotLoseTheNotification(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the command fails":     {again("exit 1"), []string{`task.shell.once changed`, `handler.command.reload["localhost"] changed`}},
		"the time limit passes": {again("sleep 30", `timeout = "500ms"`), []string{`task.shell.once changed`, `handler.command.reload["localhost"] changed`}},
		"changed_when asks whether it changed": {again("exit 1", `changed_when = result.changed`),
			[]string{`task.shell.once changed`, `handler.command.reload["localhost"] changed`}},
		"changed_when decides": {again("exit 1", `changed_when = false`), []string{`task.shell.once ok`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a")
			result := j.run(c.text)
			check(t, c.want, show(result))
			steps := 0
			if c.want[0] == `task.shell.once changed` {
				steps = 1
			}
			if len(result.Tasks) == 0 || len(result.Tasks[0].Steps) < steps {
				t.Errorf("the report names no step: %v", result.Tasks)
			}
			// Nothing is left to do, so the second run notifies no handler.
			check(t, []string{`task.shell.once ok`}, show(j.run(c.text)))
		})
	}
}

// A step that failed before it changed anything is done by the next attempt, and counts once.
func TestStepThatFailsAndIsDoneByTheNextAttemptIsReportedOnce(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	result := j.run(`
task "command" "second" {
  argv = ["sh", "-c", "test -e DIR/first || { touch DIR/first; exit 1; }"]
  retry {
    attempts = 2
    delay    = "1ms"
  }
}
`)
	check(t, []string{`task.command.second changed`}, show(result))
	if len(result.Tasks[0].Steps) != 1 {
		t.Errorf("steps are %q, want one", result.Tasks[0].Steps)
	}
}

// until and changed_when agree on whether a task has changed something.
func TestUntilSeesWhatChangedWhenDecided(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	until := func(condition string) []string {
		return show(j.run(block(`task "command"`, "say", `argv = ["true"]`, `changed_when = false`, "until = "+condition,
			"retry {\n    attempts = 2\n    delay = \"1ms\"\n  }")))
	}
	check(t, []string{`task.command.say ok`}, until("!result.changed"))
	check(t, []string{`task.command.say failed`}, until("result.changed"))
}
