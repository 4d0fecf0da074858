package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// widest is how many columns a line of a shipped file has at most. A longer text is folded: docs/functions.md.
const widest = 120

// TestShippedFilesAreFormatted looks at what "kinit fmt" would change in what is shipped. Templates are no HCL
// before they are filled in.
func TestShippedFilesAreFormatted(t *testing.T) {
	t.Parallel()
	for name, text := range shippedTexts(t) {
		template := strings.HasSuffix(name, ".tmpl.hcl") || strings.HasPrefix(name, "inventories/")
		if !template && string(hclwrite.Format([]byte(text))) != text {
			t.Errorf("%s is not in the canonical format: use kinit fmt", name)
		}
	}
}

func TestShippedFilesHaveNoLongLines(t *testing.T) {
	t.Parallel()
	for name, text := range shippedTexts(t) {
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > widest {
				t.Errorf("%s:%d has %d columns, and a line may have %d", name, i+1, n, widest)
			}
		}
	}
}

// shippedTexts returns the texts of all files of specs, examples and inventories by their names.
func shippedTexts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range []string{"../../specs", "../../examples", "../../inventories"} {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".hcl" {
				return err
			}
			text, err := os.ReadFile(name)
			found[strings.TrimPrefix(name, "../../")] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 100 {
		t.Fatalf("%d files, want those of all specs and examples", len(found))
	}
	return found
}
