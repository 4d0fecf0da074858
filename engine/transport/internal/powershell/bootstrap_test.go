package powershell

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"kinit/test/grammar"
)

// decode is what powershell.exe makes of -EncodedCommand.
func decode(t *testing.T, line string) string {
	t.Helper()
	_, encoded, found := strings.Cut(line, " -EncodedCommand ")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(text)%2 != 0 {
		t.Fatalf("%s: %v", line, err)
	}
	var units []uint16
	for at := 0; at < len(text); at += 2 {
		units = append(units, binary.LittleEndian.Uint16(text[at:]))
	}
	return string(utf16.Decode(units))
}

func TestWhatCarriesScriptsIsOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	arguments, err := WithArguments("$Arguments.a", map[string]string{"a": "it's"})
	if err != nil {
		t.Fatal(err)
	}
	grammar.Check(t,
		grammar.Script{Name: "the bootstrap", Text: decode(t, CommandLine()) + "\n"},
		grammar.Script{Name: "a script with a fence", Text: Fenced("param($Value = 1)\n$Value", "C:/it's") + "\n"},
		grammar.Script{Name: "a script with arguments", Text: arguments + "\n"})
}

func TestCommandLineCarriesTheBootstrap(t *testing.T) {
	t.Parallel()
	line := CommandLine()
	const want = "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand "
	if !strings.HasPrefix(line, want) {
		t.Errorf("the line is %s", line)
	}
	if len(line) > 8191-len("cmd.exe /c ") {
		t.Errorf("the line has %d characters, which cmd.exe does not take", len(line))
	}
	got := decode(t, line)
	for _, part := range []string{"[Console]::OpenStandardInput()", "[scriptblock]::Create($kinitText)", "exit $LASTEXITCODE"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	if strings.Contains(strings.ToLower(bootstrap), "$input") {
		t.Error("the bootstrap names the piped input, so PowerShell would read standard input itself")
	}
}

func TestCompactLeavesOutWhatDoesNothing(t *testing.T) {
	t.Parallel()
	got := compact("# comment\n\n$a = 1\n    if ($a) { # stays\n}\n")
	if diff := cmp.Diff("$a = 1\nif ($a) { # stays\n}", got); diff != "" {
		t.Error(diff)
	}
}

func TestEncodeIsUTF16LittleEndian(t *testing.T) {
	t.Parallel()
	const text = "é😀$x"
	if got := decode(t, "x -EncodedCommand "+encode(text)); got != text {
		t.Errorf("%q became %q", text, got)
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	got, err := Header("'é'")
	if err != nil || string(got) != "00000008J8OpJw==" {
		t.Errorf("header %q, error %v", got, err)
	}
	if got, err := Header(""); err != nil || string(got) != "00000000" {
		t.Errorf("header of nothing %q, error %v", got, err)
	}
	if _, err := Header("\xff"); err == nil || err.Error() != "the script is not valid UTF-8" {
		t.Errorf("error is %v", err)
	}
	longest, err := Header(strings.Repeat("x", longestScript))
	if err != nil || string(longest[:8]) != "44739244" || len(longest) != 8+44739244 {
		t.Errorf("%d bytes, error %v", len(longest), err)
	}
	if _, err := Header(strings.Repeat("x", longestScript+1)); err == nil || !strings.Contains(err.Error(), "has 33554433 bytes") {
		t.Errorf("error is %v", err)
	}
}

func TestArgumentsAreNoPartOfTheText(t *testing.T) {
	t.Parallel()
	got, err := WithArguments("$Arguments.name", map[string]any{"name": "'; exit 1; '"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "$Arguments = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('eyJuYW1lIjoiJzsgZXhpdCAxOyAnIn0=')) | ConvertFrom-Json\n$Arguments.name"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := WithArguments("", func() {}); err == nil {
		t.Error("a function became an argument")
	}
}
