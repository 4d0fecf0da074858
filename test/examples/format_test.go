package examples

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// TestShippedFilesAreFormatted looks at what "kinit fmt" would change in what is shipped. Templates (*.tmpl.hcl)
// are no HCL before they are filled in.
func TestShippedFilesAreFormatted(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, folder := range []string{"../../specs", "../../examples"} {
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(name) != ".hcl" || strings.HasSuffix(name, ".tmpl.hcl") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			seen++
			if string(hclwrite.Format(text)) != string(text) {
				t.Errorf("%s is not in the canonical format: use kinit fmt", strings.TrimPrefix(name, "../../"))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 100 {
		t.Errorf("%d files, want those of all specs and examples", seen)
	}
}
