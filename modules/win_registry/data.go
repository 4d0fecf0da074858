package winregistry

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// kinds are .NET's names of the types, by those of the argument.
func kinds() map[string]string {
	return map[string]string{
		"string": "String", "expandstring": "ExpandString", "multistring": "MultiString",
		"dword": "DWord", "qword": "QWord", "binary": "Binary",
	}
}

// data returns the value in the form that the scripts compare: unchanged texts, numbers in
// hex with all their digits, bytes in hex.
func (t *Task) data() ([]string, error) {
	value, _ := t.Value.UnmarkDeep()
	switch t.Type {
	case "multistring":
		return texts(value)
	case "dword":
		return number(value, 32)
	case "qword":
		return number(value, 64)
	}
	text, err := convert.Convert(value, cty.String)
	if err != nil || text.IsNull() {
		return nil, fmt.Errorf("value is no text, as type %q needs it", t.Type)
	}
	if t.Type != "binary" {
		return []string{text.AsString()}, nil
	}
	digits := strings.ToLower(text.AsString())
	if _, err := hex.DecodeString(digits); err != nil {
		return nil, errors.New("value is no hex digits, two for each byte, as type \"binary\" needs it")
	}
	return []string{digits}, nil
}

func texts(value cty.Value) ([]string, error) {
	list, err := convert.Convert(value, cty.List(cty.String))
	if err != nil {
		return nil, errors.New("value is no list of texts, as type \"multistring\" needs it")
	}
	all := []string{}
	for _, text := range list.AsValueSlice() {
		if text.IsNull() || text.AsString() == "" {
			return nil, errors.New("value has an empty text in it, which a multistring cannot keep")
		}
		all = append(all, text.AsString())
	}
	return all, nil
}

// number returns an unsigned whole number of that many bits.
func number(value cty.Value, bits uint) ([]string, error) {
	converted, err := convert.Convert(value, cty.Number)
	if err != nil || converted.IsNull() {
		return nil, errors.New("value is no number, as dword and qword need it")
	}
	whole, accuracy := converted.AsBigFloat().Int(nil)
	if limit := new(big.Int).Lsh(big.NewInt(1), bits); accuracy != big.Exact || whole.Sign() < 0 || whole.Cmp(limit) >= 0 {
		return nil, fmt.Errorf("value is %s, want a whole number from 0 to 2^%d-1", converted.AsBigFloat().Text('f', -1), bits)
	}
	return []string{fmt.Sprintf("%0*x", bits/4, whole)}, nil
}

// show formats data for people: numbers in decimal, texts in quotes, bytes in hex.
func show(kind string, data []string) string {
	switch kind {
	case "DWord", "QWord":
		if n, ok := new(big.Int).SetString(strings.Join(data, ""), 16); ok {
			return n.String()
		}
	case "Binary":
		return strings.Join(data, "")
	}
	quoted := slices.Clone(data)
	for i, text := range quoted {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	if kind == "MultiString" {
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return strings.Join(quoted, "")
}
