package powershell

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
)

// host is a Windows host that answers every script alike and keeps what it was given.
type host struct {
	*moduletest.FakeHost
	stdout string
	err    error

	command module.Command
	input   string
	runs    int
}

func newHost(t *testing.T) *host { return &host{FakeHost: moduletest.NewFakeHost(t, "")} }

func (h *host) OS() module.OS { return module.Windows }

func (h *host) Run(_ context.Context, c module.Command) (module.Output, error) {
	input, err := io.ReadAll(c.Stdin)
	if err != nil {
		return module.Output{}, err
	}
	h.command, h.input = c, string(input)
	h.runs++
	return module.Output{Stdout: h.stdout}, h.err
}

func TestArgumentsGoAheadOfTheInputAndNotIntoTheScript(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stdout = "kinit:{\"value\":null}\r\n"
	args := map[string]string{"name": "it's $(ümlaut)\n"}
	if err := Send(t.Context(), h, "Get-Item", args, strings.NewReader("the rest"), nil); err != nil {
		t.Fatal(err)
	}
	const encoded = "eyJuYW1lIjoiaXQncyAkKMO8bWxhdXQpXG4ifQ=="
	if want := "00000040" + encoded + "the rest"; h.input != want {
		t.Errorf("input %q, want %q", h.input, want)
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if want := `{"name":"it's $(ümlaut)\n"}`; err != nil || string(text) != want {
		t.Errorf("arguments %q, %v, want %q", text, err, want)
	}
	if h.command.PowerShell != whole("Get-Item") || strings.Contains(h.command.PowerShell, "ümlaut") {
		t.Errorf("script %s", h.command.PowerShell)
	}
}

func TestTheLastLineWithTheMarkIsTheAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, stdout, want string }{
		{"alone", "kinit:{\"value\":{\"Name\":\"ümlaut\"}}\n", "ümlaut"},
		{"after other lines", "WARNING: restart\r\nkinit:{\"value\":{\"Name\":\"a\"}}\r\n", "a"},
		{"after one like it", "kinit:{}\nkinit:{\"value\":{\"Name\":\"b\"}}\nmore\n", "b"},
		{"without a line end", "kinit:{\"value\":{\"Name\":\"c\"}}", "c"},
	} {
		h := newHost(t)
		h.stdout = c.stdout
		got, err := Value[struct{ Name string }](t.Context(), h, "", nil)
		if err != nil || got.Name != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got.Name, err, c.want)
		}
	}
}

func TestErrorsLeadWithWhatPowerShellSaid(t *testing.T) {
	t.Parallel()
	exit := &module.ExitError{Command: name, Code: 1, Stderr: "parse error\n"}
	lost := errors.New("connection lost")
	for _, c := range []struct {
		name, stdout string
		err          error
		want         string
	}{
		{"thrown by a cmdlet", `kinit:{"failure":{"message":"no opensesame \r\n","id":"NoServiceFound,Get","code":-2147024894,"at":"Get-Service x"}}`, exit,
			"no ***\nNoServiceFound, HRESULT 0x80070002, at: Get-Service x"},
		{"thrown as text", `kinit:{"failure":{"message":"sc.exe ended with code 5: no","id":"sc.exe ended with code 5: no","code":-2146233087,"at":"throw"}}`, exit,
			"sc.exe ended with code 5: no\nat: throw"},
		{"no answer and a bad end", "", exit, "command ended with code 1: parse error\n$ a script of kinit"},
		{"no answer", "one\ntwo\n", nil, `a script ended without an answer and printed "one\ntwo"`},
		{"the connection", "kinit:{}", lost, "connection lost"},
		{"an answer that is no JSON", "kinit:opensesame", nil,
			"decode the answer of a script: invalid character 'o' looking for beginning of value: ***"},
		{"a value of another type", `kinit:{"value":3}`, nil,
			`decode the value of a script: json: cannot unmarshal number into Go value of type string: {"value":3}`},
	} {
		h := newHost(t)
		h.AddSecret("opensesame")
		h.stdout, h.err = c.stdout, c.err
		if _, err := Value[string](t.Context(), h, "", nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestAnAnswerCountsWhereOtherOutputMayBeMissing(t *testing.T) {
	t.Parallel()
	gap := fmt.Errorf("run: %w", transport.ErrIncomplete)
	h := newHost(t)
	h.stdout, h.err = "kinit:{\"value\":7}\n", gap
	if got, err := Value[int](t.Context(), h, "", nil); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	for _, stdout := range []string{"", "kinit:{\"val"} {
		h.stdout, h.runs = stdout, 0
		if _, err := Read[int](t.Context(), h, "", nil); !errors.Is(err, transport.ErrIncomplete) || h.runs != 2 {
			t.Errorf("%q: %v after %d runs, want one more try", stdout, err, h.runs)
		}
	}
}

func TestCodeIsThatOfTheScript(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stdout = `kinit:{"failure":{"message":"x","code":-2147024894}}`
	if code := Code(Run(t.Context(), h, "", nil, nil)); code != 0x80070002 {
		t.Errorf("code %#x", code)
	}
	if code := Code(errors.New("other")); code != 0 {
		t.Errorf("code %#x of another error", code)
	}
}

func TestLinuxHostsAreRefused(t *testing.T) {
	t.Parallel()
	err := Run(t.Context(), moduletest.NewFakeHost(t, ""), "", nil, nil)
	if want := "fake runs Linux and not Windows"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
