package host

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kinit/engine/internal/instance"
	"kinit/engine/module"
)

// Has is what a machine has of a cluster.
type Has struct {
	Self     Self              // which machine it is
	Instance instance.Instance // of the cluster's name; zero without one
	Marks    bool              // there is a folder for the marks of what the cluster's name has
	Record   string            // the file that the cluster's playbook keeps there; empty without one
	Nodes    map[string]string // that drivers found and that are of the instance, and the driver that found each
	Untold   []string          // drivers that could not tell
}

// Lister is how a driver finds the nodes that a machine has.
type Lister struct {
	Driver string
	Script string // lists nodes, as a driver block has it
	Late   bool   // it is asked only if no record says which driver made the nodes
}

// printHas is a script that prints which machine it is, and what it has of a cluster.
//
//go:embed has.sh
var printHas string

// Has asks which machine it is and what it has of a cluster, with one command. For a user who may not read the
// owner's folder the machine has nothing, and so has a machine with Windows, which is no hypervisor.
func (m *Machine) Has(ctx context.Context, cluster, record string, listers []Lister) (Has, error) {
	if m.OS() == module.Windows {
		self, err := m.Self(ctx)
		return Has{Self: self}, err
	}
	folder := path.Join(m.settings.Manifests, m.escape(cluster))
	argv := []string{"sh", "-c", printHas, "has", folder, record, cluster}
	for _, l := range listers {
		when := "always"
		if l.Late {
			when = "late"
		}
		argv = append(argv, when, l.Script)
	}
	out, err := m.Bind("", nil).Run(ctx, module.Command{Argv: argv, Name: "has"})
	if err == nil {
		var has Has
		if has, err = readHas(cluster, out.Stdout, listers); err == nil {
			return has, nil
		}
	}
	return Has{}, fmt.Errorf("ask what %s has of %s: %w", m.name, cluster, err)
}

// readHas reads what the script has printed. No text within a part begins with "= ": these are
// JSON that kinit has written, and names.
func readHas(cluster, text string, listers []Lister) (Has, error) {
	var has Has
	listed := map[int][]string{} // lines by the lister that printed them
	parts := strings.Split("\n"+text, "\n= ")
	for _, part := range parts[1:] {
		head, text, _ := strings.Cut(part, "\n")
		what, number, _ := strings.Cut(head, " ")
		at, err := strconv.Atoi(number)
		if number != "" && (err != nil || at < 0 || at >= len(listers)) {
			return Has{}, fmt.Errorf("it has answered for a driver %q", number)
		}
		switch {
		case what == "machine":
			has.Self = parseSelf(text)
		case what == "marks":
			has.Marks = true
		case what == "instance":
			if err := json.Unmarshal([]byte(text), &has.Instance); err != nil {
				return Has{}, fmt.Errorf("read whose it is: %w", err)
			}
		case what == "record":
			has.Record = text
		case what == "nodes" && number != "":
			listed[at] = strings.Split(text, "\n")
		case what == "untold" && number != "":
			has.Untold = append(has.Untold, listers[at].Driver)
		}
	}
	mark := cluster
	if id := has.Instance.InMarks(); id != "" {
		mark += "." + id
	}
	for at, l := range listers {
		for _, line := range listed[at] {
			if words := strings.Fields(line); len(words) == 2 && words[1] == mark {
				if has.Nodes == nil {
					has.Nodes = map[string]string{}
				}
				has.Nodes[words[0]] = l.Driver
			}
		}
	}
	return has, nil
}
