package view

import (
	"strings"

	"kinit/engine"
)

// enrols is the section of hosts that become hypervisors without being named, with an empty line after it.
func (o Options) enrols(hosts []string) []string {
	if len(hosts) == 0 || o.Quiet {
		return nil
	}
	text := "Without --hosts, all hosts of the inventory become hypervisors of the new cluster: " + strings.Join(hosts, ", ")
	return append(wrap(clean(text), o.Out.width()), "")
}

// removals is the section of what a plan or run removes, with an empty line after it; it is empty without removals.
func (o Options) removals(all []engine.Removal) []string {
	if len(all) == 0 || o.Quiet {
		return nil
	}
	what := "run"
	if o.Mode == Plan {
		what = "plan"
	}
	width, colour := o.Out.width(), o.Out.Colour
	lines := []string{paint("This "+what+" removes:", bold, colour)}
	for _, r := range all {
		for i, line := range wrap("  "+clean(r.String()), width) {
			if i > 0 {
				line = "    " + strings.TrimLeft(line, " ")
			}
			lines = append(lines, paint(line, red, colour))
		}
	}
	return append(lines, "")
}
