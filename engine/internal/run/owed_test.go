package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/event"
	"kinit/engine/internal/run"
	"kinit/engine/need"
)

// keeping is a job whose hosts keep notifications.
func keeping(t *testing.T, hosts string) *job {
	t.Helper()
	j := newJob(t, hosts)
	j.pending = "test"
	return j
}

// notes counts the notifications that are kept.
func (j *job) notes() int {
	j.t.Helper()
	entries, err := os.ReadDir(filepath.Join(j.dir, "pending"))
	if err != nil && !os.IsNotExist(err) {
		j.t.Fatal(err)
	}
	return len(entries)
}

// warnings are the summaries of a result's warnings, with the addresses.
func warnings(result *run.Result) (all []string) {
	for _, d := range result.Diagnostics {
		if d.Warning {
			all = append(all, d.Summary+": "+d.Address)
		}
	}
	return all
}

// hanging changes a file and notifies, and hangs as long as the file hang is there.
const hanging = `
handler "command" "reload" { argv = ["sh", "-c", "echo done >> DIR/reloads"] }
task "copy" "conf" {
  host    = "a"
  dest    = "DIR/conf"
  content = "x"
  notify  = [handler.command.reload]
}
task "command" "hangs" {
  argv         = ["sh", "-c", "test ! -e DIR/hang || sleep 60"]
  changed_when = false
  depends_on   = [task.copy.conf]
}
`

func TestHandlerOfAnInterruptedRunIsDoneByTheNextRun(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	j.write("hang", "")
	result := j.stopping(hanging)
	check(t, []string{`task.copy.conf changed`, `task.command.hangs skipped: interrupted`, `handler.command.reload["a"] skipped: interrupted`}, show(result))
	check(t, []string{`Handler is pending: handler.command.reload["a"]`}, warnings(result))
	if err := os.Remove(filepath.Join(j.dir, "hang")); err != nil {
		t.Fatal(err)
	}
	j.ctx = t.Context()

	// A plan shows the handler, and changes nothing.
	j.check = true
	for range 2 {
		result = j.run(hanging)
		check(t, []string{`task.copy.conf ok`, `task.command.hangs ok`, `handler.command.reload["a"] changed`}, show(result))
		check(t, []string{`Handler is pending: handler.command.reload["a"]`}, warnings(result))
	}
	j.check = false
	j.order()
	result = j.run(hanging)
	check(t, []string{`task.copy.conf ok`, `task.command.hangs ok`, `handler.command.reload["a"] changed`}, show(result))
	check(t, nil, warnings(result))
	check(t, []string{"done\n"}, []string{j.read("reloads")})
	if n := j.notes(); n != 0 {
		t.Errorf("%d notifications are left", n)
	}
	check(t, []string{`task.copy.conf ok`, `task.command.hangs ok`}, show(j.run(hanging)))
}

func TestEventSaysThatAHandlerIsPendingAndWhoNotifiedIt(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	j.write("hang", "")
	j.stopping(hanging)
	j.ctx = t.Context()
	os.Remove(filepath.Join(j.dir, "hang"))
	j.order()
	j.run(hanging)
	var said []string
	for len(j.events.events) > 0 {
		if e := <-j.events.events; e.Kind == event.HandlerPending {
			before, _, _ := strings.Cut(e.Message, " at ")
			said = append(said, e.Task+" on "+e.Host+": "+before)
		}
	}
	check(t, []string{`handler.command.reload["a"] on a: notified by task.copy.conf`}, said)
}

func TestHandlerThatFailsStaysPendingUntilItSucceeds(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	text := `
handler "command" "reload" { argv = ["sh", "-c", "test -e DIR/works && echo done >> DIR/reloads"] }
` + writes("conf", "conf", "reload", `host = "a"`)
	for i, first := range []string{`task.copy.conf changed`, `task.copy.conf ok`} {
		result := j.run(text)
		check(t, []string{first, `handler.command.reload["a"] failed`}, show(result))
		check(t, []string{`Handler is pending: handler.command.reload["a"]`}, warnings(result))
		if n := j.notes(); n != 1 {
			t.Errorf("run %d leaves %d notifications", i+1, n)
		}
	}
	j.write("works", "")
	check(t, []string{`task.copy.conf ok`, `handler.command.reload["a"] changed`}, show(j.run(text)))
	check(t, []string{`task.copy.conf ok`}, show(j.run(text)))
	check(t, []string{"done\n"}, []string{j.read("reloads")})
}

