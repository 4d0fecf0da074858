package source

import (
	"bytes"
	"errors"
	"sort"
	"unicode/utf8"

	"github.com/apparentlymart/go-textseg/v15/textseg"
	"github.com/hashicorp/hcl/v2"

	"kinit/engine/internal/vault"
)

// Text is a named text and where its lines begin. It turns offsets into the ranges that
// diagnostics point with, for the texts that HCL does not parse: INI, YAML, JSON and the
// command line.
type Text struct {
	Decrypt func(text string) (string, error) // for values that Ansible Vault has encrypted; nil decrypts nothing
	Name    string
	Bytes   []byte
	starts  []int // the offset of each line's first byte
}

// NewText indexes a text.
func NewText(name string, text []byte) *Text {
	t := &Text{Name: name, Bytes: text, starts: []int{0}}
	for i, b := range text {
		if b == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// Decrypted returns the plain text of what Ansible Vault has encrypted. Otherwise the value says that it was not
// read, and why, if there was a password for it.
func (t *Text) Decrypted(encrypted string, at hcl.Range) (plain string, unread Value) {
	err := error(vault.ErrNoPassword)
	if t.Decrypt != nil {
		plain, err = t.Decrypt(encrypted)
	}
	if err == nil {
		return plain, Value{}
	}
	unread = Value{Unread: Vault, At: at}
	if !errors.Is(err, vault.ErrNoPassword) {
		unread.Why = err.Error()
	}
	return "", unread
}

// File is the text as reports keep it, for snippets.
func (t *Text) File() *hcl.File { return &hcl.File{Bytes: t.Bytes} }

// Range is the place of the bytes from one offset up to another. Offsets outside
// of the text are moved to its ends.
func (t *Text) Range(from, to int) hcl.Range {
	from = min(max(from, 0), len(t.Bytes))
	to = min(max(to, from), len(t.Bytes))
	return hcl.Range{Filename: t.Name, Start: t.pos(from), End: t.pos(to)}
}

// pos counts the columns of a line in grapheme clusters, as HCL does.
func (t *Text) pos(offset int) hcl.Pos {
	line := sort.SearchInts(t.starts, offset+1) - 1
	before := t.Bytes[t.starts[line]:offset]
	return hcl.Pos{Line: line + 1, Column: clusters(before) + 1, Byte: offset}
}

func clusters(text []byte) int {
	if isASCII(text) {
		return len(text)
	}
	n, _ := textseg.TokenCount(text, textseg.ScanGraphemeClusters)
	return n
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Lines is how many lines there are; at least one.
func (t *Text) Lines() int { return len(t.starts) }

// Line is the offsets of a line, which count from 1, without its line break. A line
// that the text does not have is moved to its ends.
func (t *Text) Line(n int) (from, to int) {
	n = min(max(n, 1), len(t.starts))
	from, to = t.starts[n-1], len(t.Bytes)
	if n < len(t.starts) {
		to = t.starts[n] - 1
	}
	if to > from && t.Bytes[to-1] == '\r' {
		to--
	}
	return from, to
}

// LineRange is the place of a line without the spaces around it.
func (t *Text) LineRange(n int) hcl.Range {
	from, to := t.Line(n)
	line := t.Bytes[from:to]
	from += len(line) - len(bytes.TrimLeft(line, " \t"))
	to = max(from, to-(len(line)-len(bytes.TrimRight(line, " \t"))))
	return t.Range(from, to)
}

// Offset is the byte at a line and a column that both count from 1, the column in
// characters.
func (t *Text) Offset(line, column int) int {
	from, to := t.Line(line)
	for ; column > 1 && from < to; column-- {
		_, size := utf8.DecodeRune(t.Bytes[from:to])
		from += size
	}
	return from
}
