package reference

import (
	"fmt"
	"strconv"
	"strings"

	"kinit/engine/lists"
)

// Table lists modules with their summaries.
func Table(all []Module) []string {
	width := 0
	for _, m := range all {
		width = max(width, len(m.Name))
	}
	return lists.Map(all, func(m Module) string { return fmt.Sprintf("%-*s  %s", width, m.Name, m.Summary) })
}

// Manual is the reference as plain text of at most so many columns.
func (m Module) Manual(columns int) string {
	var b strings.Builder
	b.WriteString(m.Name + "\n\n" + wrap(m.Text, "  ", columns))
	if len(m.Arguments) > 0 {
		b.WriteString("\nArguments:\n")
		writeArguments(&b, m.Arguments, "  ", columns)
	}
	if len(m.Outputs) > 0 {
		b.WriteString("\nOutputs:\n")
		for _, o := range m.Outputs {
			fmt.Fprintf(&b, "  %s  %s\n%s", o.Name, o.Type, wrap(o.Text, "      ", columns))
		}
	}
	if len(m.Errors) > 0 {
		b.WriteString("\nErrors:\n")
		for _, e := range m.Errors {
			b.WriteString("  - " + strings.TrimPrefix(wrap(e, "    ", columns), "    "))
		}
	}
	b.WriteString("\nExample:\n" + indent(m.Example, "  "))
	return b.String()
}

func writeArguments(b *strings.Builder, all []Argument, margin string, columns int) {
	for _, a := range all {
		fmt.Fprintf(b, "%s%s  %s\n%s", margin, a.Name, a.facts(), wrap(a.Text, margin+"    ", columns))
		writeArguments(b, a.Arguments, margin+"    ", columns)
	}
}

// choice lists the values that an argument can have.
func (a Argument) choice() string {
	words := lists.Map(a.Words, strconv.Quote)
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// facts is the type of an argument, its values, and whether it must be given.
func (a Argument) facts() string {
	words := []string{a.Type}
	for _, w := range []struct {
		is   bool
		word string
	}{
		{a.Words != nil, a.choice()},
		{a.Secret, "secret"}, {a.Repeated, "repeated"}, {a.Required, "required"},
		{a.Default != "", "default " + a.Default},
	} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// wrap breaks paragraphs into lines. A paragraph that is indented is code or a
// list and stays as it is.
func wrap(text, margin string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			b.WriteString(strings.TrimRight(margin+line, " ") + "\n")
			continue
		}
		b.WriteString(fill(strings.Fields(line), margin, columns))
	}
	return b.String()
}

// fill puts words on lines, at least one on each.
func fill(words []string, margin string, columns int) string {
	var b strings.Builder
	line := ""
	for _, word := range words {
		if line != "" && len(margin)+len([]rune(line))+1+len([]rune(word)) > columns {
			b.WriteString(margin + line + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return b.String() + margin + line + "\n"
}

func indent(text, margin string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(margin+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	return b.String()
}

// Markdown is the reference of all modules as one page.
func Markdown(all []Module) string {
	var b strings.Builder
	b.WriteString("# Modules\n\nGenerated from the modules' doc comments by `go generate ./modules/reference`; do not edit.\n" +
		"Every example is a whole playbook. `kinit modules NAME` shows the same for one module.\n\n")
	for _, m := range all {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", m.Name, m.Name, escape(m.Summary))
	}
	for _, m := range all {
		m.markdown(&b)
	}
	return b.String()
}

func (m Module) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", m.Name, paragraphs(m.Text))
	if len(m.Arguments) > 0 {
		b.WriteString("\n### Arguments\n\n")
		markArguments(b, m.Arguments, "")
	}
	if len(m.Outputs) > 0 {
		b.WriteString("\n### Outputs\n\n")
		for _, o := range m.Outputs {
			fmt.Fprintf(b, "- `%s` (%s): %s\n", o.Name, o.Type, escape(o.Text))
		}
	}
	if len(m.Errors) > 0 {
		b.WriteString("\n### Errors\n\n")
		for _, e := range m.Errors {
			b.WriteString("- " + escape(e) + "\n")
		}
	}
	fmt.Fprintf(b, "\n### Example\n\n```hcl\n%s```\n", m.Example)
}

func markArguments(b *strings.Builder, all []Argument, margin string) {
	for _, a := range all {
		text := strings.ReplaceAll(escape(a.Text), "\n", "\n"+margin+"  ")
		fmt.Fprintf(b, "%s- `%s` (%s): %s\n", margin, a.Name, escape(a.facts()), text)
		markArguments(b, a.Arguments, margin+"  ")
	}
}

// paragraphs escapes all but what is indented: code, and lists.
func paragraphs(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if item, ok := strings.CutPrefix(line, "  - "); ok {
			lines[i] = "- " + escape(item)
		} else if !strings.HasPrefix(line, "\t") {
			lines[i] = escape(line)
		}
	}
	return strings.Join(lines, "\n")
}

var markdownEscapes = strings.NewReplacer("\\", "\\\\", "<", "\\<", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")

// escape keeps characters from being taken for marks of the page.
func escape(text string) string {
	return markdownEscapes.Replace(text)
}