// The notification is stored before the task changes anything: a run that is killed at any moment
// after the change has left it.
func TestNotificationIsStoredBeforeTheChange(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	j.run(`
handler "command" "reload" { argv = ["true"] }
task "command" "look" {
  argv   = ["sh", "-c", "cat DIR/pending/*.json | tr -d '\"' > DIR/seen"]
  notify = [handler.command.reload]
}
`)
	seen := j.read("seen")
	if !strings.HasPrefix(seen, "{playbook:test,spec:test,handler:handler.command.reload,host:localhost,task:task.command.look,since:") {
		t.Errorf("got %s", seen)
	}
	if n := j.notes(); n != 0 {
		t.Errorf("%d notifications are left", n)
	}
}

func TestTaskThatChangesNothingLeavesNoNotification(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"changed_when says so":    `changed_when = false`,
		"nothing is to be done":   `creates = "DIR"`,
		"it is read_only":         `read_only = true`,
		"failed_when pardons all": "failed_when = false\n  changed_when = false",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := keeping(t, "a")
			result := j.run("handler \"command\" \"reload\" { argv = [\"true\"] }\n" +
				block(`task "command"`, "one", args, `argv = ["true"]`, `notify = [handler.command.reload]`))
			check(t, []string{"task.command.one ok"}, show(result))
			if n := j.notes(); n != 0 {
				t.Errorf("%d notifications are left", n)
			}
		})
	}
}

// A command that fails may have changed something before. Its handler is done as soon as the task
// does not fail, even if it finds nothing left to do.
func TestTaskThatFailedMidwayNotifiesWhenItIsFoundDone(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	text := `
handler "command" "reload" { argv = ["touch", "DIR/reloaded"] }
task "shell" "half" {
  commands = "touch DIR/made; exit 1"
  creates  = "DIR/made"
  notify   = [handler.command.reload]
}
`
	check(t, []string{`task.shell.half failed`}, show(j.run(text)))
	check(t, []string{`task.shell.half ok`, `handler.command.reload["localhost"] changed`}, show(j.run(text)))
	check(t, []string{`task.shell.half ok`}, show(j.run(text)))
}

func TestHandlerThatIsNotSelectedStaysPending(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a,b")
	text := `
handler "command" "reload" { argv = ["sh", "-c", "test -e DIR/works && echo ${host.name} >> DIR/reloads"] }
` + writes("conf", "${host.name}.conf", "reload", `hosts = run.hosts`) + `task "command" "other" {
  argv      = ["true"]
  read_only = true
}
`
	j.run(text)
	j.write("works", "")
	j.selected.Only = []string{"other"}
	check(t, []string{`task.command.other ok`}, show(j.run(text)))
	j.selected.Only, j.selected.Limit = nil, []string{"b"}
	check(t, []string{`task.copy.conf["b"] ok`, `handler.command.reload["b"] changed`}, show(j.run(text)))
	j.selected.Limit = nil
	check(t, []string{`task.copy.conf["a"] ok`, `task.copy.conf["b"] ok`, `task.command.other ok`, `handler.command.reload["a"] changed`}, show(j.run(text)))
	check(t, []string{"b\na\n"}, []string{j.read("reloads")})
}

func TestPendingHandlerThatTheSpecHasNoMoreIsReportedAndDropped(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	second := block(`handler "command"`, "second", `argv = ["true"]`) + writes("more", "more", "second", `host = "a"`)
	j.run(block(`handler "command"`, "reload", `argv = ["false"]`) + writes("conf", "conf", "reload", `host = "a"`) + second)
	if n := j.notes(); n != 1 {
		t.Fatalf("%d notifications", n)
	}
	for _, c := range []struct {
		check bool
		left  int
		want  []string
	}{
		{true, 1, []string{`Pending handler is gone: handler.command.reload`}},
		{false, 0, []string{`Pending handler is gone: handler.command.reload`}},
		{false, 0, nil},
	} {
		j.check = c.check
		result := j.run(second)
		check(t, []string{`task.copy.more ok`}, show(result))
		check(t, c.want, warnings(result))
		if n := j.notes(); n != c.left {
			t.Errorf("%d notifications, want %d", n, c.left)
		}
	}
}

