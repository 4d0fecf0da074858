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

// Problems writes diagnostics, an empty line before each but the first. There is
// nobody to tell when the screen is gone.
func (s Screen) Problems(list diag.List, sources map[string]*hcl.File) {
	text := Diagnostics(list, sources, s.Colour, s.width())
	_, _ = io.WriteString(s, strings.TrimPrefix(text, "\n"))
}

// Diff writes a unified diff in colours. Lines that are too long stay as they are:
// a diff is made to be copied too.
func (s Screen) Diff(text string) error {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		line = clean(line)
		if _, err := io.WriteString(s, paint(line, diffStyle(line), s.Colour)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
