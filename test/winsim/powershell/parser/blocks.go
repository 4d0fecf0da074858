package parser

import (
	"kinit/test/winsim/powershell/ast"
)

// condition parses (pipeline), after blanks and ends of lines.
func (p *parser) condition(word string) ast.Statement {
	p.skipLines()
	if p.at(0) != '(' {
		p.fail("MissingOpenParenthesisInIfStatement", "Missing '(' after '%s' in statement.", word)
	}
	p.pos++
	p.skipLines()
	if p.at(0) == ')' {
		p.fail("IfStatementMissingCondition", "Missing condition in statement after '%s ('.", word)
	}
	c := p.pipelineStatement()
	p.expect(')', "MissingEndParenthesisAfterStatement", "Missing closing ')' after expression in '"+word+"' statement.")
	return c
}

func (p *parser) ifStatement(start int) ast.Statement {
	s := &ast.If{}
	s.Conditions = append(s.Conditions, p.condition("if"))
	s.Bodies = append(s.Bodies, p.block())
	for p.takeKeyword("elseif") {
		s.Conditions = append(s.Conditions, p.condition("elseif"))
		s.Bodies = append(s.Bodies, p.block())
	}
	if p.takeKeyword("else") {
		s.Else = p.block()
	}
	s.Extent = p.from(start)
	return s
}

func (p *parser) foreach(start int, label string) ast.Statement {
	s := &ast.Foreach{Label: label}
	p.expect('(', "MissingOpenParenthesisAfterKeyword", "Missing opening '(' after keyword 'foreach'.")
	p.skipLines()
	if p.at(0) != '$' || !p.startsVariable() {
		p.fail("MissingVariableNameAfterForeach", "Missing variable name after foreach.")
	}
	s.Variable = p.variable()
	p.skipLines()
	if p.keyword() != "in" {
		p.fail("MissingInInForeach", "Missing 'in' after variable in foreach loop.")
	}
	p.pos += len("in")
	p.skipLines()
	s.Items = p.pipelineStatement()
	p.expect(')', "MissingEndParenthesisAfterForeach", "Missing closing ')' after expression in foreach loop.")
	s.Body = p.block()
	s.Extent = p.from(start)
	return s
}

func (p *parser) forLoop(start int, label string) ast.Statement {
	s := &ast.For{Label: label}
	p.expect('(', "MissingOpenParenthesisAfterKeyword", "Missing opening '(' after keyword 'for'.")
	s.Init = p.forPart(';')
	s.Condition = p.forPart(';')
	s.Next = p.forPart(')')
	p.expect(')', "MissingEndParenthesisAfterStatement", "Missing closing ')' after expression in 'for' statement.")
	s.Body = p.block()
	s.Extent = p.from(start)
	return s
}

// forPart parses one of the three parts of a for loop, which may be missing.
func (p *parser) forPart(closing byte) ast.Statement {
	var part ast.Statement
	p.skipLines()
	if p.at(0) != closing && p.at(0) != ')' {
		part = p.pipelineStatement()
		p.skipLines()
	}
	if closing == ';' && p.at(0) == ';' {
		p.pos++
	}
	return part
}

func (p *parser) while(start int, label string) ast.Statement {
	s := &ast.While{Label: label}
	s.Condition = p.condition("while")
	s.Body = p.block()
	s.Extent = p.from(start)
	return s
}

func (p *parser) do(start int, label string) ast.Statement {
	s := &ast.While{Label: label, Do: true}
	s.Body = p.block()
	word := "while"
	if p.takeKeyword("until") {
		s.Until, word = true, "until"
	} else if !p.takeKeyword("while") {
		p.fail("MissingWhileOrUntilInDoWhile", "Missing while or until keyword in do loop.")
	}
	s.Condition = p.condition(word)
	s.Extent = p.from(start)
	return s
}

func (p *parser) try(start int) ast.Statement {
	s := &ast.Try{}
	s.Body = p.block()
	for p.takeKeyword("catch") {
		s.Catches = append(s.Catches, p.catch())
	}
	if p.takeKeyword("finally") {
		s.Finally = p.block()
	}
	if len(s.Catches) == 0 && s.Finally == nil {
		p.fail("MissingCatchOrFinally", "The Try statement is missing its Catch or Finally block.")
	}
	s.Extent = p.from(start)
	return s
}

func (p *parser) catch() *ast.Catch {
	start := p.pos
	c := &ast.Catch{}
	for p.skipLines(); p.at(0) == '['; p.skipLines() {
		c.Types = append(c.Types, p.typeLiteral())
		p.skipLines()
		if p.at(0) != ',' {
			break
		}
		p.pos++
	}
	c.Body = p.block()
	c.Extent = p.from(start)
	return c
}
