package view

import "strings"

// canvas keeps the live lines at the bottom of a terminal. After a frame the
// cursor stands at the end of its last live line.
type canvas struct {
	drawn []int // columns of the live lines on the terminal
}

// frame returns the output that replaces the live lines on the terminal by
// lasting lines and new live lines below them. columns is the terminal's
// current width, which may differ from that of the old lines.
func (c *canvas) frame(lasting, live []string, columns int) string {
	var out strings.Builder
	out.WriteString(c.wipe(columns))
	for _, line := range lasting {
		out.WriteString(line)
		out.WriteString("\n")
	}
	out.WriteString(strings.Join(live, "\n"))
	for _, line := range live {
		c.drawn = append(c.drawn, cells(clean(line)))
	}
	return out.String()
}

// wipe clears the live lines row by row, from the last one up. Clearing to the
// end of the screen would be shorter, but from its top left corner tmux takes that
// for a new screen and keeps the old one in its history. A terminal that became
// narrower has broken the lines, so they take more rows.
func (c *canvas) wipe(columns int) string {
	if len(c.drawn) == 0 {
		return ""
	}
	rows := 0
	for _, cells := range c.drawn {
		rows += max(1, (cells+columns-1)/max(1, columns))
	}
	c.drawn = nil
	return "\r\x1b[2K" + strings.Repeat("\x1b[A\x1b[2K", rows-1)
}
