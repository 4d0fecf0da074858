package parser

import (
	"slices"
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// precedence is how tight a binary operator binds; 0 is none. An i before the name of
// a comparison, which says what is so anyway, is gone already.
func precedence(op string) int {
	switch op {
	case "-and", "-or", "-xor":
		return 1
	case "-band", "-bor", "-bxor":
		return 2
	case "-is", "-isnot", "-as", "-shl", "-shr", "-join":
		return 3
	case "+", "-":
		return 4
	case "*", "/", "%":
		return 5
	case "-f":
		return 6
	case "..":
		return 7
	}
	switch strings.TrimPrefix(op, "-c") {
	case "eq", "ne", "gt", "ge", "lt", "le", "like", "notlike", "match", "notmatch",
		"replace", "contains", "notcontains", "in", "notin", "split":
		return 3
	}
	switch op {
	case "-eq", "-ne", "-gt", "-ge", "-lt", "-le", "-like", "-notlike", "-match", "-notmatch",
		"-replace", "-contains", "-notcontains", "-in", "-notin", "-split":
		return 3
	}
	return 0
}

// expression parses operands with binary operators between. Without commas they end
// it, as in the arguments of methods.
func (p *parser) expression(commas bool) ast.Expr { return p.binary(1, commas) }

func (p *parser) binary(level int, commas bool) ast.Expr {
	p.enter()
	defer p.leave()
	start := p.pos
	left := p.list(commas)
	for {
		before := p.pos
		p.skipSpace()
		op, length := p.operator()
		bind := precedence(op)
		if bind == 0 || bind < level {
			p.pos = before
			return left
		}
		p.pos += length
		p.skipLines()
		if p.atTerminator() {
			p.fail("ExpectedValueExpression", "You must provide a value expression following the '%s' operator.", op)
		}
		right := p.binary(bind+1, commas)
		left = &ast.Binary{Extent: p.from(start), Op: op, Left: left, Right: right}
	}
}

// operator is the binary operator at the position and its length.
func (p *parser) operator() (string, int) {
	if p.at(0) == '-' && isLetter(p.at(1)) {
		n := 1
		for isLetter(p.at(n)) {
			n++
		}
		op := strings.ToLower(p.text[p.pos : p.pos+n])
		if isDigit(p.at(n)) || p.at(n) == '_' {
			return "", 0
		}
		if plain := "-" + strings.TrimPrefix(op, "-i"); op[1] == 'i' && precedence(op) == 0 && precedence(plain) == 3 {
			op = plain
		}
		return op, n
	}
	if p.looking("..") {
		return "..", 2
	}
	if c := p.at(0); c != 0 && strings.IndexByte("+-*/%", c) >= 0 && p.at(1) != '=' {
		return string(c), 1
	}
	return "", 0
}

// list parses a, b, c, or one operand.
func (p *parser) list(commas bool) ast.Expr {
	start := p.pos
	first := p.unary(commas)
	if !commas {
		return first
	}
	return p.separated(start, first, func() ast.Expr { return p.unary(commas) })
}

// unary parses an operand with the operators and casts before it.
func (p *parser) unary(commas bool) ast.Expr {
	p.enter()
	defer p.leave()
	p.skipSpace()
	start := p.pos
	if c := p.at(0); (c == '-' || c == '+') && (isDigit(p.at(1)) || p.at(1) == '.' && isDigit(p.at(2))) {
		if n := p.number(false); n != nil {
			return p.postfix(start, n)
		}
	}
	op, length := p.unaryOperator()
	if op == "" {
		return p.primary()
	}
	p.pos += length
	p.skipLines()
	if p.atTerminator() {
		p.fail("MissingExpressionAfterOperator", "Missing expression after unary operator '%s'.", op)
	}
	operand := p.unary(commas)
	if op == "++" || op == "--" {
		return &ast.Step{Extent: p.from(start), Op: op, Prefix: true, Operand: p.target(operand)}
	}
	return &ast.Unary{Extent: p.from(start), Op: op, Operand: operand}
}

func (p *parser) unaryOperator() (string, int) {
	switch {
	case p.looking("++"), p.looking("--"):
		return p.text[p.pos : p.pos+2], 2
	case p.at(0) == '!':
		return "-not", 1
	case p.at(0) == ',', p.at(0) == '+':
		return string(p.at(0)), 1
	case p.at(0) != '-':
		return "", 0
	case !isLetter(p.at(1)):
		return "-", 1
	}
	op, length := p.operator()
	switch op {
	case "-not", "-bnot", "-split", "-csplit", "-join":
		return op, length
	}
	p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
	return "", 0
}

// target returns an expression that can be assigned to, or fails.
func (p *parser) target(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Variable, *ast.Index, *ast.Member:
		return e
	case *ast.Cast:
		return &ast.Cast{Extent: e.Extent, Type: e.Type, Operand: p.target(e.Operand)}
	case *ast.List:
		for _, item := range e.Items {
			p.target(item)
		}
		return e
	}
	p.pos = e.At().Start
	p.fail("InvalidLeftHandSide", "The assignment expression is not valid. The input to an assignment operator must be an object that is able to accept assignments, such as a variable or a property.")
	return nil
}

