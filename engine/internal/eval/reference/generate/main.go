// Command generate writes docs/functions.md. It runs in engine/internal/eval/reference, by
// "go generate ./engine/internal/eval/reference".
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"kinit/engine/internal/eval/reference"
)

func main() {
	page, err := reference.Markdown()
	if err == nil {
		err = os.WriteFile(filepath.Join("../../../..", reference.Page), []byte(page), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
