package arch

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// grep returns the lines of the engine's own Go files, tests aside, that contain
// one of the words, comments included.
func grep(t *testing.T, folder string, words []string) []string {
	t.Helper()
	var hits []string
	err := filepath.WalkDir(filepath.Join(root(t), folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		found, err := grepFile(path, words)
		hits = append(hits, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func grepFile(path string, words []string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var hits []string
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		for _, word := range words {
			if strings.Contains(lines.Text(), word) && !isLanguage(word) {
				hits = append(hits, fmt.Sprintf("%s:%d: %s: %q", path, n, word, strings.TrimSpace(lines.Text())))
			}
		}
	}
	return hits, lines.Err()
}

// isLanguage reports whether a word is one of the language's own, which happens to be
// the name of a stage too: the cluster block with its network block and nodes value,
// and the numbers in the names of specs.
func isLanguage(word string) bool {
	return word == `"cluster"` || word == `"network"` || word == `"nodes"` || word == `"computes"`
}
