package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcled"

	"kinit/engine/diag"
)

// Diagnostics renders a list, with an empty line before each. A diagnostic that several
// hosts share is shown once, with a list of the hosts.
func Diagnostics(list diag.List, sources map[string]*hcl.File, colour bool, width int) string {
	var out strings.Builder
	for _, same := range alike(list) {
		out.WriteString("\n" + diagnostic(same, sources, colour, width))
	}
	return out.String()
}

// diagnostic renders the first of problems that are alike, with the hosts of all: what,
// where with the lines of the file, and why. Lines have at most width columns, 0 for no
// limit. Ranges that do not fit the sources give less, never a panic.
func diagnostic(same diag.List, sources map[string]*hcl.File, colour bool, width int) string {
	d := same[0]
	b := block{width: width, colour: colour}
	word, style := "Error: ", bold+";"+red
	if d.Warning {
		word, style = "Warning: ", bold+";"+yellow
	}
	for i, line := range wrap(word+d.Summary, width) {
		rest, found := strings.CutPrefix(line, word)
		if i > 0 || !found {
			b.line(span{line, bold})
			continue
		}
		b.line(span{word, style}, span{rest, bold})
	}
	if d.Subject != nil {
		b.gap()
		b.place(*d.Subject, sources[d.Subject.Filename])
		b.snippet(d, sources[d.Subject.Filename])
	}
	if d.Detail != "" {
		b.gap()
		b.WriteString(strings.Join(wrap(d.Detail, width), "\n") + "\n")
	}
	b.origin(same)
	return b.String()
}

// place returns the file, the line and the block.
func (b *block) place(r hcl.Range, file *hcl.File) {
	text := fmt.Sprintf("  on %s line %d", clean(r.Filename), r.Start.Line)
	if file != nil {
		if context := hcled.ContextString(file, r.Start.Byte); context != "" {
			text += ", in " + clean(context)
		}
	}
	b.WriteString(strings.Join(wrap(text+":", b.width), "\n") + "\n")
}

// origin returns the task and host, if it happened in a run.
func (b *block) origin(same diag.List) {
	d := same[0]
	if d.Address == "" && d.Host == "" {
		return
	}
	b.gap()
	if d.Address != "" {
		address := clean(d.Address)
		if len(same) > 1 {
			address += fmt.Sprintf(" and %d more", len(same)-1)
		}
		b.line(span{"  task ", dim}, span{address, plain})
	}
	if d.Host == "" {
		return
	}
	var names []string
	for _, other := range same {
		if name := clean(other.Host); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		b.line(span{"  host ", dim}, span{names[0], plain})
		return
	}
	for _, line := range wrap(fmt.Sprintf("  %d hosts: %s", len(names), strings.Join(names, ", ")), b.width) {
		b.line(span{line, plain})
	}
}
