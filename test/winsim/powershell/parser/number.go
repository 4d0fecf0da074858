package parser

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"kinit/test/winsim/powershell/ast"
)

// number parses a number with an optional sign, or returns nil and stays where it is
// when the text at the position is something else, such as the name of a program.
func (p *parser) number(delimited bool) *ast.Number {
	start := p.pos
	negative := p.at(0) == '-'
	if negative || p.at(0) == '+' {
		p.pos++
	}
	value, ok := p.magnitude(negative)
	if !ok || isNamePart(p.at(0)) || delimited && !p.atDelimiter() {
		p.pos = start
		return nil
	}
	return &ast.Number{Extent: p.from(start), Value: value}
}

// atDelimiter reports whether an argument ends at the position.
func (p *parser) atDelimiter() bool {
	return p.end() || strings.IndexByte(" \t\r\n\f\v;,|&(){}<>", p.at(0)) >= 0
}

func (p *parser) magnitude(negative bool) (any, bool) {
	if p.at(0) == '0' && p.at(1)|0x20 == 'x' {
		return p.hex(negative)
	}
	start := p.pos
	p.digits()
	real := false
	if p.at(0) == '.' && isDigit(p.at(1)) {
		real = true
		p.pos++
		p.digits()
	}
	if p.pos == start {
		return nil, false
	}
	if n := p.exponent(); n > 0 {
		real = true
		p.pos += n
	}
	text := p.text[start:p.pos]
	long := p.at(0)|0x20 == 'l'
	if long {
		p.pos++
	}
	if p.at(0)|0x20 == 'd' && !isNamePart(p.at(1)) {
		p.unknown(p.pos, "numbers of the type decimal")
	}
	multiplier := p.multiplier()
	if real {
		value, err := strconv.ParseFloat(text, 64)
		return sign(negative) * value * float64(multiplier), err == nil && !long
	}
	return p.integer(text, 10, multiplier, negative, long)
}

func sign(negative bool) float64 {
	if negative {
		return -1
	}
	return 1
}

func (p *parser) digits() {
	for isDigit(p.at(0)) {
		p.pos++
	}
}

// exponent is the length of an exponent at the position.
func (p *parser) exponent() int {
	if p.at(0)|0x20 != 'e' {
		return 0
	}
	n := 1
	if p.at(n) == '+' || p.at(n) == '-' {
		n++
	}
	if !isDigit(p.at(n)) {
		return 0
	}
	for isDigit(p.at(n)) {
		n++
	}
	return n
}

func (p *parser) multiplier() int64 {
	if p.at(1)|0x20 != 'b' {
		return 1
	}
	power := strings.IndexByte("kmgtp", p.at(0)|0x20)
	if power < 0 {
		return 1
	}
	p.pos += 2
	return 1 << (10 * (power + 1))
}

// hex reads a hexadecimal number: 32 bits are an int and 64 a long, whatever the sign.
func (p *parser) hex(negative bool) (any, bool) {
	p.pos += 2
	start := p.pos
	for strings.IndexByte("0123456789abcdef", p.at(0)|0x20) >= 0 && p.at(0) != 0 && (isDigit(p.at(0)) || isLetter(p.at(0))) {
		p.pos++
	}
	text := strings.TrimLeft(p.text[start:p.pos], "0")
	if p.pos == start || len(text) > 16 {
		return nil, false
	}
	bits, err := strconv.ParseUint("0"+text, 16, 64)
	if err != nil {
		return nil, false
	}
	long := p.at(0)|0x20 == 'l'
	if long {
		p.pos++
	}
	multiplier := p.multiplier()
	value := int64(bits)
	if len(text) <= 8 && !long {
		value = int64(int32(uint32(bits)))
	}
	return p.integer(strconv.FormatInt(value, 10), 10, multiplier, negative, long)
}

func (p *parser) integer(text string, base int, multiplier int64, negative, long bool) (any, bool) {
	value, ok := new(big.Int).SetString(text, base)
	if !ok {
		return nil, false
	}
	value.Mul(value, big.NewInt(multiplier))
	if negative {
		value.Neg(value)
	}
	if !value.IsInt64() {
		p.unknown(p.pos, "numbers of the type decimal")
	}
	n := value.Int64()
	if !long && n >= math.MinInt32 && n <= math.MaxInt32 {
		return int32(n), true
	}
	return n, true
}
