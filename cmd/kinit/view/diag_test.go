package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"

	"kinit/engine/diag"
)

const site = `variable "hosts" {}

task "fil" "motd" {
	path    = "/etc/motd"
  content = "日本 ${var.nam}"
}

task "command" "long" { argv = ["echo", "a very long line that no terminal of eighty columns can show", var.missing, "and more"] }
`

// sources is the site, parsed.
func sources(t *testing.T) map[string]*hcl.File {
	t.Helper()
	file, diags := hclparse.NewParser().ParseHCL([]byte(site), "site.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return map[string]*hcl.File{"site.hcl": file}
}

// at is the range of a text in the site.
func at(t *testing.T, text string) *hcl.Range {
	t.Helper()
	start := strings.Index(site, text)
	if start < 0 {
		t.Fatalf("no %q in the site", text)
	}
	return &hcl.Range{Filename: "site.hcl", Start: position1(start), End: position1(start + len(text))}
}

// position1 is the position of an offset; columns count runes, as the site has no
// combining characters.
func position1(offset int) hcl.Pos {
	before := site[:offset]
	line := strings.Count(before, "\n")
	column := len([]rune(before[strings.LastIndex(before, "\n")+1:]))
	return hcl.Pos{Line: line + 1, Column: column + 1, Byte: offset}
}

func TestDiagnosticGolden(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		d      diag.Diagnostic
		colour bool
		width  int
		want   string
	}{
		"a mistake in a block's header": {
			d: diag.Diagnostic{
				Summary: "Unknown module", Subject: at(t, `"fil"`),
				Detail: `There is no module "fil". Did you mean "file"?`,
			},
			want: `Error: Unknown module

  on site.hcl line 3, in task "fil" "motd":
  3: task "fil" "motd" {
          ^^^^^

There is no module "fil". Did you mean "file"?
`,
		},
		"a failed task with its host": {
			d: diag.Diagnostic{
				Summary: "Command failed", Subject: at(t, `task "fil" "motd"`), Address: "task.fil.motd", Host: "nyctea",
				Detail: "command ended with code 1: false\n  no such file",
			},
			want: `Error: Command failed

  on site.hcl line 3, in task "fil" "motd":
  3: task "fil" "motd" {
     ^^^^^^^^^^^^^^^^^

command ended with code 1: false
  no such file

  task task.fil.motd
  host nyctea
`,
		},
		"a tab before and wide characters before": {
			d: diag.Diagnostic{Warning: true, Summary: "No such variable", Subject: at(t, `var.nam`)},
			want: `Warning: No such variable

  on site.hcl line 5, in task "fil" "motd":
  5:   content = "日本 ${var.nam}"
                         ^^^^^^^
`,
		},
		"a tab is four spaces": {
			d: diag.Diagnostic{Summary: "Bad", Subject: at(t, `"/etc/motd"`)},
			want: `Error: Bad

  on site.hcl line 4, in task "fil" "motd":
  4:     path    = "/etc/motd"
                   ^^^^^^^^^^^
`,
		},
		"lines of context around it": {
			d: diag.Diagnostic{Summary: "Bad", Subject: at(t, `content`), Context: &hcl.Range{
				Filename: "site.hcl", Start: hcl.Pos{Line: 3, Column: 1}, End: hcl.Pos{Line: 6, Column: 2}}},
			want: `Error: Bad

  on site.hcl line 5, in task "fil" "motd":
  3: task "fil" "motd" {
  4:     path    = "/etc/motd"
  5:   content = "日本 ${var.nam}"
       ^^^^^^^
  6: }
`,
		},
		"a subject of several lines": {
			d: diag.Diagnostic{Summary: "Bad", Subject: at(t, "\"motd\" {\n\tpath    = \"/etc/motd\"\n")},
			want: `Error: Bad

  on site.hcl line 3, in task "fil" "motd":
  3: task "fil" "motd" {
                ^^^^^^^^
  4:     path    = "/etc/motd"
  5:   content = "日本 ${var.nam}"
`,
		},
		"outside of a block": {
			d: diag.Diagnostic{Summary: "Bad", Subject: &hcl.Range{Filename: "site.hcl",
				Start: hcl.Pos{Line: 2, Column: 1, Byte: 20}, End: hcl.Pos{Line: 2, Column: 1, Byte: 20}}},
			want: `Error: Bad

  on site.hcl line 2:
  2: 
     ^
`,
		},
		"colours": {
			d:      diag.Diagnostic{Summary: "Unknown module", Subject: at(t, `"fil"`), Host: "h"},
			colour: true,
			want: "\x1b[1;31mError: \x1b[0m\x1b[1mUnknown module\x1b[0m\n\n" +
				"  on site.hcl line 3, in task \"fil\" \"motd\":\n" +
				"\x1b[2m  3: \x1b[0mtask \"fil\" \"motd\" {\n" +
				"          \x1b[31m^^^^^\x1b[0m\n\n" +
				"\x1b[2m  host \x1b[0mh\n",
		},
		"a narrow terminal": {
			d: diag.Diagnostic{
				Summary: "No such variable", Subject: at(t, `var.missing`),
				Detail: "No variable has this name. Declare it with a variable block, or set it nowhere.",
			},
			width: 40,
			want: `Error: No such variable

  on site.hcl line 8, in task "command"
  "long":
  8: ... show", var.missing, "and mor...
                ^^^^^^^^^^^

No variable has this name. Declare it
with a variable block, or set it
nowhere.
`,
		},
		"no place": {
			d: diag.Diagnostic{Summary: "Host unreachable", Detail: "dial tcp: timeout", Address: "task.x.y", Host: "tyto"},
			want: `Error: Host unreachable

dial tcp: timeout

  task task.x.y
  host tyto
`,
		},
		"a file that is missing": {
			d: diag.Diagnostic{Summary: "Bad", Subject: &hcl.Range{Filename: "other.hcl", Start: hcl.Pos{Line: 3}}},
			want: `Error: Bad

  on other.hcl line 3:
`,
		},
		"control sequences of a host": {
			d: diag.Diagnostic{Summary: "Command failed", Detail: "\x1b[31mred\x1b[0m\r\n\x1b[2Jx"},
			want: `Error: Command failed

red
x
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Spaces at the end of lines are dropped in the wanted text too.
			equal(t, diagnostic(diag.List{tc.d}, sources(t), tc.colour, tc.width), strings.ReplaceAll(tc.want, ": \n", ":\n"))
		})
	}
}

func TestDiagnosticSurvivesAnyRange(t *testing.T) {
	t.Parallel()
	numbers := []int{-1 << 40, -1, 0, 1, 3, 8, 9, 10, 1000, 1 << 40}
	files := sources(t)
	for _, line := range numbers {
		for _, column := range numbers {
			for _, endLine := range numbers {
				for _, width := range []int{0, 1, 4, 5, 6, 20} {
					subject := hcl.Range{Filename: "site.hcl",
						Start: hcl.Pos{Line: line, Column: column, Byte: column},
						End:   hcl.Pos{Line: endLine, Column: -column, Byte: line}}
					context := subject
					context.End.Line++
					text := diagnostic(diag.List{{Summary: "x", Subject: &subject, Context: &context}}, files, true, width)
					if text == "" {
						t.Fatal("no text")
					}
				}
			}
		}
	}
}

func FuzzDiagnosticFitsItsWidth(f *testing.F) {
	f.Add("a {\n b = 1\n}\n", 2, 1, 2, 5, 20)
	f.Add("\tx = \"日本\"\r\n", 1, 7, 1, 9, 12)
	f.Fuzz(func(t *testing.T, source string, line, column, endLine, endColumn, width int) {
		if width < 1 || width > 200 || len(source) > 1000 {
			return
		}
		subject := hcl.Range{Filename: "f", Start: hcl.Pos{Line: line, Column: column}, End: hcl.Pos{Line: endLine, Column: endColumn}}
		files := map[string]*hcl.File{"f": {Bytes: []byte(source)}}
		text := diagnostic(diag.List{{Summary: source, Detail: source, Subject: &subject}}, files, false, width)
		if got := widest(text); got > width && width > 1 {
			t.Errorf("a line takes %d columns of %d:\n%s", got, width, text)
		}
	})
}

func ExampleDiagnostics() {
	list := diag.List{{Summary: "One"}, {Summary: "Two", Warning: true}}
	fmt.Print(Diagnostics(list, nil, false, 0))
	// Output:
	//
	// Error: One
	//
	// Warning: Two
}
