package arch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pkg is what "go list -json" says of a package.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	Name       string
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
}

func TestImportsKeepTheDirectionOfTheArchitecture(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			for _, r := range importRules {
				if r.forbids(p.ImportPath, imported) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imported, r.Reason)
				}
			}
		}
	}
}

// A rule that names a missing package forbids nothing, which would go unnoticed.
func TestImportRulesCanBeBroken(t *testing.T) {
	t.Parallel()
	all := list(t)
	for _, r := range importRules {
		banned := func(p pkg) bool {
			return below(p.ImportPath, r.Ban) || slices.ContainsFunc(p.Imports, func(imported string) bool { return below(imported, r.Ban) })
		}
		if !slices.ContainsFunc(all, banned) {
			t.Errorf("no package is or imports %s", r.Ban)
		}
		if !slices.ContainsFunc(all, func(p pkg) bool { return r.forbids(p.ImportPath, r.Ban) }) {
			t.Errorf("the rule about %s holds for no package below %q", r.Ban, r.From)
		}
		for _, owner := range r.Except {
			if !slices.ContainsFunc(all, func(p pkg) bool { return below(p.ImportPath, owner) && banned(p) }) {
				t.Errorf("%s may import %s, and does not", owner, r.Ban)
			}
		}
	}
}

func (r rule) forbids(from, imported string) bool {
	return (r.From == "" || below(from, r.From)) && below(imported, r.Ban) &&
		!slices.ContainsFunc(r.Except, func(allowed string) bool { return below(from, allowed) })
}

// below reports whether a package is the root or in a folder of it. A client's
// further versions and sub-packages count as below it.
func below(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if len(p.GoFiles)+len(p.CgoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestShortPackagesArePartOfTheirImporter(t *testing.T) {
	t.Parallel()
	all := list(t)
	importers := map[string]int{}
	for _, p := range all {
		for _, imported := range p.Imports {
			importers[imported]++
		}
	}
	var short []string
	for _, p := range all {
		files := slices.Concat(p.GoFiles, p.CgoFiles)
		// What imports testing is for tests.
		if below(p.ImportPath, "kinit/test") || path.Dir(p.ImportPath) == "kinit/modules" || slices.Contains(p.Imports, "testing") || len(files) != 1 || importers[p.ImportPath] != 1 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, files[0]))
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines < shortest {
			short = append(short, p.ImportPath)
			if shortPackages[p.ImportPath] == "" {
				t.Errorf("%s has one importer, one file and %d lines: it is part of its importer", p.ImportPath, lines)
			}
		}
	}
	for path := range shortPackages {
		if !slices.Contains(short, path) {
			t.Errorf("%s is no short package with one importer", path)
		}
	}
}

func TestEngineNamesNoDistributionStageOrService(t *testing.T) {
	t.Parallel()
	words := slices.Clone(playbookWords)
	stages := stagesOf(t)
	for _, stage := range stages {
		if !slices.Contains(languageWords, stage) {
			words = append(words, `"`+stage+`"`)
		}
	}
	// Words that no playbook has would not be written into the engine either.
	for _, word := range words {
		if len(grep(t, "specs", ".hcl", word)) == 0 {
			t.Errorf("no playbook has the word %s", word)
		}
	}
	for _, word := range append(words, distributionsOf(t)...) {
		for _, hit := range grep(t, "engine", ".go", word) {
			t.Errorf("%s names what belongs in a playbook: %s", hit, word)
		}
	}
	for _, word := range languageWords {
		if !slices.Contains(stages, word) || len(grep(t, "engine", ".go", `"`+word+`"`)) == 0 {
			t.Errorf("%q is no stage, or no word of the language", word)
		}
	}
}

// distributionsOf lists the names of distributions, in quotes.
func distributionsOf(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "specs", "*", "distribution.hcl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("distributions %v, %v", files, err)
	}
	var names []string
	for _, file := range files {
		names = append(names, `"`+filepath.Base(filepath.Dir(file))+`"`)
	}
	return names
}

// stagesOf lists the stages that playbooks declare.
func stagesOf(t *testing.T) []string {
	t.Helper()
	var stages []string
	declared := regexp.MustCompile(`stage "([a-z]+)"`)
	for _, hit := range grep(t, "specs", ".hcl", `stage "`) {
		if found := declared.FindStringSubmatch(hit); found != nil {
			stages = append(stages, found[1])
		}
	}
	slices.Sort(stages)
	return slices.Compact(stages)
}

// grep returns the lines below a folder that contain a word, in capitals too, comments
// included and tests aside.
func grep(t *testing.T, folder, suffix, word string) []string {
	t.Helper()
	var hits []string
	err := filepath.WalkDir(filepath.Join(root(t), folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if strings.Contains(strings.ToLower(line), word) {
				hits = append(hits, fmt.Sprintf("%s:%d: %s", path, n, strings.TrimSpace(line)))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Doc,Name,Imports,GoFiles,CgoFiles", "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := decoder.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
