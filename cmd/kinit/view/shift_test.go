package view

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine"
	"kinit/engine/diag"
)

func TestTheMarkIsUnderTheRightWordsWhereASecretIsMasked(t *testing.T) {
	t.Parallel()
	redact := strings.NewReplacer("hunter22", "***", "日本日本日本", "***", "x", "***").Replace
	for _, c := range []struct{ line, subject, want string }{
		{`a = "hunter22" + unknown`, "unknown", "a = \"***\" + unknown\n            ^^^^^^^"},
		{`a = unknown + "hunter22"`, "unknown", "a = unknown + \"***\"\n    ^^^^^^^"},
		{`a = "hunter22" + b + "日本日本日本" + unknown`, "unknown", "a = \"***\" + b + \"***\" + unknown\n                        ^^^^^^^"},
		{`a = "hunter22hunter22" + unknown`, "unknown", "a = \"******\" + unknown\n               ^^^^^^^"},
		{`a = "hunter22"`, `"hunter22"`, "a = \"***\"\n    ^^^^^"},
		{`a = "my hunter22."`, "hunter22.", "a = \"my ***.\"\n        ^^^^"},
		{`a = "my hunter22."`, "unter", "a = \"my ***.\"\n        ^^^"},
		{`a = "***" + "hunter22" + unknown`, "unknown", "a = \"***\" + \"***\" + unknown\n                    ^^^^^^^"},
		{`é = "hunter22" + unknown`, "unknown", "é = \"***\" + unknown\n            ^^^^^^^"},
	} {
		start := strings.Index(c.line, c.subject)
		column := func(offset int) int { return len([]rune(c.line[:offset])) + 1 }
		subject := hcl.Range{Filename: "f", Start: hcl.Pos{Line: 1, Column: column(start), Byte: start},
			End: hcl.Pos{Line: 1, Column: column(start + len(c.subject)), Byte: start + len(c.subject)}}
		report := &engine.Report{Sources: map[string]*hcl.File{"f": {Bytes: []byte(c.line)}},
			Diagnostics: diag.List{{Summary: "Wrong", Subject: &subject}}}
		masked := RedactReport(report, redact)
		text := Diagnostics(masked.Diagnostics, masked.Sources, false, 0)
		want := "\nError: Wrong\n\n  on f line 1:\n  1: " + strings.Replace(c.want, "\n", "\n     ", 1) + "\n"
		if text != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.line, text, want)
		}
		if report.Diagnostics[0].Subject.Start.Column != column(start) {
			t.Errorf("the caller's report was changed")
		}
	}
}
