package parser

import (
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// command parses a name and its arguments.
func (p *parser) command() *ast.Command {
	p.enter()
	defer p.leave()
	start := p.pos
	c := &ast.Command{}
	if p.at(0) == '&' || p.at(0) == '.' && strings.IndexByte(" \t$\"'({", p.at(1)) >= 0 && p.at(1) != 0 {
		c.Operator = string(p.at(0))
		p.pos++
		p.skipSpace()
		if p.at(0) == '&' {
			p.pos--
			p.fail("InvalidEndOfLine", "The token '&&' is not a valid statement separator in this version.")
		}
	}
	if p.atTerminator() {
		p.fail("MissingExpression", "Missing expression after '%s' in pipeline element.", c.Operator)
	}
	c.Name = p.argument()
	p.commandArguments(c)
	c.Extent = p.from(start)
	return c
}

// commandArguments parses arguments and redirections; the extent of the command ends
// behind the last of them.
func (p *parser) commandArguments(c *ast.Command) {
	for {
		end := p.pos
		p.skipSpace()
		if p.atTerminator() || p.at(0) == '&' {
			p.noAmpersand()
			p.pos = end
			return
		}
		if r, ok := p.redirection(); ok {
			c.Redirections = append(c.Redirections, r)
			continue
		}
		c.Args = append(c.Args, p.commandArgument())
	}
}

// noAmpersand refuses the operators that later versions have.
func (p *parser) noAmpersand() {
	switch {
	case p.looking("&&"), p.looking("||"):
		p.fail("InvalidEndOfLine", "The token '%s' is not a valid statement separator in this version.", p.text[p.pos:p.pos+2])
	case p.at(0) == '&':
		p.fail("AmpersandNotAllowed", "The ampersand (&) character is not allowed. The & operator is reserved for future use; wrap an ampersand in double quotation marks (\"&\") to pass it as part of a string.")
	}
}

func (p *parser) commandArgument() ast.Arg {
	start := p.pos
	if p.looking("--%") {
		p.unknown(start, "the stop-parsing token --%%")
	}
	if p.at(0) != '-' || !isLetter(p.at(1)) && p.at(1) != '_' && p.at(1) != '?' {
		value := p.argumentList()
		return ast.Arg{Extent: p.from(start), Value: value}
	}
	p.pos++
	name := p.parameterName()
	if p.at(0) != ':' {
		return ast.Arg{Extent: p.from(start), Parameter: name}
	}
	p.pos++
	p.skipSpace()
	if p.atTerminator() {
		p.fail("ParameterRequiresArgument", "The parameter '-%s' requires an argument.", name)
	}
	value := p.argumentList()
	return ast.Arg{Extent: p.from(start), Parameter: name, Value: value}
}

// parameterName parses the name behind a dash. What the real parser takes for
// something surprising there is better quoted, and refused here.
func (p *parser) parameterName() string {
	start := p.pos
	for !p.atDelimiter() && p.at(0) != ':' {
		if strings.IndexByte(".[\"'$`", p.at(0)) >= 0 {
			p.unknown(p.pos, "%q in an argument that begins with a dash: put the argument in quotes", p.at(0))
		}
		p.pos++
	}
	return p.text[start:p.pos]
}

// argumentList parses a, b, c, or one argument.
func (p *parser) argumentList() ast.Expr {
	start := p.pos
	return p.separated(start, p.argument(), p.argument)
}

// separated parses what stands behind the first of several expressions with commas
// between: a list, or the first one alone.
func (p *parser) separated(start int, first ast.Expr, next func() ast.Expr) ast.Expr {
	items := []ast.Expr{first}
	for {
		before := p.pos
		p.skipSpace()
		if p.at(0) != ',' {
			p.pos = before
			break
		}
		p.pos++
		p.skipLines()
		items = append(items, next())
	}
	if len(items) == 1 {
		return first
	}
	return &ast.List{Extent: p.from(start), Items: items}
}

// argument parses one value in the mode of commands, where bare words are text.
func (p *parser) argument() ast.Expr {
	p.enter()
	defer p.leave()
	start := p.pos
	switch c := p.at(0); {
	case c == '$' && p.startsVariable() && p.at(1) != '(':
		return p.variableArgument(start)
	case c == '$' && p.at(1) == '(', c == '\'', c == '"', c == '(', c == '{':
		return p.wholeArgument(p.primary())
	case c == '@' && (p.at(1) == '(' || p.at(1) == '{' || p.at(1) == '\'' || p.at(1) == '"'):
		return p.wholeArgument(p.primary())
	case c == '@' && isNamePart(p.at(1)):
		return p.wholeArgument(p.variable())
	case isDigit(c), (c == '-' || c == '+' || c == '.') && isDigit(p.at(1)):
		if n := p.number(true); n != nil {
			return n
		}
	}
	p.checkRune()
	return p.bareword()
}

// variableArgument parses an argument that begins with a variable: an expression, or
// the beginning of a word such as $dir\file.
func (p *parser) variableArgument(start int) ast.Expr {
	p.variable()
	next := p.at(0)
	p.pos = start
	if strings.IndexByte(".[:", next) >= 0 && next != 0 || p.after(start) {
		return p.wholeArgument(p.primary())
	}
	return p.bareword()
}

// after reports whether the variable at a position is a whole argument.
func (p *parser) after(start int) bool {
	defer func() { p.pos = start }()
	p.variable()
	return p.atDelimiter()
}

// wholeArgument refuses words that are joined to an expression without a blank: the
// real parser splits some and joins others.
func (p *parser) wholeArgument(e ast.Expr) ast.Expr {
	if !p.atDelimiter() {
		p.unknown(p.pos, "an argument that goes on behind an expression: put the whole of it in double quotes")
	}
	return e
}

// bareword parses a word that is text without quotes, with variables in it.
func (p *parser) bareword() ast.Expr {
	start := p.pos
	s := &parts{}
	for !p.atDelimiter() {
		switch p.at(0) {
		case '\'':
			s.text.WriteString(p.single().Value)
		case '"':
			p.embed(s, p.double())
		case '`':
			if p.newline(1) > 0 {
				return s.expr(p.from(start), true)
			}
			p.escape(s)
		default:
			p.expandableChar(s)
		}
	}
	if p.pos == start {
		p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
	}
	return s.expr(p.from(start), true)
}

func (p *parser) embed(s *parts, e ast.Expr) {
	switch e := e.(type) {
	case *ast.String:
		s.text.WriteString(e.Value)
	case *ast.Expandable:
		for _, part := range e.Parts {
			s.add(part)
		}
	}
}

// redirection parses 2>&1, >file and the like, if one is at the position.
func (p *parser) redirection() (ast.Redirection, bool) {
	start := p.pos
	r := ast.Redirection{From: '1'}
	if c := p.at(0); (c >= '1' && c <= '6' || c == '*') && p.at(1) == '>' {
		r.From = c
		p.pos++
	}
	if p.at(0) == '<' {
		p.fail("RedirectionNotSupported", "The '<' operator is reserved for future use.")
	}
	if p.at(0) != '>' {
		p.pos = start
		return r, false
	}
	p.pos++
	if p.at(0) == '>' {
		r.Append = true
		p.pos++
	}
	if p.at(0) == '&' {
		p.merge(&r, start)
		return r, true
	}
	p.skipSpace()
	if p.atTerminator() {
		p.fail("MissingFileSpecification", "Missing file specification after redirection operator.")
	}
	r.Target = p.argument()
	r.Extent = p.from(start)
	return r, true
}

func (p *parser) merge(r *ast.Redirection, start int) {
	if p.at(1) != '1' || r.From == '1' {
		p.unknown(start, "the redirection %s", p.text[start:min(p.pos+2, len(p.text))])
	}
	r.Merge = true
	p.pos += 2
	r.Extent = p.from(start)
}
