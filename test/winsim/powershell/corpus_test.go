package powershell_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/machinetest"
	"kinit/test/winsim/node"
)

// snippet is a piece of PowerShell with what a real one makes of it: testdata/README.md.
type snippet struct {
	Name       string   `json:"name"`
	Script     string   `json:"script"`
	Out        []string `json:"out"`
	Exit       uint32   `json:"exit"`
	Errors     bool     `json:"errors"`
	Differs    string   `json:"differs"`    // how 5.1 is known to differ from the one that was recorded
	Expected51 *string  `json:"expected51"` // what 5.1 prints then; without it, the snippet must be refused
	Refused    bool     `json:"refused"`    // whether the simulator may refuse it
}

// The simulator may refuse what kinit does not use. It must not do something else than PowerShell.
func TestCorpusIsAnsweredAsByPowerShellOrRefused(t *testing.T) {
	t.Parallel()
	m := corpusMachine(t)
	var agreed, refused, different int
	for i, s := range corpus(t) {
		got, err := s.run(t, m, fmt.Sprintf(`C:\corpus\%d`, i+1))
		switch {
		case err != nil:
			refused++
			if !s.Refused {
				t.Errorf("%s: %s\nis refused, and was not before: %v", s.Name, s.Script, err)
			}
		case got == s.want() && (s.Differs == "" || s.Expected51 != nil):
			agreed++
		default:
			different++
			t.Errorf("%s: %s\n wrote %q\nwanted %q", s.Name, s.Script, got, s.want())
		}
	}
	t.Logf("%d agreed, %d refused, %d different", agreed, refused, different)
}

// want is what the snippet writes, with its exit code and whether there were errors.
func (s snippet) want() string {
	out := strings.Join(s.Out, "|")
	if s.Expected51 != nil {
		out = *s.Expected51
	}
	return result(out, s.Exit, s.Errors)
}

func result(out string, code uint32, errors bool) string {
	if code != 0 {
		out += fmt.Sprintf(" and ends with code %d", code)
	}
	if errors {
		out += " and has errors"
	}
	return out
}

// corpus reads the snippets.
func corpus(t *testing.T) []snippet {
	t.Helper()
	text, err := os.ReadFile("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []snippet
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var s snippet
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func corpusMachine(t *testing.T) *machine.Machine {
	t.Helper()
	release, _ := machine.FindRelease("2k22")
	m, err := node.New(machine.Options{Release: release, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	machinetest.Run(t, m)
	return m
}

// each writes what a pipeline returns as text, as the recording did, and keeps its order with what
// scripts write themselves.
const each = " | ForEach-Object { if ($null -ne $_) { [Console]::Out.WriteLine([string]$_) } }"

// run runs a snippet with a folder of its own. The error is what the simulator does not know.
func (s snippet) run(t *testing.T, m *machine.Machine, folder string) (string, error) {
	t.Helper()
	if err := m.Files.Mkdir(folder); err != nil {
		t.Fatal(err)
	}
	script := utf16.Encode([]rune(". { " + s.Script + "\n}" + each + "\nexit 0"))
	encoded, err := binary.Append(nil, binary.LittleEndian, script)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	start := machine.Start{
		Program: machine.PowerShellPath, Env: m.Environment("S-1-5-18"), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Args: []string{"-NoProfile", "-NonInteractive", "-EncodedCommand", base64.StdEncoding.EncodeToString(encoded)},
	}
	start.Env.Set("CORPUS_TMP", folder)
	p, err := m.Launch(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done():
	case <-time.After(time.Minute):
		p.Kill()
		t.Fatalf("%s does not end", s.Name)
	}
	code := p.Wait()
	if err := p.Failure(); err != nil {
		return "", err
	}
	out, err := charmap.CodePage437.NewDecoder().String(stdout.String())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(out, "\r\n", "\n"), "\n"), "\n")
	return result(strings.Join(slices.Clip(lines), "|"), code, stderr.Len() > 0), nil
}
