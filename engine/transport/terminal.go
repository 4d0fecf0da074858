package transport

import (
	"context"
	"io"
)

// Size is a terminal's size in characters.
type Size struct{ Columns, Rows int }

// Terminal is the user's terminal, to be connected to a machine.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Name     string      // the value of TERM; empty asks for no terminal on the machine
	Size     Size        // at the start
	Resized  <-chan Size // may be nil
}

// Interactive is a Conn that can connect a terminal to a machine.
type Interactive interface {
	Conn
	// Interact runs a line, or the login shell for an empty one, with a terminal,
	// and returns its exit code. It ends when the line does or ctx ends.
	Interact(ctx context.Context, line string, t Terminal) (int, error)
}