// Another playbook neither does the handler nor drops it, although its addresses are the same.
func TestNotificationBelongsToItsPlaybook(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	failing := func(works string) string {
		return block(`handler "command"`, "reload", `argv = ["`+works+`"]`) + writes("conf", "conf", "reload", `host = "a"`)
	}
	j.run(failing("false"))
	j.pending = "other"
	result := j.run(failing("true"))
	check(t, []string{`task.copy.conf ok`}, show(result))
	check(t, []string{`Handler of another spec is pending: handler.command.reload`}, warnings(result))
	j.pending = "test"
	check(t, []string{`task.copy.conf ok`, `handler.command.reload["a"] changed`}, show(j.run(failing("true"))))
}

// A handler that its host was down for is kept on the host of the task, and done when the host answers.
func TestHandlerOnAHostThatIsDownIsKeptWhereTheTaskIs(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a,down")
	text := `handler "command" "balance" {
  host = "down"
  argv = ["sh", "-c", "echo done >> DIR/balanced"]
}
` + writes("conf", "conf", "balance", `host = "a"`)
	result := j.run(text)
	check(t, []string{`task.copy.conf changed`, `handler.command.balance["down"] unreachable`}, show(result))
	check(t, []string{`Handler is pending: handler.command.balance["down"]`}, warnings(result))
	j.up = true
	check(t, []string{`task.copy.conf ok`, `handler.command.balance["down"] changed`}, show(j.run(text)))
	check(t, []string{`task.copy.conf ok`}, show(j.run(text)))
	check(t, []string{"done\n"}, []string{j.read("balanced")})
}

// Handlers that handlers notify, and those of tasks of on_failure and always, are kept too.
func TestHandlersOfHandlersAndOfFinalTasksStayPending(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	text := func(fails string) string {
		return `
handler "command" "second" { argv = ["sh", "-c", "test -e DIR/works"] }
handler "copy" "first" {
  dest    = "DIR/first"
  content = "x"
  notify  = [handler.command.second]
}
handler "command" "rescue" { argv = ["sh", "-c", "test -e DIR/works"] }
handler "command" "last" { argv = ["sh", "-c", "test -e DIR/works"] }
task "command" "fails" { argv = ["` + fails + `"] }
` + strings.ReplaceAll(writes("conf", "conf", "first", `host = "a"`), "handler.command", "handler.copy") +
			writes("saves", "saves", "rescue", `host = "a"`, `on_failure = true`) + writes("ends", "ends", "last", `host = "a"`, `always = true`)
	}
	j.run(text("false"))
	if n := j.notes(); n != 3 {
		t.Errorf("%d notifications, want 3", n)
	}
	j.write("works", "")
	check(t, []string{
		`task.command.fails changed`, `task.copy.conf ok`, `handler.command.second["a"] changed`,
		`handler.command.rescue["a"] changed`, `task.copy.ends ok`, `handler.command.last["a"] changed`,
	}, show(j.run(text("true"))))
	if n := j.notes(); n != 0 {
		t.Errorf("%d notifications are left", n)
	}
}

// Nothing was notified, so a run in which only a handler is on a host that is down does not fail. It asks the
// host once.
func TestHostOfHandlersThatIsDownIsAskedOnceAndWarnedOf(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a,down")
	result := j.run(`handler "command" "one" {
  host = "down"
  argv = ["true"]
}
handler "command" "two" {
  host = "down"
  argv = ["true"]
}
task "command" "same" {
  host      = "a"
  argv      = ["true"]
  read_only = true
  notify    = [handler.command.one, handler.command.two]
}
`)
	check(t, []string{`task.command.same ok`}, show(result))
	check(t, []string{`Pending handlers not known: handler.command.one["down"]`}, warnings(result))
	if n := j.tried.Load(); n != 2 {
		t.Errorf("%d connections were tried, want one to each host", n)
	}
}

