package ordinary

import (
	"strings"
	"testing"

	"kinit/engine"
)

func windows(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// Editors and git on Windows write "\r\n" into everything that a playbook is made of. Ansible-modules-core issues 2321 and 1480,
// emscripten issue 12379.
func TestPlaybookFromWindowsWorks(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	playbook := windows(`variable "v" {
  default = "none"
}
locals {
  text = <<-EOT
    one
    two ${var.v}
  EOT
}
block "b" {
  hosts = run.hosts
  task "shell" "s" {
    commands = <<-EOT
      x=1
      if [ $x = 1 ]; then
        printf '%s' "$x" >/srv/shell
      fi
    EOT
    creates = "/srv/shell"
  }
  task "shell" "file" {
    commands = file("s.sh")
    creates  = "/srv/script"
  }
  task "script" "s" {
    source     = "s.sh"
    args       = ["2"]
    creates    = "/srv/script2"
    depends_on = [task.shell.file]
  }
  task "copy" "text" {
    dest    = "/srv/text"
    content = local.text
  }
  task "copy" "file" {
    dest   = "/srv/file"
    source = "t.tmpl"
  }
  task "template" "t" {
    dest     = "/srv/template"
    template = file("t.tmpl")
  }
  task "copy" "templatefile" {
    dest    = "/srv/templatefile"
    content = templatefile("t.tmpl", {})
  }
}
`)
	template := windows("# list\n%{ for x in [\"a\", \"b\"] ~}\n- ${x}\n%{ endfor ~}\nend\n")
	o := h.options(t, "root", playbook, map[string]string{
		"s.sh": windows("#!/bin/sh\nset -e\necho hi >/srv/script$1\n"), "t.tmpl": template, "vars.hcl": windows("v = \"val\"\n"),
	})
	o.VarFiles = []string{"vars.hcl"}
	if err := engine.Run(t.Context(), o).Diagnostics.Err(); err != nil {
		t.Error(err)
	}
	if again := engine.Run(t.Context(), o); again.Changes() != 0 {
		t.Errorf("the second run made %d changes", again.Changes())
	}
	rendered := windows("# list\n- a\n- b\nend\n")
	for name, want := range map[string]string{
		"shell": "1", "script": "hi\n", "script2": "hi\n", "text": "one\ntwo val\n", "file": template, "template": rendered, "templatefile": rendered,
	} {
		if got := h.sh(t, "cat /srv/"+name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// Files on hosts are not all in UTF-8, nor with the line ends of Unix.
func TestEditedFilesKeepTheirBytesAndLineEnds(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const line = "task \"line_in_file\" \"t\" {\n  path = \"/srv/f\"\n  match = \"^two=\"\n  line = \"two=2\"\n}"
	const block = "task \"block_in_file\" \"t\" {\n  path = \"/srv/f\"\n  block = \"b\\n\"\n}"
	const option = "task \"ini_file\" \"t\" {\n  path = \"/srv/f\"\n  section = \"a\"\n  option = \"b\"\n  value = \"c\"\n}"
	const replace = "task \"replace\" \"t\" {\n  path = \"/srv/f\"\n  match = \"Jos\\\\b\"\n  replacement = \"Joe\"\n}"
	for name, c := range map[string]struct{ tasks, before, want string }{
		"a line of Windows":        {line, "one=1\r\ntwo=1\r\n", "one=1\r\ntwo=2\r\n"},
		"a line that is there":     {line, "two=2\r\n", "two=2\r\n"},
		"a new line of Windows":    {line, "one=1\r\nlast", "one=1\r\nlast\r\ntwo=2\r\n"},
		"both line ends":           {line, "one=1\r\nlast\n", "one=1\r\nlast\ntwo=2\n"},
		"no line end":              {line, "one=1\nlast", "one=1\nlast\ntwo=2\n"},                                                     // Ansible issue 6881
		"no match":                 {line, "x\n", "x\ntwo=2\n"},                                                                       // Ansible issue 29776
		"a block of Windows":       {block, "a\r\n", "a\r\n# BEGIN kinit block\r\nb\r\n# END kinit block\r\n"},                        // Ansible issue 85283
		"a block without line end": {block, "# BEGIN kinit block\nb\n# END kinit block", "# BEGIN kinit block\nb\n# END kinit block"}, // Ansible issue 75009
		"an option of Windows":     {option, "[a]\r\nb=1\r\nd=2\r\n", "[a]\r\nb=c\r\nd=2\r\n"},
		"an option in Latin-1":     {option, "# Jos\xe9\n[a]\nb=1\n", "# Jos\xe9\n[a]\nb=c\n"}, // Ansible issue 43011
		"a line in Latin-1":        {line, "two=Jos\xe9\n# Jos\xe9\n", "two=2\n# Jos\xe9\n"},   // Ansible issue 84817
		"a replacement in Latin-1": {replace, "\xe9 Jos Jos\xe9\n", "\xe9 Joe Joe\xe9\n"},      // Ansible issue 24521
		"a block in Latin-1":       {block, "\xe9\n", "\xe9\n# BEGIN kinit block\nb\n# END kinit block\n"},
	} {
		t.Run(name, func(t *testing.T) {
			here{before: "printf %b '" + octal(c.before) + "' >/srv/f", tasks: c.tasks, after: "cat /srv/f", want: c.want}.test(t, h)
		})
	}
	here{
		before: `printf 'a\000b' >/srv/f`, tasks: line, fails: "/srv/f has a zero byte in it, want a text file",
	}.test(t, h)
	here{
		before: `printf '\351\n' >/srv/f`, tasks: strings.ReplaceAll(replace, `Jos\\b`, "a(?!b)"),
		fails: "the text is not UTF-8, and expressions with look-ahead, look-behind or references to groups need that: write a simpler one",
	}.test(t, h)
	here{ // Ansible issue 20413
		tasks: "task \"line_in_file\" \"t\" {\n  path = \"/srv/f\"\n  line = \"a\\nb\"\n}", fails: "line has a line end in it, want one line: for several use block_in_file",
	}.test(t, h)
}

// octal is a text for printf %b.
func octal(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteString("\\0" + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
	}
	return b.String()
}
