package bounds

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
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
