package parser

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// at is the byte n after the position, or 0 behind the end.
func (p *parser) at(n int) byte {
	if p.pos+n >= len(p.text) {
		return 0
	}
	return p.text[p.pos+n]
}

func (p *parser) end() bool { return p.pos >= len(p.text) }

func (p *parser) looking(prefix string) bool {
	return strings.HasPrefix(p.text[p.pos:], prefix)
}

// skipSpace goes over blanks, comments and continued lines, but not over the end of
// a line.
func (p *parser) skipSpace() {
	for !p.end() {
		switch c := p.at(0); {
		case c == ' ' || c == '\t' || c == '\f' || c == '\v':
			p.pos++
		case c == '`' && p.newline(1) > 0:
			p.pos += 1 + p.newline(1)
		case p.looking("<#"):
			p.skipBlockComment()
		case c == '#':
			p.skipLineComment()
		case c >= utf8.RuneSelf && p.blankRune() > 0:
			p.pos += p.blankRune()
		default:
			return
		}
	}
}

// newline is the length of the end of line that is n bytes after the position.
func (p *parser) newline(n int) int {
	switch {
	case p.at(n) == '\n':
		return 1
	case p.at(n) == '\r' && p.at(n+1) == '\n':
		return 2
	case p.at(n) == '\r':
		return 1
	}
	return 0
}

// blankRune is the length of a blank outside of ASCII at the position; the mark that
// some editors put before a text is one.
func (p *parser) blankRune() int {
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	if unicode.IsSpace(r) || r == '\uFEFF' && p.pos == 0 {
		return size
	}
	return 0
}

func (p *parser) skipBlockComment() {
	length := strings.Index(p.text[p.pos:], "#>")
	if length < 0 {
		p.fail("MissingTerminatorMultiLineComment", "The terminator '#>' is missing from the multiline comment.")
	}
	p.pos += length + len("#>")
}

func (p *parser) skipLineComment() {
	for !p.end() && p.newline(0) == 0 {
		p.pos++
	}
}

// skipLines goes over blanks and ends of lines.
func (p *parser) skipLines() {
	for {
		p.skipSpace()
		n := p.newline(0)
		if n == 0 {
			return
		}
		p.pos += n
	}
}

// skipTerminators goes over blanks, ends of lines and semicolons.
func (p *parser) skipTerminators() {
	for {
		p.skipLines()
		if p.at(0) != ';' {
			return
		}
		p.pos++
	}
}

// atTerminator reports whether nothing of a statement can follow.
func (p *parser) atTerminator() bool {
	return p.end() || p.newline(0) > 0 || strings.IndexByte(";})|", p.at(0)) >= 0
}

// expect goes over a character that must come, after blanks and ends of lines.
func (p *parser) expect(c byte, id, message string) {
	p.skipLines()
	if p.at(0) != c {
		p.fail(id, "%s", message)
	}
	p.pos++
}

// word is the text at the position up to something that ends words, for messages.
func (p *parser) word() string {
	rest := p.text[p.pos:]
	end := strings.IndexAny(rest, " \t\r\n;(){}|,")
	if end == 0 {
		_, end = utf8.DecodeRuneInString(rest)
	}
	if end < 0 {
		return rest
	}
	return rest[:end]
}

// keyword is the word at the position in lower case if only letters are in it and
// nothing follows that would make it part of a name.
func (p *parser) keyword() string {
	n := 0
	for isLetter(p.at(n)) {
		n++
	}
	if n == 0 || isNamePart(p.at(n)) || strings.IndexByte("-.\\:", p.at(n)) >= 0 && p.at(n) != 0 {
		return ""
	}
	return strings.ToLower(p.text[p.pos : p.pos+n])
}

// takeKeyword goes over a keyword if it comes after blanks and ends of lines.
func (p *parser) takeKeyword(word string) bool {
	start := p.pos
	p.skipLines()
	if p.keyword() != word {
		p.pos = start
		return false
	}
	p.pos += len(word)
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// isNamePart reports whether a byte can be in a name; every byte outside of ASCII can.
func isNamePart(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c >= utf8.RuneSelf
}

// checkRune refuses characters that the real parser takes for quotes or dashes.
func (p *parser) checkRune() {
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	if strings.ContainsRune("‘’‚‛“”„–—―", r) {
		p.unknown(p.pos, "typographic quotes and dashes (%q) outside of text", r)
	}
}
