package view

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// terminal is a screen that does what the views ask of one, with all that ever
// scrolled by. It wraps long lines, and wraps them again when its width changes,
// as most terminals do. An unknown control sequence fails the test.
type terminal struct {
	t         *testing.T
	columns   int
	lines     [][]rune // without the breaks of wrapping
	line, col int      // the cursor, in lines
	writes    int
}

func newTerminal(t *testing.T, columns int) *terminal {
	return &terminal{t: t, columns: columns, lines: [][]rune{nil}}
}

func (s *terminal) screen() Screen {
	return Screen{Writer: s, Size: func() (int, int) { return s.columns, 24 }}
}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

func (s *terminal) Write(p []byte) (int, error) {
	s.writes++
	for text := string(p); text != ""; {
		if m := sequence.FindStringSubmatch(text); m != nil {
			s.control(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		s.put(r)
	}
	return len(p), nil
}

func (s *terminal) put(r rune) {
	switch r {
	case '\r':
		s.col -= s.col % s.columns
		if s.col > 0 && s.col == len(s.lines[s.line]) { // the cursor waits after the last column
			s.col -= s.columns
		}
	case '\n':
		s.line++
		s.col = 0
		if s.line == len(s.lines) {
			s.lines = append(s.lines, nil)
		}
	default:
		if r < ' ' {
			s.t.Errorf("control character %q", r)
		}
		s.lines[s.line] = append(s.lines[s.line][:s.col], r)
		s.col++
	}
}

func (s *terminal) control(parameter, final string) {
	switch final {
	case "m":
	case "A":
		n, _ := strconv.Atoi(parameter)
		for range max(1, n) {
			s.up()
		}
	case "K":
		s.clearRow()
	default:
		s.t.Errorf("control sequence %q%s", parameter, final)
	}
}

// up moves the cursor, which stands at the left edge, one row up.
func (s *terminal) up() {
	if s.col >= s.columns {
		s.col -= s.columns
		return
	}
	s.line--
	s.col = max(0, len(s.lines[s.line])-1) / s.columns * s.columns
}

// clearRow empties the row of the cursor. Only rows at the end are ever cleared,
// so what comes after them is not there any more.
func (s *terminal) clearRow() {
	row := s.lines[s.line]
	if len(row) > s.col+s.columns {
		s.t.Errorf("cleared a row in the middle of %q", string(row))
	}
	s.lines[s.line] = row[:s.col]
}

// text is what stands on the terminal, without empty lines at its end.
func (s *terminal) text() string {
	var lines []string
	for _, line := range s.lines[:s.line] {
		lines = append(lines, string(line))
	}
	below := s.lines[s.line+1:]
	for len(below) > 0 && len(below[len(below)-1]) == 0 {
		below = below[:len(below)-1]
	}
	lines = append(lines, string(s.lines[s.line]))
	for _, line := range below {
		s.t.Errorf("%q stands below the cursor", string(line))
	}
	return strings.Join(lines, "\n")
}
