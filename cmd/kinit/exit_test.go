package main

import (
	"fmt"
	"strings"
	"testing"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/transport"
)

func replaceRoot(text, root string) string { return strings.ReplaceAll(text, "%", root) }

func because(err error) diag.List {
	return diag.List{{Summary: "x", Cause: fmt.Errorf("dial: %w", err)}}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	result := func(s event.Status) []engine.Result { return []engine.Result{{Status: event.OK}, {Status: s}} }
	mistake := diag.List{{Summary: "x"}}
	for name, tc := range map[string]struct {
		args   string
		report engine.Report
		want   int
	}{
		"a run without changes":        {"run s", engine.Report{}, 0},
		"a run with changes":           {"run s", engine.Report{Results: result(event.Changed)}, 0},
		"a run with a warning":         {"run s", engine.Report{Diagnostics: diag.List{{Warning: true}}}, 0},
		"a failed task":                {"run s", engine.Report{Results: result(event.Failed), Diagnostics: mistake}, 1},
		"a failed check":               {"run s", engine.Report{Results: result(event.OK), Diagnostics: mistake}, 1},
		"no spec":                      {"run", engine.Report{}, 2},
		"two specs":                    {"run a b", engine.Report{}, 2},
		"a bad number":                 {"run s --forks x", engine.Report{}, 2},
		"no forks":                     {"run s --forks 0", engine.Report{}, 2},
		"a bad variable":               {"run s --var x", engine.Report{}, 2},
		"a bad format":                 {"run s --output xml", engine.Report{}, 2},
		"an argument too many":         {"version now", engine.Report{}, 2},
		"an unknown command":           {"walk", engine.Report{}, 2},
		"an invalid spec":              {"run s", engine.Report{Invalid: true, Diagnostics: mistake}, 3},
		"an invalid spec, validated":   {"validate s", engine.Report{Invalid: true, Diagnostics: mistake}, 3},
		"a plan without changes":       {"plan s", engine.Report{Results: result(event.OK)}, 0},
		"a plan with changes":          {"plan s", engine.Report{Results: result(event.Changed)}, 4},
		"a plan that failed":           {"plan s", engine.Report{Results: append(result(event.Changed), result(event.Failed)...), Diagnostics: mistake}, 1},
		"a checked run with changes":   {"run s --check", engine.Report{Results: result(event.Changed)}, 0},
		"a lab that lacks something":   {"lab status", engine.Report{Results: result(event.Changed)}, 4},
		"an unreachable host":          {"run s", engine.Report{Results: result(event.Unreachable), Diagnostics: mistake}, 5},
		"a lost connection":            {"run s", engine.Report{Diagnostics: because(transport.ErrUnreachable)}, 5},
		"a refused login":              {"run s", engine.Report{Diagnostics: because(transport.ErrAuth)}, 5},
		"an unknown host key":          {"run s", engine.Report{Diagnostics: because(transport.ErrHostKey)}, 5},
		"an unreachable host and more": {"run s", engine.Report{Results: append(result(event.Failed), result(event.Unreachable)...)}, 5},
		"help":                         {"run --help", engine.Report{}, 0},
		"no command":                   {"", engine.Report{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, strings.Fields(tc.args)...)
			p.report = tc.report
			if got := p.run(); got != tc.want {
				t.Errorf("got %d, want %d\n%s%s", got, tc.want, p.out.String(), p.err.String())
			}
		})
	}
}

func TestUsageErrorsSayWhereHelpIs(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "lab", "up", "nyctea")
	if code := p.run(); code != exit.Usage {
		t.Fatalf("got exit code %d", code)
	}
	want := "Error: kinit lab up: it takes no argument, \"nyctea\" was given\nSee 'kinit lab up --help'.\n"
	if got := p.err.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.out.Len() > 0 {
		t.Errorf("standard output has %q", p.out.String())
	}
}
