// Package parser turns the text of a script into a tree. It refuses what Windows
// PowerShell 5.1 would refuse with an *Error, and what the simulator does not cover
// with an *unknown.Error.
package parser

import (
	"fmt"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
)

// maxDepth bounds how deep constructs may nest, so that no text overflows the stack.
const maxDepth = 250

// Error is a mistake that the real parser finds too.
type Error struct {
	ID      string // such as MissingEndCurlyBrace
	Message string
	Extent  ast.Extent
}

// Error is the message with its place.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Extent.Line(), e.Extent.Column(), e.Message)
}

// Parse parses a script.
func Parse(name, text string) (block *ast.ScriptBlock, err error) {
	p := &parser{source: &ast.Source{Name: name, Text: text}, text: text}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			block, err = nil, r.err
		default:
			panic(r)
		}
	}()
	return p.script(), nil
}

// stop carries an error out of the parser's recursion, up to Parse.
type stop struct{ err error }

type parser struct {
	source *ast.Source
	text   string
	pos    int
	depth  int
}

func (p *parser) script() *ast.ScriptBlock {
	block := p.scriptBody(0)
	if p.pos < len(p.text) {
		p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
	}
	return block
}

// from is the extent from a start to where the parser is.
func (p *parser) from(start int) ast.Extent {
	return ast.Extent{Source: p.source, Start: start, End: p.pos}
}

// fail ends parsing with a mistake that the real parser finds too.
func (p *parser) fail(id, format string, args ...any) {
	panic(stop{&Error{ID: id, Message: fmt.Sprintf(format, args...), Extent: p.from(p.pos)}})
}

// unknown ends parsing at something that the simulator does not cover.
func (p *parser) unknown(at int, format string, args ...any) {
	place := ast.Extent{Source: p.source, Start: at, End: at}
	panic(stop{unknown.At(unknown.New(format, args...), place.Line(), place.Column())})
}

// enter counts how deep constructs nest; the caller defers leave.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.unknown(p.pos, "constructs that nest deeper than %d", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }
