package main

import (
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/need"
)

// TestEveryCommandHasAManualPage lets man itself format each page: it must warn of nothing, and the
// page must have the command's flags.
func TestEveryCommandHasAManualPage(t *testing.T) {
	t.Parallel()
	need.Programs(t, "groff", "groff")
	pages := manPages(newCLI(newProgram(t).App), "v1.2.3")
	if got, want := len(pages), len(allCommands(t))+1; got != want {
		t.Errorf("%d pages, want %d", got, want)
	}
	for name, page := range pages {
		cmd := exec.CommandContext(t.Context(), "groff", "-Kutf8", "-man", "-Tutf8", "-ww", "-P-c")
		cmd.Stdin = strings.NewReader(page)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "warning:") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if name == "kinit-ci-serve.1" && !strings.Contains(string(out), "--results FOLDER") {
			t.Errorf("%s lacks --results:\n%s", name, out)
		}
	}
}

func TestManualPagesKeepTextThatLooksLikeRequests(t *testing.T) {
	t.Parallel()
	page := manPages(newCLI(newProgram(t).App), `v1\.2`)["kinit-run.1"]
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") {
			t.Errorf("line %q is a request", line)
		}
	}
	if !strings.Contains(page, `\-\-hosts HOSTS`) {
		t.Errorf("the page lacks --hosts:\n%s", page)
	}
}
