package wine

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"kinit/engine/transport"
)

// ended is how a script ended.
type ended struct {
	code        int
	out, errors string
}

// run runs a script as kinit does, on the way that conn is.
func run(t *testing.T, conn transport.Conn, script, input string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	var out, errors bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{Line: script, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &errors})
	if err != nil {
		t.Errorf("%.100s: %v", script, err)
	}
	return ended{code, out.String(), errors.String()}
}

// last is the last line of a text.
func last(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], "\r")
}

// testScripts has what the bootstrap promises to every script.
func testScripts(t *testing.T, conn transport.Conn) {
	for i, c := range []struct {
		name, script, input string
		code                int
		out                 string
		last                string // line of the errors
	}{
		{"an exit code of 32 bits", "exit -1073741510", "", -1073741510, "", ""},
		{"Unicode in both directions", "[Console]::Out.Write('ä€😀' + ([IO.StreamReader]::new($KinitInput)).ReadToEnd())", "é\n", 0, "ä€😀é", ""},
		{"the code of a program that ran last", "cmd.exe /c 'exit 5'", "", 5, "", ""},
		{"the message of an error is last, after a warning", "Write-Warning 'w1'; throw 'bäd < & €'", "", 1, "", "bäd < & €"},
		{"after Write-Host", "Write-Host 'h1'; throw 'boom'", "", 1, "h1", "boom"},
		{"after 6 KB of warnings", "1..60 | ForEach-Object { Write-Warning ('<&' * 50) }; throw 'boom'", "", 1, "", "boom"},
		{"an error of a command ends the script", "Get-Item C:/none; 'after'", "", 1, "", "Cannot find path 'C:\\none' because it does not exist."},
		{"progress says nothing", "$ProgressPreference = 'Continue'; Write-Progress -Activity 'a' -Status 'b'; 'x'", "", 0, "x", ""},
		{"a table is printed before an exit", "1; [pscustomobject]@{ a = 1; b = 2 }; 3; exit 4", "", 4, "1\r\n\r\na b\r\n- -\r\n1 2\r\n3", ""},
		{"a script that begins with param", "param([string] $a = 'x')\n$a", "", 0, "x", ""},
		{"one that begins with CmdletBinding", "[CmdletBinding()] param()\n'y'", "", 0, "y", ""},
		{"one that begins with using", "using namespace System.IO\n[Path]::GetFileName('C:/a/b')", "", 0, "b", ""},
		{"one that begins with begin", "begin { 'b' } process { } end { 'e' }", "", 0, "b\r\ne", ""},
		{"what is no script", "if (", "", 1, "", "Missing condition in if statement after 'if ('.\""},
	} {
		if !all() && i%4 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			got := run(t, conn, c.script, c.input)
			out := strings.TrimRight(got.out, "\r\n") // an exit prints an empty line
			if got.code != c.code || out != c.out || c.last != "" && last(got.errors) != c.last {
				t.Errorf("code %d, output %q, errors %q; want %d, %q and the last line %q", got.code, got.out, got.errors, c.code, c.out, c.last)
			}
			if strings.Contains(got.errors, "CLIXML") || strings.Contains(got.errors, "<Objs") {
				t.Errorf("people see CLIXML: %q", got.errors)
			}
		})
	}
}

// first is the first word of a text.
func first(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}
