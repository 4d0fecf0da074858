package parser

import (
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// single parses 'text'. The position is at the quote.
func (p *parser) single() *ast.String {
	start := p.pos
	p.pos++
	var text strings.Builder
	for {
		if p.end() {
			p.pos = start
			p.fail("TerminatorExpectedAtEndOfString", "The string is missing the terminator: '.")
		}
		p.checkQuote("‘’‚‛")
		c := p.at(0)
		p.pos++
		if c == '\'' {
			if p.at(0) != '\'' {
				return &ast.String{Extent: p.from(start), Value: text.String()}
			}
			p.pos++
		}
		text.WriteByte(c)
	}
}

// checkQuote refuses typographic quotes in a text of their kind, which they would end.
func (p *parser) checkQuote(quotes string) {
	for _, r := range quotes {
		if p.looking(string(r)) {
			p.unknown(p.pos, "the typographic quote %q inside of a quoted text", r)
		}
	}
}

// double parses "text". The position is at the quote.
func (p *parser) double() ast.Expr {
	start := p.pos
	p.pos++
	parts := &parts{}
	for {
		if p.end() {
			p.pos = start
			p.fail("TerminatorExpectedAtEndOfString", "The string is missing the terminator: \".")
		}
		p.checkQuote("“”„")
		if p.at(0) != '"' {
			p.expandableChar(parts)
			continue
		}
		p.pos++
		if p.at(0) != '"' {
			return parts.expr(p.from(start), false)
		}
		parts.text.WriteByte('"')
		p.pos++
	}
}

// here parses @'…'@ or @"…"@. The position is at the @.
func (p *parser) here() ast.Expr {
	start := p.pos
	quote := p.at(1)
	p.pos += 2
	for p.at(0) == ' ' || p.at(0) == '\t' {
		p.pos++
	}
	if p.newline(0) == 0 {
		p.fail("UnexpectedCharactersAfterHereStringHeader", "No characters are allowed after a here-string header but before the end of the line.")
	}
	p.pos += p.newline(0)
	parts := &parts{}
	terminator := string(quote) + "@"
	for first := true; ; first = false {
		if p.end() {
			p.pos = start
			p.fail("TerminatorExpectedAtEndOfString", "The string is missing the terminator: %s.", terminator)
		}
		n := p.newline(0)
		switch {
		case first && p.looking(terminator):
			p.pos += len(terminator)
			return parts.expr(p.from(start), false)
		case n > 0 && strings.HasPrefix(p.text[p.pos+n:], terminator):
			p.pos += n + len(terminator)
			return parts.expr(p.from(start), false)
		case quote == '"':
			p.expandableChar(parts)
		default:
			parts.text.WriteByte(p.at(0))
			p.pos++
		}
	}
}

// parts collects the parts of an expandable text.
type parts struct {
	list []ast.Expr
	text strings.Builder
}

func (s *parts) flush() {
	if s.text.Len() == 0 {
		return
	}
	s.list = append(s.list, &ast.String{Value: s.text.String()})
	s.text.Reset()
}

func (s *parts) add(e ast.Expr) {
	s.flush()
	s.list = append(s.list, e)
}

// expr is the text as an expression: a constant where nothing is to be expanded.
func (s *parts) expr(at ast.Extent, bare bool) ast.Expr {
	if len(s.list) == 0 {
		return &ast.String{Extent: at, Value: s.text.String(), Bare: bare}
	}
	s.flush()
	return &ast.Expandable{Extent: at, Parts: s.list, Bare: bare}
}

// expandableChar takes one character, escape, variable or subexpression of a text.
func (p *parser) expandableChar(s *parts) {
	switch c := p.at(0); {
	case c == '`':
		p.escape(s)
	case c == '$' && p.at(1) == '(':
		s.add(p.sub(false))
	case c == '$' && p.startsVariable():
		s.add(p.variable())
	default:
		s.text.WriteByte(c)
		p.pos++
	}
}

// escape takes a backtick and what follows it.
func (p *parser) escape(s *parts) {
	p.pos++
	if p.end() {
		return
	}
	c := p.at(0)
	p.pos++
	if meant := strings.IndexByte("0abfnrtv", c); meant >= 0 {
		c = "\x00\a\b\f\n\r\t\v"[meant]
	}
	s.text.WriteByte(c)
}

// startsVariable reports whether the $ at the position begins a variable.
func (p *parser) startsVariable() bool {
	c := p.at(1)
	return isNamePart(c) || c == '{' || c == '?' || c == '$' || c == '^'
}

// variable parses $name, $scope:name or ${name}. The position is at the $, or at the
// @ of an argument.
func (p *parser) variable() *ast.Variable {
	start := p.pos
	splat := p.at(0) == '@'
	p.pos++
	if c := p.at(0); strings.IndexByte("?$^", c) >= 0 && c != 0 {
		p.pos++
		return &ast.Variable{Extent: p.from(start), Name: string(c)}
	}
	name := ""
	if p.at(0) == '{' {
		name = p.braced()
	} else {
		name = p.variableName()
	}
	scope := ""
	if before, after, found := strings.Cut(name, ":"); found {
		scope, name = strings.ToLower(before), after
	}
	return &ast.Variable{Extent: p.from(start), Scope: scope, Name: name, Splat: splat}
}

func (p *parser) braced() string {
	length := strings.IndexByte(p.text[p.pos:], '}')
	if length <= 1 {
		p.fail("InvalidBracedVariableReference", "Braced variable name cannot be empty, or is not closed.")
	}
	name := p.text[p.pos+1 : p.pos+length]
	if strings.ContainsAny(name, "`{\n") {
		p.unknown(p.pos, "escapes in the name of a braced variable")
	}
	p.pos += length + 1
	return name
}

func (p *parser) variableName() string {
	start := p.pos
	for isNamePart(p.at(0)) || p.at(0) == '?' {
		p.pos++
	}
	if p.at(0) != ':' || p.at(1) == ':' {
		return p.text[start:p.pos]
	}
	if !isNamePart(p.at(1)) {
		p.fail("InvalidVariableReferenceWithDrive", "Variable reference is not valid. ':' was not followed by a valid variable name character. Consider using ${} to delimit the name.")
	}
	p.pos++
	for isNamePart(p.at(0)) || p.at(0) == '?' {
		p.pos++
	}
	return p.text[start:p.pos]
}
