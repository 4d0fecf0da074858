package winfetch

import (
	"context"
	_ "embed"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed sum.ps1
var sumScript string

// Sum is the SHA-256, in hex, of a file of the host, computed there; empty for no file.
// A folder is an error.
func Sum(ctx context.Context, h module.Host, path string) (string, error) {
	s, err := powershell.Read[struct {
		SHA256 string
		Folder bool
	}](ctx, h, sumScript, map[string]any{"path": path})
	if err == nil && s.Folder {
		err = fmt.Errorf("%s is a folder, want a file or nothing there", path)
	}
	return s.SHA256, err
}
