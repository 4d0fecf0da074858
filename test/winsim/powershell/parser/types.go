package parser

import (
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// typeOrCast parses [name], and what it is applied to if it is a cast.
func (p *parser) typeOrCast() ast.Expr {
	start := p.pos
	literal := p.typeLiteral()
	if p.looking("::") || p.at(0) == '.' {
		return p.postfix(start, literal)
	}
	after := p.pos
	p.skipSpace()
	if !p.castFollows() {
		p.pos = after
		return literal
	}
	operand := p.unary(false)
	return &ast.Cast{Extent: p.from(start), Type: literal, Operand: operand}
}

// castFollows reports whether what stands behind a type is what it is applied to.
func (p *parser) castFollows() bool {
	c := p.at(0)
	switch {
	case c == 0:
		return false
	case isDigit(c), strings.IndexByte("$@'\"({[!", c) >= 0:
		return true
	case c == '-', c == '+':
		return isDigit(p.at(1)) || p.at(1) == '$' || p.at(1) == '('
	}
	return false
}

// typeLiteral parses [name], with arguments and ranks. The position is at the bracket.
func (p *parser) typeLiteral() *ast.Type {
	start := p.pos
	p.pos++
	name := p.typeName()
	p.skipSpace()
	if p.at(0) == '(' {
		p.unknown(start, "attributes outside of param blocks")
	}
	p.expect(']', "EndSquareBracketExpectedAtEndOfType", "Missing ] at end of type token.")
	return &ast.Type{Extent: p.from(start), Name: name}
}

func (p *parser) typeName() string {
	p.enter()
	defer p.leave()
	p.skipSpace()
	start := p.pos
	for isNamePart(p.at(0)) || p.at(0) == '.' || p.at(0) == '+' || p.at(0) == '`' {
		p.pos++
	}
	name := p.text[start:p.pos]
	if name == "" {
		p.fail("MissingTypename", "Missing type name after '['.")
	}
	for p.at(0) == '[' {
		p.pos++
		if p.at(0) == ']' {
			p.pos++
			name += "[]"
			continue
		}
		name += "[" + p.typeArguments() + "]"
	}
	return name
}

func (p *parser) typeArguments() string {
	args := []string{p.typeName()}
	for p.skipSpace(); p.at(0) == ','; p.skipSpace() {
		p.pos++
		args = append(args, p.typeName())
	}
	p.expect(']', "EndSquareBracketExpectedAtEndOfType", "Missing ] at end of type token.")
	return strings.Join(args, ",")
}

// attributesBeforeParam reports whether brackets at the position belong to a param block.
func (p *parser) attributesBeforeParam() bool {
	start := p.pos
	defer func() { p.pos = start }()
	for p.at(0) == '[' {
		end := p.bracketEnd()
		if end < 0 {
			return false
		}
		p.pos = end
		p.skipLines()
	}
	return p.keyword() == "param"
}

// bracketEnd is the position behind the bracket that closes the one at the position.
func (p *parser) bracketEnd() int {
	level := 0
	for i := p.pos; i < len(p.text); i++ {
		switch p.text[i] {
		case '[':
			level++
		case ']':
			if level--; level == 0 {
				return i + 1
			}
		case ';', '{', '}':
			return -1
		}
	}
	return -1
}

// paramBlock parses ( parameters ). The position is at the parenthesis.
func (p *parser) paramBlock(start int) *ast.Params {
	params := &ast.Params{}
	p.expect('(', "MissingOpenParenthesis", "Missing '(' after 'param'.")
	p.skipLines()
	for p.at(0) != ')' {
		params.List = append(params.List, p.param())
		p.skipLines()
		if p.at(0) != ',' {
			break
		}
		p.pos++
		p.skipLines()
	}
	p.expect(')', "MissingEndParenthesisInFunctionParameterList", "Missing ')' in function parameter list.")
	params.Extent = p.from(start)
	return params
}

func (p *parser) param() *ast.Param {
	start := p.pos
	param := &ast.Param{}
	for p.skipLines(); p.at(0) == '['; p.skipLines() {
		p.constraint(param)
	}
	if p.at(0) != '$' || !p.startsVariable() {
		p.fail("MissingVariableInParam", "A parameter declaration is a parameter name, '$name'; found '%s'.", p.word())
	}
	param.Name = p.variable().Name
	after := p.pos
	p.skipLines()
	if p.at(0) != '=' {
		p.pos = after
		param.Extent = p.from(start)
		return param
	}
	p.pos++
	p.skipLines()
	param.Default = p.expression(false)
	param.Extent = p.from(start)
	return param
}

// constraint parses one [type] or [Attribute()] of a parameter.
func (p *parser) constraint(param *ast.Param) {
	start := p.pos
	p.pos++
	name := p.typeName()
	p.skipSpace()
	if p.at(0) == ']' {
		p.pos++
		if param.Type != nil {
			p.unknown(start, "a parameter with more than one type")
		}
		param.Type = &ast.Type{Extent: p.from(start), Name: name}
		return
	}
	p.unknown(start, "the attribute [%s()]", name)
}
