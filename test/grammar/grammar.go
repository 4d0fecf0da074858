// Package grammar parses PowerShell with tree-sitter-powershell, a grammar that was
// written by others: what kinit sends to Windows, and what its simulator accepts, must
// be PowerShell in their eyes too. The grammar runs in Node as WebAssembly; it comes
// from the npm registry, in the versions of package-lock.json.
//
// What scripts use is held against lists of what Windows PowerShell 5.1 and .NET Framework 4.8 have.
package grammar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/need"
)

//go:embed package.json package-lock.json parse.mjs
var files embed.FS

// Script is a text of PowerShell.
type Script struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// With are the names of other scripts of the same check that are sent with it, whose functions it has.
	With []string `json:"-"`
}

// Problem is a place of a script that is wrong.
type Problem struct {
	Name         string
	Line, Column int
	// Kind is ERROR for what the grammar could not parse and MISSING for something that should be there; COMMAND,
	// PARAMETER, VALUE, TYPE, MEMBER or METHOD for what is not on the lists, and POWERSHELL 7 for its syntax.
	Kind string
	Text string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", p.Name, p.Line, p.Column, p.Kind, p.Text)
}

// patience is how long installing and parsing may take on a busy machine.
const patience = 5 * time.Minute

// Check fails the test for each place of the scripts that is not PowerShell, or that uses what
// Windows PowerShell 5.1 does not have. A script that begins another one from base64 is checked with it.
func Check(t testing.TB, scripts ...Script) {
	t.Helper()
	for _, p := range Faults(t, scripts...) {
		t.Errorf("%s", p)
	}
}

// Faults returns what Check finds.
func Faults(t testing.TB, scripts ...Script) []Problem {
	t.Helper()
	scripts = unfold(scripts)
	problems, uses := read(t, scripts)
	known, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	byScript := map[string][]use{}
	for _, u := range uses {
		byScript[u.Name] = append(byScript[u.Name], u)
	}
	for _, s := range scripts {
		functions := map[string][]string{}
		for _, other := range s.With {
			for _, u := range byScript[other] {
				if u.Use == "function" {
					functions[strings.ToLower(u.Command)] = u.Names
				}
			}
		}
		problems = append(problems, known.faults(byScript[s.Name], functions)...)
	}
	return problems
}

// inner is a script in base64 within another one, as shell.PowerShellBlock makes it.
var inner = regexp.MustCompile(`scriptblock\]::Create\(\[Text\.Encoding\]::UTF8\.GetString\(\[Convert\]::FromBase64String\('([A-Za-z0-9+/=]*)'`)

// unfold adds the scripts that are within others.
func unfold(scripts []Script) []Script {
	scripts = slices.Clone(scripts)
	for i := 0; i < len(scripts); i++ {
		for _, found := range inner.FindAllStringSubmatch(scripts[i].Text, -1) {
			if text, err := base64.StdEncoding.DecodeString(found[1]); err == nil {
				scripts = append(scripts, Script{Name: scripts[i].Name + ", inner script", Text: string(text) + "\n", With: []string{scripts[i].Name}})
			}
		}
	}
	return scripts
}

// Parse returns the places of the scripts that are not PowerShell. The test ends where
// Node or npm are missing.
func Parse(t testing.TB, scripts ...Script) []Problem {
	t.Helper()
	problems, _ := read(t, scripts)
	return problems
}

// read parses the scripts and returns what they use, too.
func read(t testing.TB, scripts []Script) ([]Problem, []use) {
	t.Helper()
	need.Programs(t, "npm", "node", "npm")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	folder, err := install(ctx)
	if err != nil {
		t.Fatal(err)
	}
	problems, uses, err := parse(ctx, folder, scripts)
	if err != nil {
		t.Fatal(err)
	}
	return problems, uses
}

// install puts the grammar into a folder of the user's cache, once for each state of
// the files that say what belongs there. Two that do it at the same time do it twice,
// and one of the results stays.
func install(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name, err := digest()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "kinit-test", "syntax-"+name)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := fill(ctx, fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(folder); there != nil {
			return "", err
		}
	}
	return folder, nil
}

// digest names a state of the files.
func digest() (string, error) {
	sum := sha256.New()
	for _, name := range []string{"package-lock.json", "parse.mjs"} {
		data, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// fill writes the files and installs what they name, without running any script of the
// packages: the grammar is in its package as WebAssembly.
func fill(ctx context.Context, folder string) error {
	if err := os.CopyFS(folder, files); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = folder
	if output, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("install the grammar: %w\n%s", err, output)
	}
	return nil
}

func parse(ctx context.Context, folder string, scripts []Script) ([]Problem, []use, error) {
	input, err := json.Marshal(scripts)
	if err != nil {
		return nil, nil, err
	}
	// Without the flag Node goes on to optimise the grammar for seconds after the end.
	node := exec.CommandContext(ctx, "node", "--liftoff-only", filepath.Join(folder, "parse.mjs"))
	node.Stdin = bytes.NewReader(input)
	var output, complaints bytes.Buffer
	node.Stdout, node.Stderr = &output, &complaints
	if err := node.Run(); err != nil {
		return nil, nil, fmt.Errorf("parse with the grammar: %w\n%s", err, &complaints)
	}
	return results(&output, len(scripts))
}

// results reads what the program found. Its last line counts what it has seen.
func results(output *bytes.Buffer, want int) ([]Problem, []use, error) {
	var problems []Problem
	var uses []use
	seen := -1
	for d := json.NewDecoder(output); d.More(); {
		var line struct {
			use
			Kind string `json:"kind"`
			Seen *int   `json:"seen"`
		}
		if err := d.Decode(&line); err != nil {
			return nil, nil, fmt.Errorf("what the grammar's program wrote: %w", err)
		}
		switch u := line.use; {
		case line.Seen != nil:
			seen = *line.Seen
		case line.Kind != "":
			problems = append(problems, Problem{Name: u.Name, Line: u.Line, Column: u.Column, Kind: line.Kind, Text: u.Text})
		default:
			uses = append(uses, u)
		}
	}
	if seen != want {
		return nil, nil, fmt.Errorf("the grammar's program parsed %d of %d scripts", seen, want)
	}
	return problems, uses, nil
}
