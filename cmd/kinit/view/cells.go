package view

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"kinit/engine/lists"
)

// ellipsis ends a text that was cut. It is ASCII because a terminal in the C
// locale shows anything else with another width.
const ellipsis = "..."

// cells is how many columns of a terminal a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	if r < 0x300 { // the first combining mark
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// head returns the longest beginning of a text that fits into n columns.
func head(text string, n int) string {
	used := 0
	for i, r := range text {
		used += runeCells(r)
		if used > n {
			return text[:i]
		}
	}
	return text
}

// cut shortens a text to n columns. No limit when n is 0.
func cut(text string, n int) string {
	if n <= 0 || cells(text) <= n {
		return text
	}
	if n <= len(ellipsis) {
		return head(text, n)
	}
	return head(text, n-len(ellipsis)) + ellipsis
}

func pad(text string, n int) string {
	return text + spaces(n-cells(text))
}

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// Table aligns columns. The last cell of a row is not padded.
func Table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		widths = append(widths, make([]int, max(0, len(row)-len(widths)))...)
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return lists.Map(rows, func(row []string) string {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf("%-*s  ", widths[i], cell)
		}
		return strings.TrimRight(line, " ")
	})
}

// wrap breaks a text into lines of at most n columns, at spaces where there are
// any, and keeps the indentation of each line. No limit when n is 0.
func wrap(text string, n int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, wrapLine(clean(line), n)...)
	}
	return lines
}

func wrapLine(line string, n int) []string {
	if n <= 0 || cells(line) <= n {
		return []string{strings.TrimRight(line, " ")}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(indent) >= n/2 {
		indent = ""
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		switch {
		case current == "":
			current = indent + word
		case cells(current)+1+cells(word) <= n:
			current += " " + word
		default:
			lines = append(lines, current)
			current = indent + word
		}
		for cells(current) > n {
			part := head(current, n)
			if part == "" { // one wide rune in a column too few
				return append(lines, ellipsis[:min(n, len(ellipsis))])
			}
			lines = append(lines, part)
			current = current[len(part):]
		}
	}
	return append(lines, current)
}

// Clean makes a text of several lines safe to show, see clean. Line ends stay.
func Clean(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = clean(line)
	}
	return strings.Join(lines, "\n")
}

// clean makes one line safe to print: what hosts send must not move the cursor
// or change colours. Tabs become spaces; of parts that overwrite each other by a
// carriage return the last one stays.
func clean(line string) string {
	line = strings.ToValidUTF8(strings.TrimRight(line, "\r"), "?")
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if strings.IndexFunc(line, unsafe) < 0 {
		return line
	}
	var out strings.Builder
	for line != "" {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			line = skipSequence(rest)
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		line = line[size:]
		switch {
		case r == '\t':
			out.WriteString("    ")
		case !unsafe(r):
			out.WriteRune(r)
		}
	}
	return out.String()
}

// unsafe finds control characters, the C1 set and bidirectional overrides
// included.
func unsafe(r rune) bool {
	return unicode.IsControl(r) || (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069)
}

// skipSequence drops the rest of a control sequence: parameters, then one final
// byte from @ to ~.
func skipSequence(rest string) string {
	for i := range len(rest) {
		if rest[i] >= '@' && rest[i] <= '~' {
			return rest[i+1:]
		}
	}
	return ""
}

// headline returns the first line of a text that is not blank.
func headline(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			return strings.TrimSpace(clean(line))
		}
	}
	return ""
}
