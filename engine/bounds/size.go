package bounds

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"
)

// Size returns an error for a value that is too large.
func Size(value cty.Value) error {
	if value == cty.NilVal {
		return nil
	}
	s := &size{}
	s.add(value)
	switch {
	case s.elements > mostElements:
		return fmt.Errorf("the value has more than %d elements, and no such value can be meant", mostElements)
	case s.bytes > MostBytes:
		return fmt.Errorf("the texts of the value have more than %d MiB, and no such value can be meant", MostBytes>>20)
	case s.vast:
		return fmt.Errorf("a number of the value has more than %d binary digits, and no such number can be meant", mostDigits)
	}
	return nil
}

type size struct {
	elements, bytes int
	vast            bool // a number in it has too many digits
}

// vast reports whether a number has too many digits.
func vast(number cty.Value) bool {
	n := number.AsBigFloat()
	e := n.MantExp(nil)
	return !n.IsInf() && (e > mostDigits || e < -mostDigits)
}

// add counts up to the limit.
func (s *size) add(value cty.Value) {
	value, _ = value.Unmark()
	if s.elements > mostElements || s.bytes > MostBytes || !value.IsKnown() || value.IsNull() {
		return
	}
	if value.Type() == cty.Number {
		s.vast = s.vast || vast(value)
		return
	}
	if value.Type() == cty.String {
		s.bytes += len(value.AsString())
		return
	}
	if !value.CanIterateElements() {
		return
	}
	for elements := value.ElementIterator(); elements.Next(); {
		s.elements++
		_, element := elements.Element()
		s.add(element)
	}
}

// yamlDecoded rejects YAML as decoded does, and YAML that becomes large through repeated
// aliases.
func yamlDecoded(all []string) error {
	if err := decoded(all); err != nil || !strings.Contains(all[0], "*") {
		return err
	}
	var document yaml.Node
	if yaml.Unmarshal([]byte(all[0]), &document) != nil {
		return nil // the function reports the error
	}
	if (expansion{}).of(&document) > mostElements {
		return fmt.Errorf("more than %d values cannot be meant", mostElements)
	}
	return nil
}

// expansion is the number of values of each part after aliases are replaced.
type expansion map[*yaml.Node]int

// of counts the values of a part. A part that contains itself is infinite.
func (e expansion) of(n *yaml.Node) int {
	if known, ok := e[n]; ok {
		return known
	}
	e[n] = mostElements + 1
	total := 1
	if n.Alias != nil {
		total = e.of(n.Alias)
	}
	for _, part := range n.Content {
		total = min(total+e.of(part), mostElements+1)
	}
	e[n] = total
	return total
}