// The user of a service often has no home folder. What its handlers owe is kept for the user who logs in.
func TestHandlerOfAUserWithoutAHomeIsKeptForTheLogin(t *testing.T) {
	t.Parallel()
	need.Root(t, "become")
	need.Programs(t, "sudo", "sudo")
	j := keeping(t, "a")
	text := `handler "command" "reload" {
  argv   = ["sh", "-c", "test -e DIR/works"]
  become = "nobody"
}
task "copy" "conf" {
  host    = "a"
  dest    = "DIR/conf"
  content = "x"
  notify  = [handler.command.reload]
}
`
	if err := os.Chmod(filepath.Dir(j.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	check(t, []string{`task.copy.conf changed`, `handler.command.reload["a"] failed`}, show(j.run(text)))
	if n := j.notes(); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
	j.write("works", "")
	check(t, []string{`task.copy.conf ok`, `handler.command.reload["a"] changed`}, show(j.run(text)))
}

// The notification of the last handler of a spec, or of the last one on a host, is found without any handler.
func TestPendingHandlerIsReportedAndDroppedWhenTheSpecHasNoHandlerLeft(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	j.run(block(`handler "command"`, "reload", `argv = ["false"]`) + writes("conf", "conf", "reload", `host = "a"`))
	if n := j.notes(); n != 1 {
		t.Fatalf("%d notifications", n)
	}
	rest := block(`task "copy"`, "conf", `host = "a"`, `dest = "DIR/conf"`, `content = "x"`)
	for _, c := range []struct {
		check bool
		left  int
		want  []string
	}{
		{true, 1, []string{`Pending handler is gone: handler.command.reload`}},
		{false, 0, []string{`Pending handler is gone: handler.command.reload`}},
		{false, 0, nil},
	} {
		j.check = c.check
		check(t, c.want, warnings(j.run(rest)))
		if n := j.notes(); n != c.left {
			t.Errorf("%d notifications, want %d", n, c.left)
		}
	}
}

// A spec without a label is identified by its name, so a renamed one is another one. It neither runs nor drops what
// the earlier name left, but says where it is.
func TestNotificationOfAnEarlierNameOfTheSpecIsReportedAndKept(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	text := func(argv string) string {
		return block(`handler "command"`, "reload", `argv = ["`+argv+`"]`) + writes("conf", "conf", "reload", `host = "a"`)
	}
	j.run(text("false"))
	j.pending = "renamed"
	for _, dry := range []bool{true, false, false} {
		j.check = dry
		result := j.run(text("true"))
		check(t, []string{`task.copy.conf ok`}, show(result))
		check(t, []string{`Handler of another spec is pending: handler.command.reload`}, warnings(result))
		entries, _ := os.ReadDir(filepath.Join(j.dir, "pending"))
		if len(entries) != 1 {
			t.Fatalf("%d notifications, want 1", len(entries))
		}
		file := filepath.Join(j.dir, "pending", entries[0].Name())
		for _, part := range []string{`by the spec "test"`, "remove " + file + " on a"} {
			if text := result.Diagnostics.Error(); !strings.Contains(text, part) {
				t.Errorf("the warning lacks %q:\n%s", part, text)
			}
		}
	}
	// A spec with other tasks has nothing to do with it.
	check(t, nil, warnings(j.run(block(`task "copy"`, "other", `host = "a"`, `dest = "DIR/other"`, `content = "x"`))))
}

// Specs of one owner share its notifications. One that lacks the handler says which spec has it.
func TestNotificationOfAnotherSpecOfTheOwnerNamesThatSpec(t *testing.T) {
	t.Parallel()
	j := keeping(t, "a")
	j.run(block(`handler "command"`, "reload", `argv = ["false"]`) + writes("conf", "conf", "reload", `host = "a"`))
	j.spec = "renamed"
	result := j.run(block(`task "copy"`, "conf", `host = "a"`, `dest = "DIR/conf"`, `content = "x"`))
	check(t, []string{`Handler is pending: handler.command.reload`}, warnings(result))
	for _, part := range []string{`A run of the spec "test" does it`, "remove " + filepath.Join(j.dir, "pending")} {
		if text := result.Diagnostics.Error(); !strings.Contains(text, part) {
			t.Errorf("the warning lacks %q:\n%s", part, text)
		}
	}
}