// primary parses an operand with what is behind it: members, indexes and calls.
func (p *parser) primary() ast.Expr {
	p.enter()
	defer p.leave()
	p.skipSpace()
	start := p.pos
	switch c := p.at(0); {
	case c == '$' && p.at(1) == '(':
		return p.postfix(start, p.sub(false))
	case c == '$' && p.startsVariable():
		return p.postfix(start, p.variable())
	case c == '@' && p.at(1) == '(':
		return p.postfix(start, p.sub(true))
	case c == '@' && p.at(1) == '{':
		return p.postfix(start, p.hash())
	case c == '@' && (p.at(1) == '\'' || p.at(1) == '"'):
		return p.postfix(start, p.here())
	case c == '@':
		p.fail("SplattingNotPermitted", "The splatting operator '@' cannot be used to reference variables in an expression.")
	case c == '\'':
		return p.postfix(start, p.single())
	case c == '"':
		return p.postfix(start, p.double())
	case c == '(':
		return p.postfix(start, p.paren())
	case c == '{':
		return p.postfix(start, p.blockExpr())
	case c == '[':
		return p.typeOrCast()
	case isDigit(c), c == '.' && isDigit(p.at(1)):
		if n := p.number(false); n != nil {
			return p.postfix(start, n)
		}
	}
	p.checkRune()
	p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
	return nil
}

// paren parses (pipeline).
func (p *parser) paren() ast.Expr {
	start := p.pos
	p.pos++
	p.skipLines()
	if p.at(0) == ')' {
		p.fail("ExpectedExpression", "An expression was expected after '('.")
	}
	body := p.pipelineStatement()
	p.expect(')', "MissingEndParenthesisInExpression", "Missing closing ')' in expression.")
	return &ast.Paren{Extent: p.from(start), Body: body}
}

// sub parses $(statements) or @(statements).
func (p *parser) sub(array bool) ast.Expr {
	p.enter()
	defer p.leave()
	start := p.pos
	p.pos += 2
	body := p.statements(')')
	p.expect(')', "MissingEndParenthesisInSubexpression", "Missing closing ')' in subexpression.")
	return &ast.Sub{Extent: p.from(start), Body: body, Array: array}
}

// hash parses @{ key = value }.
func (p *parser) hash() ast.Expr {
	start := p.pos
	p.pos += 2
	h := &ast.Hash{}
	for p.skipTerminators(); p.at(0) != '}'; p.skipTerminators() {
		if p.end() {
			p.fail("IncompleteHashLiteral", "The hash literal was incomplete.")
		}
		key := p.hashKey()
		if text, ok := key.(*ast.String); ok && slices.ContainsFunc(h.Keys, func(k ast.Expr) bool { return isText(k, text.Value) }) {
			p.pos = start
			p.fail("DuplicateKeyInHashLiteral", "Duplicate keys '%s' are not allowed in hash literals.", text.Value)
		}
		h.Keys = append(h.Keys, key)
		p.expect('=', "MissingEqualsInHashLiteral", "Missing '=' operator after key in hash literal.")
		p.skipLines()
		if p.atTerminator() {
			p.fail("MissingStatementInHashLiteral", "Missing statement after '=' in hash literal.")
		}
		h.Values = append(h.Values, p.statement())
		p.skipSpace()
		if p.newline(0) == 0 && p.at(0) != ';' && p.at(0) != '}' {
			p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
		}
	}
	p.pos++
	h.Extent = p.from(start)
	return h
}

