package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/event"
)

// nulls are the engine's arguments that may be null.
var nulls = []string{
	"host", "run_once", "when", "depends_on", "notify", "timeout", "throttle", "changed_when", "failed_when", "become", "environment",
	"cwd", "advice", "stage", "tags", "sensitive", "on_failure", "always", "flush_handlers",
}

// written are the arguments that are read before anything has a value.
var written = map[string]bool{"depends_on": true, "stage": true, "tags": true, "sensitive": true, "on_failure": true, "always": true, "flush_handlers": true}

func TestNullMeansThatAnArgumentIsNotSet(t *testing.T) {
	t.Parallel()
	for _, name := range nulls {
		values := []string{"null"}
		if !written[name] {
			values = append(values, "var.nothing")
		}
		for _, value := range values {
			t.Run(name+" = "+value, func(t *testing.T) {
				t.Parallel()
				more := ""
				if name == "run_once" {
					more = `hosts = run.hosts`
				}
				j := newJob(t, "a")
				result := j.run(`variable "nothing" { default = null }
` + block(`task "command"`, "one", fmt.Sprintf("%s = %s", name, value), more, `argv = ["false"]`))
				if len(result.Tasks) != 1 || result.Tasks[0].Status != event.Failed {
					t.Errorf("got %v", show(result))
				}
			})
		}
	}
}

func TestNullOfAnInnerArgumentMeansItsDefault(t *testing.T) {
	t.Parallel()
	j := newJob(t, "a")
	check(t, []string{`task.command.one["a"] changed`}, show(j.run(`
variable "nothing" { default = null }
stage "web" {
  serial   = var.nothing
  max_fail = var.nothing
}
task "command" "one" {
  stage = "web"
  hosts = run.hosts
  argv  = ["sh", "-c", "test -e DIR/one || { touch DIR/one; exit 1; }"]
  until = var.nothing
  retry {
    attempts = 2
    delay    = var.nothing
  }
}
`)))
}

// A task with null has what the block around it gives, as if the argument were left out.
func TestTaskWithNullInheritsFromItsBlock(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"null", "var.nothing"} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, "a,b")
			text := fmt.Sprintf(`
variable "nothing" { default = null }
block "outer" {
  host    = "b"
  timeout = "7m"
  cwd     = "DIR"
  throttle = 3
  task "command" "one" {
    host     = %[1]s
    timeout  = %[1]s
    throttle = %[1]s
    cwd      = %[1]s
    argv     = ["touch", "here"]
  }
}
`, value)
			one := j.build(text).Main.Tasks[0]
			if one.Host != "b" || one.Timeout.String() != "7m0s" || one.Throttle != 3 {
				t.Errorf("host %s, timeout %s, throttle %d", one.Host, one.Timeout, one.Throttle)
			}
			check(t, []string{"task.command.one changed"}, show(j.run(text)))
			if _, err := os.Stat(filepath.Join(j.dir, "here")); err != nil {
				t.Error(err)
			}
		})
	}
}

// What decides how many instances there are must be given: a task without its hosts would work on
// the machine that kinit runs on.
func TestNullIsNoListOfHosts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`hosts = var.nothing`:    "hosts is null. For no hosts give an empty list",
		`hosts = null`:           "hosts is null. For no hosts give an empty list",
		`for_each = var.nothing`: "Give a map, an object, or a set or list of texts.",
	} {
		j := newJob(t, "a")
		diags := j.mistakes("variable \"nothing\" { default = null }\n" + block(`task "command"`, "one", text, `argv = ["true"]`))
		if !strings.Contains(diags, want) {
			t.Errorf("%s: got %q, want %q", text, diags, want)
		}
	}
	j := newJob(t, "a")
	diags := j.mistakes(`variable "nothing" { default = null }
block "web" {
  hosts = run.hosts
  task "command" "one" {
    host = var.nothing
    argv = ["true"]
  }
}
`)
	if want := "host is null. The block around the task has hosts"; !strings.Contains(diags, want) {
		t.Errorf("got %q, want %q", diags, want)
	}
}
