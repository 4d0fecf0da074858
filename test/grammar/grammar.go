// Package grammar parses PowerShell with tree-sitter-powershell, a grammar that was
// written by others: what kinit sends to Windows, and what its simulator accepts, must
// be PowerShell in their eyes too. The grammar runs in Node as WebAssembly; it comes
// from the npm registry, in the versions of package-lock.json.
package grammar

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
}

// Problem is a place that the grammar could not parse.
type Problem struct {
	Name   string `json:"name"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Kind   string `json:"kind"` // ERROR, or MISSING for something that should be there
	Text   string `json:"text"`
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", p.Name, p.Line, p.Column, p.Kind, p.Text)
}

// patience is how long installing and parsing may take on a busy machine.
const patience = 5 * time.Minute

// Check fails the test for each place of the scripts that is not PowerShell.
func Check(t testing.TB, scripts ...Script) {
	t.Helper()
	for _, p := range Parse(t, scripts...) {
		t.Errorf("%s", p)
	}
}

// Parse returns the places of the scripts that are not PowerShell. The test ends where
// Node or npm are missing.
func Parse(t testing.TB, scripts ...Script) []Problem {
	t.Helper()
	need.Programs(t, "npm", "node", "npm")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	folder, err := install(ctx)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := parse(ctx, folder, scripts)
	if err != nil {
		t.Fatal(err)
	}
	return problems
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

func parse(ctx context.Context, folder string, scripts []Script) ([]Problem, error) {
	input, err := json.Marshal(scripts)
	if err != nil {
		return nil, err
	}
	// Without the flag Node goes on to optimise the grammar for seconds after the end.
	node := exec.CommandContext(ctx, "node", "--liftoff-only", filepath.Join(folder, "parse.mjs"))
	node.Stdin = bytes.NewReader(input)
	var output, complaints bytes.Buffer
	node.Stdout, node.Stderr = &output, &complaints
	if err := node.Run(); err != nil {
		return nil, fmt.Errorf("parse with the grammar: %w\n%s", err, &complaints)
	}
	return results(&output, len(scripts))
}

// results reads what the program found. Its last line counts what it has seen.
func results(output *bytes.Buffer, want int) ([]Problem, error) {
	var problems []Problem
	seen := -1
	for d := json.NewDecoder(output); d.More(); {
		var line struct {
			Problem
			Seen *int `json:"seen"`
		}
		if err := d.Decode(&line); err != nil {
			return nil, fmt.Errorf("what the grammar's program wrote: %w", err)
		}
		if line.Seen != nil {
			seen = *line.Seen
			continue
		}
		problems = append(problems, line.Problem)
	}
	if seen != want {
		return nil, fmt.Errorf("the grammar's program parsed %d of %d scripts", seen, want)
	}
	return problems, nil
}
