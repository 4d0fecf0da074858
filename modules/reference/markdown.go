package reference

import (
	"fmt"
	"strings"
)

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
