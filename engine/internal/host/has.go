package host

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"kinit/engine/internal/instance"
	"kinit/engine/module"
)

// Has is what a machine has of a cluster.
type Has struct {
	Self     Self              // which machine it is
	Instance instance.Instance // of the cluster's name; zero without one
	Record   string            // the file that the cluster's playbook keeps there; empty without one
	Nodes    []string          // that drivers found and that are of the instance
	Told     bool              // all drivers could tell
}

// printHas is a script that prints which machine it is, and what it has of a cluster.
//
//go:embed has.sh
var printHas string

// Has asks which machine it is and what it has of a cluster, with one command. Each of drivers is
// a script of a driver that lists nodes, as a driver block has it. For a user who may not read the
// owner's folder the machine has nothing, and so has a machine with Windows, which is no hypervisor.
func (m *Machine) Has(ctx context.Context, cluster, record string, drivers []string) (Has, error) {
	if m.OS() == module.Windows {
		self, err := m.Self(ctx)
		return Has{Self: self, Told: true}, err
	}
	folder := path.Join(m.settings.Manifests, m.escape(cluster))
	argv := append([]string{"sh", "-c", printHas, "has", folder, record, cluster}, drivers...)
	out, err := m.Bind("", nil).Run(ctx, module.Command{Argv: argv, Name: "has"})
	if err == nil {
		var has Has
		if has, err = readHas(cluster, out.Stdout); err == nil {
			return has, nil
		}
	}
	return Has{}, fmt.Errorf("ask what %s has of %s: %w", m.name, cluster, err)
}

// readHas reads what the script has printed. No text within a part begins with "= ": these are
// JSON that kinit has written, and names.
func readHas(cluster, text string) (Has, error) {
	has := Has{Told: true}
	var listed []string
	parts := strings.Split("\n"+text, "\n= ")
	for _, part := range parts[1:] {
		what, text, _ := strings.Cut(part, "\n")
		switch what {
		case "machine":
			has.Self = parseSelf(text)
		case "instance":
			if err := json.Unmarshal([]byte(text), &has.Instance); err != nil {
				return Has{}, fmt.Errorf("read whose it is: %w", err)
			}
		case "record":
			has.Record = text
		case "nodes":
			listed = append(listed, strings.Split(text, "\n")...)
		case "untold":
			has.Told = false
		}
	}
	mark := cluster
	if id := has.Instance.InMarks(); id != "" {
		mark += "." + id
	}
	for _, line := range listed {
		if words := strings.Fields(line); len(words) == 2 && words[1] == mark {
			has.Nodes = append(has.Nodes, words[0])
		}
	}
	return has, nil
}
