package value

import "unicode/utf16"

// Units are the UTF-16 units of a text, which is what .NET counts.
func Units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// FromUnits is the text of UTF-16 units.
func FromUnits(units []uint16) string { return string(utf16.Decode(units)) }

// UnitLength is the number of UTF-16 units of a text.
func UnitLength(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