func isText(e ast.Expr, text string) bool {
	s, ok := e.(*ast.String)
	return ok && strings.EqualFold(s.Value, text)
}

func (p *parser) hashKey() ast.Expr {
	start := p.pos
	if !isLetter(p.at(0)) && p.at(0) != '_' {
		return p.unary(false)
	}
	for isNamePart(p.at(0)) {
		p.pos++
	}
	return &ast.String{Extent: p.from(start), Value: p.text[start:p.pos], Bare: true}
}

func (p *parser) blockExpr() ast.Expr {
	start := p.pos
	block := p.braces()
	return &ast.ScriptBlockExpr{Extent: p.from(start), Block: block}
}

// postfix parses what follows an operand without a blank: members, indexes, steps.
func (p *parser) postfix(start int, e ast.Expr) ast.Expr {
	for {
		switch {
		case p.looking("::"):
			p.pos += 2
			e = p.member(start, e, true)
		case p.at(0) == '.' && p.at(1) != '.' && p.memberFollows():
			p.pos++
			e = p.member(start, e, false)
		case p.at(0) == '[':
			p.pos++
			p.skipLines()
			index := p.expression(true)
			p.expect(']', "EndSquareBracketExpectedAtEndOfAttribute", "Missing ']' after array index expression.")
			e = &ast.Index{Extent: p.from(start), Target: e, Index: index}
		case (p.looking("++") || p.looking("--")) && assignable(e):
			op := p.text[p.pos : p.pos+2]
			p.pos += 2
			return &ast.Step{Extent: p.from(start), Op: op, Operand: e}
		default:
			return e
		}
	}
}

func assignable(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Variable, *ast.Index, *ast.Member:
		return true
	}
	return false
}

func (p *parser) memberFollows() bool {
	c := p.at(1)
	return isNamePart(c) || c == '$' || c == '\'' || c == '"' || c == '('
}

func (p *parser) member(start int, target ast.Expr, static bool) ast.Expr {
	name := p.memberName()
	if p.at(0) != '(' {
		return &ast.Member{Extent: p.from(start), Target: target, Name: name, Static: static}
	}
	p.pos++
	args := p.arguments(')')
	p.expect(')', "MissingEndParenthesisInMethodCall", "Missing ')' in method call.")
	return &ast.Invoke{Extent: p.from(start), Target: target, Name: name, Static: static, Args: args}
}

func (p *parser) memberName() ast.Expr {
	start := p.pos
	switch c := p.at(0); {
	case c == '$':
		return p.variable()
	case c == '\'':
		return p.single()
	case c == '"':
		return p.double()
	case c == '(':
		return p.paren()
	}
	for isNamePart(p.at(0)) {
		p.pos++
	}
	if p.pos == start {
		p.fail("MissingPropertyName", "Missing property name after reference operator.")
	}
	return &ast.String{Extent: p.from(start), Value: p.text[start:p.pos], Bare: true}
}

// arguments parses expressions with commas between, up to a closing character.
func (p *parser) arguments(closing byte) []ast.Expr {
	var args []ast.Expr
	p.skipLines()
	for p.at(0) != closing {
		args = append(args, p.expression(false))
		p.skipLines()
		if p.at(0) != ',' {
			break
		}
		p.pos++
		p.skipLines()
		if p.at(0) == closing {
			p.fail("MissingExpressionAfterToken", "Missing expression after ','.")
		}
	}
	return args
}
