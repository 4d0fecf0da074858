package pathmark

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/hostfile"
)

// overlay is the beginning of a qcow2 image that is based on another one.
func overlay(base string) string {
	header := make([]byte, 104)
	copy(header, "QFI\xfb\x00\x00\x00\x03")
	header[15], header[18], header[19] = 104, byte(len(base)>>8), byte(len(base))
	return string(header) + base + strings.Repeat("\x00", 512)
}

func TestImageThatADiskIsBasedOnIsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		image, disk, base string // FOLDER stands for their folder
		kept              bool
	}{
		"an absolute base":        {"base.qcow2", "web.qcow2", "FOLDER/base.qcow2", true},
		"a relative base":         {"base.qcow2", "web.qcow2", "base.qcow2", true},
		"a base in JSON":          {"base.img", "web", `json:{"driver":"qcow2","file":{"driver":"file","filename":"FOLDER/base.img"}}`, true},
		"another base":            {"base.qcow2", "web.qcow2", "FOLDER/base.qcow2-2", false},
		"a disk without a base":   {"base.qcow2", "web.qcow2", "", false},
		"a name with odd letters": {"the base's $x.raw", "a b.qcow2", "FOLDER/the base's $x.raw", true},
		"a file that is no image": {"base.txt", "web.qcow2", "FOLDER/base.txt", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, "demo")
			folder := t.TempDir()
			image := filepath.Join(folder, test.image)
			for file, text := range map[string]string{image: "image", filepath.Join(folder, "a-short.qcow2"): "QFI\xfb", filepath.Join(folder, test.disk): overlay(strings.ReplaceAll(test.base, "FOLDER", folder))} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			kind := File()
			if err := kind.Undo(t.Context(), h, module.Mark{Kind: hostfile.FileKind, ID: image}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(image); (err == nil) != test.kept {
				t.Errorf("kept %v, want %v", err == nil, test.kept)
			}
			if _, err := os.Stat(filepath.Join(folder, test.disk)); err != nil {
				t.Errorf("the disk: %v", err)
			}
		})
	}
}
