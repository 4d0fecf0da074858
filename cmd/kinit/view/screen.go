package view

import (
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
)

// Screen is a stream to write on.
type Screen struct {
	io.Writer
	// Size gives the terminal's columns and rows; nil when it is no terminal, or
	// one that cannot move its cursor.
	Size   func() (columns, rows int)
	Colour bool
}

// width is the number of columns a line may have, 0 for no limit.
func (s Screen) width() int {
	if s.Size == nil {
		return 0
	}
	columns, _ := s.Size()
	return columns
}

// Red returns a text in red, if the screen has colours.
func (s Screen) Red(text string) string { return paint(text, red, s.Colour) }

// Problems writes diagnostics, with an empty line before each but the first. Write errors
// are ignored: without the screen nothing can be reported.
func (s Screen) Problems(list diag.List, sources map[string]*hcl.File) {
	text := Diagnostics(list, sources, s.Colour, s.width())
	_, _ = io.WriteString(s, strings.TrimPrefix(text, "\n"))
}

// Diff writes a unified diff in colours. It does not break long lines, so that
// the diff can be copied.
func (s Screen) Diff(text string) error {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = clean(line)
		if _, err := io.WriteString(s, paint(line, diffStyle(line), s.Colour)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
