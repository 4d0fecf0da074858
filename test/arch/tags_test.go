package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryBuildOfKinitLoadsLibvirtAtRunTime finds commands that build the program: all give the
// build tags of the file test/program/tags.
func TestEveryBuildOfKinitLoadsLibvirtAtRunTime(t *testing.T) {
	t.Parallel()
	builds := regexp.MustCompile(`\b(?:go|GO\)|"go",) "?(?:build|install|run|test)\b.*cmd/kinit(?:"|$|\s)`)
	found := 0
	for _, file := range scripts(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !builds.MatchString(line) {
				continue
			}
			found++
			if !strings.Contains(line, "-tags") {
				t.Errorf("%s builds kinit without the tags of test/program/tags: %s", file, line)
			}
		}
	}
	if found < 3 {
		t.Errorf("found %d commands that build kinit, want those of the Makefile, of test/run and of test/program", found)
	}
	tags, err := os.ReadFile(filepath.Join(root(t), "test/program/tags"))
	if err != nil || !strings.Contains(string(tags), "libvirt_dlopen") {
		t.Errorf("the tags are %q, %v, want libvirt_dlopen among them", tags, err)
	}
}

// scripts lists the Makefile, and the scripts and sources of Go below test and cmd.
func scripts(t *testing.T) []string {
	t.Helper()
	files := []string{filepath.Join(root(t), "Makefile")}
	for _, folder := range []string{"test", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root(t), folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && (filepath.Ext(path) == "" || filepath.Ext(path) == ".go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
