package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/internal/inventory/source"
)

// reportTemplates warns of variables with Jinja expressions, once a file.
func (l *loader) reportTemplates() {
	inFile := map[string][]source.Ref{}
	for _, ref := range l.templates {
		inFile[ref.At.Filename] = append(inFile[ref.At.Filename], ref)
	}
	for _, file := range slices.Sorted(maps.Keys(inFile)) {
		refs := inFile[file]
		slices.SortFunc(refs, func(a, b source.Ref) int {
			return cmp.Or(cmp.Compare(a.At.Start.Byte, b.At.Start.Byte), cmp.Compare(a.Name, b.Name))
		})
		l.warnf(refs[0].At, "Jinja expression", "kinit does not evaluate Jinja expressions, so it leaves out what has one in this file: %s. An expression of a playbook that needs such a variable will fail.", listed(refs))
	}
}

// mostListed is how many names a message has at most.
const mostListed = 5

// listed is the names of variables, each once, and how many more there are.
func listed(refs []source.Ref) string {
	var names []string
	for _, ref := range refs {
		if !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	}
	if more := len(names) - mostListed; more > 0 {
		names = append(names[:mostListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
