package view

import "strings"

// The colours, as parameters of the SGR control sequence of ECMA-48.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// span is a piece of a line in one colour.
type span struct {
	text  string
	style string
}

// paint puts a text between control sequences, or leaves it alone.
func paint(text, style string, colour bool) string {
	if !colour || style == plain || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// render joins spans to a line of at most n columns, without spaces at its end.
// No limit when n is 0.
func render(spans []span, n int, colour bool) string {
	whole := ""
	for _, s := range spans {
		whole += s.text
	}
	whole = cut(strings.TrimRight(whole, " "), n)
	var line strings.Builder
	for i, s := range spans {
		part := s.text
		if i == len(spans)-1 || !strings.HasPrefix(whole, part) { // it was cut in here
			part = whole
		}
		line.WriteString(paint(part, s.style, colour))
		whole = whole[len(part):]
	}
	return line.String()
}
