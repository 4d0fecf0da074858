package roles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The roles with the number of tasks that each has, handlers included, in the order of the page.
var roles = []role{
	{"nginx", "geerlingguy/ansible-role-nginx", 35},
	{"docker", "geerlingguy/ansible-role-docker", 47},
	{"ssh_hardening", "dev-sec/ansible-collection-hardening", 56},
	{"node_exporter", "prometheus-community/ansible", 48},
	{"k3s", "k3s-io/k3s-ansible", 175},
}

type role struct {
	name, source string
	tasks        int
}

// The classes of tasks.
const (
	direct   = "direct"
	awkward  = "awkward"
	not      = "not"
	needless = "needless"
)

// row is a task of a role and how kinit says it.
type row struct {
	task  string // its number among those of the role, in the order of their files
	file  string // of the role
	name  string
	how   string
	in    string // the file of the example
	place string // what that file declares
	class string
}

const head = "task\tfile\tname\thow kinit says it\tin the example\tplace\tclass"

// table reads docs/roles/NAME.tsv.
func table(root, name string) ([]row, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "roles", name+".tsv"))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != head {
		return nil, fmt.Errorf("its columns are %q, want %q", lines[0], head)
	}
	var rows []row
	for i, line := range lines[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("line %d has %d columns, want 7", i+2, len(f))
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3], f[4], f[5], f[6]})
	}
	return rows, nil
}

// count is how many rows there are of each class.
func count(rows []row) map[string]int {
	n := map[string]int{}
	for _, r := range rows {
		n[r.class]++
	}
	return n
}
