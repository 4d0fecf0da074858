package parser

import (
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// braces parses { script block }. The position is at the brace.
func (p *parser) braces() *ast.ScriptBlock {
	p.enter()
	defer p.leave()
	start := p.pos
	p.pos++
	block := p.scriptBody('}')
	p.closing(start)
	block.Extent = p.from(start)
	return block
}

// closing goes over the brace that closes the one at start.
func (p *parser) closing(start int) {
	if p.at(0) != '}' {
		p.pos = start
		p.fail("MissingEndCurlyBrace", "Missing closing '}' in statement block or type definition.")
	}
	p.pos++
}

// scriptBody parses a param block and statements, up to a closing character.
func (p *parser) scriptBody(closing byte) *ast.ScriptBlock {
	start := p.pos
	block := &ast.ScriptBlock{}
	p.skipTerminators()
	if p.attributesBeforeParam() {
		p.blockParams(block)
		p.skipTerminators()
	}
	if p.namedBlock() != "" {
		p.unknown(p.pos, "the block %s", p.namedBlock())
	}
	block.End = p.statements(closing)
	block.Extent = p.from(start)
	return block
}

func (p *parser) blockParams(block *ast.ScriptBlock) {
	for p.skipLines(); p.at(0) == '['; p.skipLines() {
		start := p.pos
		p.pos++
		name := strings.ToLower(p.typeName())
		if p.skipSpace(); name != "cmdletbinding" || !p.looking("()]") {
			p.unknown(start, "the attribute [%s] of a script block", name)
		}
		p.pos += len("()]")
		block.Advanced = true
	}
	start := p.pos
	p.pos += len("param")
	block.Params = p.paramBlock(start)
}

// namedBlock is begin, process or end if one is at the position.
func (p *parser) namedBlock() string {
	start := p.pos
	defer func() { p.pos = start }()
	word := p.keyword()
	switch word {
	case "dynamicparam":
		p.unknown(p.pos, "dynamicparam")
	case "begin", "process", "end":
		p.pos += len(word)
		p.skipLines()
		if p.at(0) == '{' {
			return word
		}
	}
	return ""
}

// block parses { statements }, after blanks and ends of lines.
func (p *parser) block() *ast.Block {
	p.enter()
	defer p.leave()
	p.skipLines()
	start := p.pos
	if p.at(0) != '{' {
		p.fail("MissingStatementBlock", "Missing statement block: '{' was expected.")
	}
	p.pos++
	body := p.statements('}')
	p.closing(start)
	body.Extent = p.from(start)
	return body
}

// statements parses statements up to a closing character, which stays.
func (p *parser) statements(closing byte) *ast.Block {
	start := p.pos
	block := &ast.Block{}
	for {
		p.skipTerminators()
		if p.end() || closing != 0 && p.at(0) == closing {
			break
		}
		block.Statements = append(block.Statements, p.statement())
		p.skipSpace()
		if !p.atTerminator() && !endsWithBrace(block.Statements[len(block.Statements)-1]) || p.at(0) == '|' {
			p.noAmpersand()
			p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
		}
		if (p.at(0) == ')' || p.at(0) == '}') && p.at(0) != closing {
			p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", p.word())
		}
	}
	block.Extent = p.from(start)
	return block
}

// endsWithBrace reports whether a statement needs nothing between it and the next.
func endsWithBrace(s ast.Statement) bool {
	switch s := s.(type) {
	case *ast.If, *ast.Foreach, *ast.For, *ast.Try, *ast.Function:
		return true
	case *ast.While:
		return !s.Do
	}
	return false
}

// statement parses one statement.
func (p *parser) statement() ast.Statement {
	p.enter()
	defer p.leave()
	p.skipSpace()
	start := p.pos
	label := p.label()
	word := p.keyword()
	if parse := p.loop(word); parse != nil {
		p.pos += len(word)
		return parse(start, label)
	}
	if label != "" {
		p.unknown(start, "labels of other statements than loops")
	}
	if parse := p.keywordStatement(word); parse != nil {
		p.pos += len(word)
		return parse(start)
	}
	return p.pipelineStatement()
}

// label parses :name before a loop.
func (p *parser) label() string {
	if p.at(0) != ':' || !isLetter(p.at(1)) {
		return ""
	}
	start := p.pos + 1
	for p.pos++; isNamePart(p.at(0)); p.pos++ {
	}
	name := p.text[start:p.pos]
	p.skipLines()
	return name
}

func (p *parser) loop(word string) func(start int, label string) ast.Statement {
	switch word {
	case "foreach":
		return p.foreach
	case "for":
		return p.forLoop
	case "while":
		return p.while
	case "do":
		return p.do
	case "switch":
		p.unknown(p.pos, "the statement switch")
	}
	return nil
}

func (p *parser) keywordStatement(word string) func(start int) ast.Statement {
	switch word {
	case "if":
		return p.ifStatement
	case "try":
		return p.try
	case "function":
		return p.function
	case "return", "throw", "exit", "break", "continue":
		return func(start int) ast.Statement { return p.flow(start, word) }
	case "trap", "data", "class", "enum", "using", "workflow", "configuration", "filter",
		"parallel", "sequence", "inlinescript", "dynamicparam", "define":
		p.unknown(p.pos, "the statement %s", word)
	case "else", "elseif", "catch", "finally", "until", "param", "in":
		p.fail("UnexpectedToken", "Unexpected token '%s' in expression or statement.", word)
	}
	return nil
}

// flow parses return, throw, exit, break and continue.
func (p *parser) flow(start int, word string) ast.Statement {
	f := &ast.Flow{Word: word}
	end := p.pos
	p.skipSpace()
	if p.atTerminator() {
		p.pos = end
		f.Extent = p.from(start)
		return f
	}
	if word != "break" && word != "continue" {
		f.Value = p.pipelineStatement()
		f.Extent = p.from(start)
		return f
	}
	label := p.pos
	for isNamePart(p.at(0)) {
		p.pos++
	}
	if p.pos == label || !p.atDelimiter() {
		p.unknown(label, "a label of %s that is an expression", word)
	}
	f.Label = p.text[label:p.pos]
	f.Extent = p.from(start)
	return f
}

func (p *parser) function(start int) ast.Statement {
	p.skipLines()
	name, ok := p.bareword().(*ast.String)
	if !ok || strings.Contains(name.Value, ":") {
		p.unknown(start, "a function whose name has a variable or a scope in it")
	}
	f := &ast.Function{Name: name.Value}
	p.skipLines()
	var params *ast.Params
	if p.at(0) == '(' {
		params = p.paramBlock(p.pos)
		p.skipLines()
	}
	if p.at(0) != '{' {
		p.fail("MissingFunctionBody", "Missing function body in function declaration.")
	}
	f.Body = p.braces()
	if params != nil {
		f.Body.Params = params
	}
	f.Extent = p.from(start)
	return f
}

// pipelineStatement parses an assignment or a pipeline.
func (p *parser) pipelineStatement() ast.Statement {
	p.skipSpace()
	start := p.pos
	if !p.startsExpression() {
		return p.pipeline(start, nil)
	}
	e := p.expression(true)
	after := p.pos
	p.skipSpace()
	if op := p.assignmentOperator(); op != "" {
		p.pos += len(op)
		p.skipLines()
		target := p.target(e)
		if p.atTerminator() {
			p.fail("ExpectedValueExpression", "You must provide a value expression following the '%s' operator.", op)
		}
		value := p.statement()
		return &ast.Assignment{Extent: p.from(start), Target: target, Op: op, Value: value}
	}
	p.pos = after
	first := &ast.CommandExpr{Extent: p.from(start), Expr: e}
	for p.skipSpace(); ; p.skipSpace() {
		r, ok := p.redirection()
		if !ok {
			break
		}
		first.Redirections = append(first.Redirections, r)
		after = p.pos
	}
	p.pos = after
	return p.pipeline(start, first)
}

func (p *parser) assignmentOperator() string {
	for _, op := range []string{"+=", "-=", "*=", "/=", "%="} {
		if p.looking(op) {
			return op
		}
	}
	if p.at(0) == '=' {
		return "="
	}
	return ""
}

// pipeline parses elements with | between, behind a first one that was read already.
func (p *parser) pipeline(start int, first ast.Element) ast.Statement {
	if first == nil {
		first = p.command()
	}
	line := &ast.Pipeline{Elements: []ast.Element{first}}
	for {
		after := p.pos
		p.skipSpace()
		if p.at(0) != '|' {
			p.noAmpersand()
			p.pos = after
			break
		}
		if p.at(1) == '|' {
			p.noAmpersand()
		}
		p.pos++
		p.skipLines()
		if p.atTerminator() {
			p.fail("EmptyPipeElement", "An empty pipe element is not allowed.")
		}
		if p.startsExpression() {
			p.fail("ExpressionsMustBeFirstInPipeline", "Expressions are only allowed as the first element of a pipeline.")
		}
		line.Elements = append(line.Elements, p.command())
	}
	line.Extent = p.from(start)
	return line
}

// startsExpression reports whether the statement at the position is an expression and
// not a command.
func (p *parser) startsExpression() bool {
	c := p.at(0)
	switch {
	case c == 0:
		return false
	case strings.IndexByte("$\"'(@{[!,", c) >= 0, p.looking("++"):
		return true
	case c == '-' || c == '+':
		return true
	case isDigit(c), c == '.' && isDigit(p.at(1)):
		return p.startsNumber()
	}
	return false
}

// startsNumber reports whether the word at the position is a number, and not the name
// of a program that begins with a digit.
func (p *parser) startsNumber() bool {
	start := p.pos
	defer func() { p.pos = start }()
	return p.number(false) != nil
}
