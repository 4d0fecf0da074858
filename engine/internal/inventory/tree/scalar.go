package tree

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/inventory/literal"
)

// The forms of plain scalars in YAML 1.1, from its type repository at
// https://yaml.org/type/. A float needs a point, and a sign in its exponent.
var (
	intForm   = regexp.MustCompile(`^[-+]?(0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$`)
	sixtyForm = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$`)
	floatForm = regexp.MustCompile(`^([-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+][0-9]+)?$`)
)

// The words of YAML 1.1.
const (
	trueWords  = " yes Yes YES true True TRUE on On ON "
	falseWords = " no No NO false False FALSE off Off OFF "
	nullWords  = " ~ null Null NULL "
)

// plain is the value of a scalar without quotes: a bool, a number, null or text.
func plain(word string) cty.Value {
	switch {
	case word == "" || listed(nullWords, word):
		return cty.NullVal(cty.DynamicPseudoType)
	case listed(trueWords, word):
		return cty.True
	case listed(falseWords, word):
		return cty.False
	}
	if value, ok := number(word); ok {
		return value
	}
	return cty.StringVal(word)
}

func listed(words, word string) bool {
	return !strings.Contains(word, " ") && strings.Contains(words, " "+word+" ")
}

// number reads a number of YAML 1.1. Infinity and not-a-number are text: no value
// of HCL is like them.
func number(word string) (cty.Value, bool) {
	if c := word[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return cty.NilVal, false
	}
	digits := strings.ReplaceAll(strings.TrimLeft(word, "+-"), "_", "")
	var value cty.Value
	ok := false
	switch {
	case intForm.MatchString(word):
		value, ok = integer(digits)
	case sixtyForm.MatchString(word):
		value, ok = sixties(digits), true
	case floatForm.MatchString(word):
		value, ok = literal.Number(digits)
	}
	if ok && word[0] == '-' && !value.RawEquals(cty.Zero) {
		value = value.Negate()
	}
	return value, ok
}

// integer reads a number with 0b, 0x or, before octal digits, 0.
func integer(digits string) (cty.Value, bool) {
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok {
		return cty.NilVal, false
	}
	return cty.NumberVal(new(big.Float).SetInt(n)), true
}

// sixties reads a number to the base of 60, as in hours:minutes:seconds.
func sixties(digits string) cty.Value {
	sum := new(big.Int)
	for part := range strings.SplitSeq(digits, ":") {
		n, _ := new(big.Int).SetString(part, 10)
		sum.Add(sum.Mul(sum, big.NewInt(60)), n)
	}
	return cty.NumberVal(new(big.Float).SetInt(sum))
}
