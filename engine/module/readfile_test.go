package module_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"kinit/engine/module"
	"kinit/engine/transport/local"
)

// A file of somebody else's that claims to have a terabyte ends no one's memory.
func TestReadFileHasALimit(t *testing.T) {
	t.Parallel()
	conn := local.New()
	defer conn.Close()
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "authorized_keys")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := module.ReadFile(t.Context(), files, name); string(text) != "text" || err != nil {
		t.Errorf("got %q, error %v", text, err)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Fatal(err)
	}
	if _, err := module.ReadFile(t.Context(), files, name); err == nil || err.Error() != name+" has more than 8 MiB, which is no text that kinit reads or edits" {
		t.Errorf("error is %v", err)
	}
	if _, err := module.ReadFile(t.Context(), files, name+"2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}
