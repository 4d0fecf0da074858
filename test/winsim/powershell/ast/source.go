// Package ast is the tree of a script: what the parser makes and the interpreter
// walks. It covers the part of Windows PowerShell 5.1 that the simulator knows.
package ast

import (
	"strings"
	"unicode/utf8"
)

// Source is the text of a script.
type Source struct {
	Name string // the file, or empty for text given on a command line
	Text string
}

// Extent is a piece of a source, from byte Start to before byte End.
type Extent struct {
	Source     *Source
	Start, End int
}

// Line is the number of the line where the extent starts, from 1.
func (e Extent) Line() int {
	if e.Source == nil {
		return 0
	}
	return 1 + strings.Count(e.Source.Text[:e.Start], "\n")
}

// Column is where in its line the extent starts, in characters from 1.
func (e Extent) Column() int {
	if e.Source == nil {
		return 0
	}
	return 1 + utf8.RuneCountInString(e.Source.Text[e.lineStart():e.Start])
}

// Text is the extent itself.
func (e Extent) Text() string {
	if e.Source == nil {
		return ""
	}
	return e.Source.Text[e.Start:e.End]
}

// LineText is the whole line where the extent starts, without its end.
func (e Extent) LineText() string {
	if e.Source == nil {
		return ""
	}
	line, _, _ := strings.Cut(e.Source.Text[e.lineStart():], "\n")
	return strings.TrimSuffix(line, "\r")
}

// Width is how many characters of the first line the extent covers.
func (e Extent) Width() int {
	first, _, _ := strings.Cut(e.Text(), "\n")
	return utf8.RuneCountInString(strings.TrimSuffix(first, "\r"))
}

// At is the extent itself; nodes embed it.
func (e Extent) At() Extent { return e }

func (e Extent) lineStart() int {
	return 1 + strings.LastIndexByte(e.Source.Text[:e.Start], '\n')
}
