package roles

import (
	"fmt"
	"strings"
)

// page is docs/roles.md.
func page(tables map[string][]row) string {
	var b strings.Builder
	b.WriteString(`# Roles of Ansible, as playbooks of kinit

Five well-known roles, and what each of their tasks is in the playbooks of [examples/roles](../examples/roles/README.md).
A test runs these on a lab, twice, and checks what they have made. The tables list every task, handlers included: its file
and name in the role, how kinit says it, and where in the example. A test reads them, looks for every such place, and
writes this page. Classes are:

- *direct*: one construct or module says what the task says;
- *awkward*: it can be said, but by a command that a module could replace, in several tasks, or with less in it;
- *not*: it cannot be said;
- *needless*: there is nothing to say, as for a test of Ansible's own version. Percentages leave these tasks out.

| role | of | tasks | needless | direct | awkward | not |
|---|---|---|---|---|---|---|
`)
	all := map[string]int{}
	for _, r := range roles {
		n := count(tables[r.name])
		line(&b, fmt.Sprintf("[%s](roles/%s.tsv)", r.name, r.name), r.source, n)
		for class, more := range n {
			all[class] += more
		}
	}
	line(&b, "all", "", all)
	for _, class := range []string{not, awkward} {
		fmt.Fprintf(&b, "\n## What is %s\n\n| role | task | how |\n|---|---|---|\n", map[string]string{not: "not said", awkward: "awkward"}[class])
		for _, r := range roles {
			for _, row := range tables[r.name] {
				if row.class == class {
					fmt.Fprintf(&b, "| %s | %s: %s | %s |\n", r.name, row.task, cell(row.name), cell(row.how))
				}
			}
		}
	}
	b.WriteString("\nThis page is generated: `KINIT_UPDATE=1 go test ./test/roles`.\n")
	return b.String()
}

func line(b *strings.Builder, name, source string, n map[string]int) {
	said := n[direct] + n[awkward] + n[not]
	share := func(class string) string {
		return fmt.Sprintf("%d (%.1f %%)", n[class], 100*float64(n[class])/float64(said))
	}
	fmt.Fprintf(b, "| %s | %s | %d | %d | %s | %s | %s |\n", name, source, said+n[needless], n[needless], share(direct), share(awkward), share(not))
}

// cell is a text that does not end the cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
