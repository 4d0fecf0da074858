package run_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestSecretIsMadeOnceAndMaskedWhereItIsUsed(t *testing.T) {
	t.Parallel()
	j := newJob(t, "db")
	const site = `
secret "password" {
  kind   = "password"
  host   = "db"
  path   = "DIR/password"
  length = 20
}
task "copy" "conf" {
  host    = "db"
  dest    = "DIR/conf"
  content = "password=${secret.password}"
}
task "command" "says" {
  host        = "db"
  argv        = ["sh", "-c", "echo ${secret.password} >&2; exit 1"]
}
`
	result := j.run(site)
	check(t, []string{"task.secret.password changed", "task.copy.conf changed", "task.command.says failed"}, show(result))
	made := strings.TrimSpace(j.read("password"))
	if len(made) != 20 || j.read("conf") != "password="+made {
		t.Errorf("%d letters made, conf %q", len(made), j.read("conf"))
	}
	if text := fmt.Sprintf("%+v %+v", result.Tasks, result.Diagnostics); strings.Contains(text, made) || !strings.Contains(text, "a sensitive value is among its arguments") {
		t.Errorf("shown: %s", text)
	}
	j.run(site)
	if got := strings.TrimSpace(j.read("password")); got != made {
		t.Errorf("made %s, then %s", made, got)
	}
}
