package run_test

import (
	"fmt"
	"path/filepath"
	"testing"
)

func TestModuleOfAnotherSystemIsRefusedWithThePlaceAndWhatToUse(t *testing.T) {
	j := newJob(t, "windows1")
	result := j.run("stage \"a\" {}\n" +
		"task \"command\" \"list\" {\n  stage = \"a\"\n  hosts = run.hosts\n  argv  = [\"touch\", \"DIR/made\"]\n}\n")
	check(t, []string{`task.command.list["windows1"] failed`}, show(result))
	var told []string
	for _, d := range result.Diagnostics {
		told = append(told, fmt.Sprintf("%s:%d: %s: %s: %s",
			filepath.Base(d.Subject.Filename), d.Subject.Start.Line, d.Host, d.Summary, d.Detail))
	}
	check(t, []string{"site.hcl:2: windows1: Wrong operating system: " +
		"the module command works on Linux hosts, and this one runs Windows: use win_command"}, told)
	if j.read("made") != "none" {
		t.Error("the command ran")
	}
}
