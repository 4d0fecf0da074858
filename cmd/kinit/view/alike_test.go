package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// failedOn is the same failure on a host.
func failedOn(host, text string, line int) diag.Diagnostic {
	return diag.Diagnostic{
		Summary: "Host unreachable", Detail: text, Host: host, Address: fmt.Sprintf("task.command.x[%q]", host),
		Subject: &hcl.Range{Filename: "site.hcl", Start: hcl.Pos{Line: line}, End: hcl.Pos{Line: line}},
	}
}

func TestTheSameFailureOnManyHostsIsToldOnce(t *testing.T) {
	t.Parallel()
	var list diag.List
	for i := range 50 {
		name := fmt.Sprintf("web%02d", i)
		list = append(list, failedOn(name, fmt.Sprintf("connect to %s (192.0.2.%d:22): unreachable: no answer within 15s", name, i), 7))
	}
	list = append(list, failedOn("db1", "connect to db1 (192.0.2.99:22): unreachable: connection refused", 7))
	text := Diagnostics(list, nil, false, 80)
	if n := strings.Count(text, "Error: Host unreachable"); n != 2 {
		t.Errorf("it is told %d times, want 2:\n%s", n, text)
	}
	for _, want := range []string{
		"connect to web00 (192.0.2.0:22): unreachable: no answer within 15s\n",
		"  task task.command.x[\"web00\"] and 49 more\n  50 hosts: web00, web01, web02,",
		"web49\n",
		"  task task.command.x[\"db1\"]\n  host db1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

func TestDifferentFailuresAreToldEach(t *testing.T) {
	t.Parallel()
	list := diag.List{failedOn("a", "x", 1), failedOn("b", "x", 2), failedOn("c", "y", 1), {Summary: "Host unreachable", Detail: "x"}}
	if n := len(alike(list)); n != 4 {
		t.Errorf("%d groups, want 4", n)
	}
}

func TestHostOfSeveralTasksWithTheSameFailureIsNamedOnce(t *testing.T) {
	t.Parallel()
	one, two := failedOn("h2", "disk full", 1), failedOn("h2", "disk full", 1)
	two.Address = `task.command.x["other"]`
	if text, want := Diagnostics(diag.List{one, two}, nil, false, 80), "  task task.command.x[\"h2\"] and 1 more\n  host h2\n"; !strings.Contains(text, want) {
		t.Errorf("want %q in:\n%s", want, text)
	}
	three := failedOn("h3", "disk full", 1)
	if text, want := Diagnostics(diag.List{one, two, three}, nil, false, 80), "  2 hosts: h2, h3\n"; !strings.Contains(text, want) {
		t.Errorf("want %q in:\n%s", want, text)
	}
}
