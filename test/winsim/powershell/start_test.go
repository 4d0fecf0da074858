package powershell_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf16"

	"kinit/test/winsim/powershell"
)

// encoded is a script as -EncodedCommand has it.
func encoded(script string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(script)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stdin    string
		words          []string
		stdout, stderr string
		code           uint32
	}{
		{"an encoded command", "", []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-EncodedCommand", encoded("'é'.Length; exit 4")}, "1\r\n", "", 4},
		{"short forms", "", []string{"-nop", "-noni", "-ep", "bypass", "-e", encoded("'x'")}, "x\r\n", "", 0},
		{"a command is all words", "", []string{"-c", "'a';", "'b'"}, "a\r\nb\r\n", "", 0},
		{"a command without a name", "", []string{"'a'"}, "a\r\n", "", 0},
		{"the input", "'from stdin'", []string{"-Command", "-"}, "from stdin\r\n", "", 0},
		{"a file", "", []string{"-NoProfile", "-File", `C:\tmp\s.ps1`, "-Name", "x", "y"}, "x y C:\\tmp\r\n", "", 9},
		{"no such file", "", []string{"-File", `C:\tmp\none.ps1`}, "", "The argument 'C:\\tmp\\none.ps1' to the -File parameter does not exist. Provide the path to an existing '.ps1' file as an argument to the -File parameter.\r\n", 0xFFFD0000},
		{"no base64", "", []string{"-EncodedCommand", "%%%"}, "", "Cannot process the command because the value specified with -EncodedCommand is not properly encoded. The value must be Base64 encoded.\r\n", 0xFFFD0000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost()
			h.files[`c:\tmp\s.ps1`] = []byte("param($Name, $Other)\n\"$Name $Other $PSScriptRoot\"\nexit 9")
			var stdout, stderr bytes.Buffer
			code, err := powershell.Start(t.Context(), powershell.New(h), c.words, powershell.Job{Stdin: strings.NewReader(c.stdin), Stdout: &stdout, Stderr: &stderr, Dir: `C:\tmp`})
			if err != nil || code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
				t.Errorf("gave %d, %v, %q, %q", code, err, stdout.String(), stderr.String())
			}
		})
	}
}
