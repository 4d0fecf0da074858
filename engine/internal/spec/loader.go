package spec

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
)

// loader is the state of one Load.
type loader struct {
	diag.Collector
	src     Sources
	spec    *Spec
	in      *Namespace // of the current file
	folders map[string]bool
	near    map[string]string          // found folders, with the file that names each without saying where it is
	parsed  map[string]*hclsyntax.Body // the playbook files, nil if one cannot be read
	imports []importBlock
	given   []importBlock        // those without a label; folder is the imported one
	places  map[string]hcl.Range // where an address was declared

	playbook      string // of the spec block; empty without one
	playbookRange hcl.Range
}

// importBlock is an import block whose folder has not been read yet.
type importBlock struct {
	in      *Namespace // of the block
	label   string     // empty without one
	source  string
	folder  string // of the file with the block; later the imported folder
	inputs  map[string]hcl.Expression
	block   *Block // around it, nil without one
	forEach hcl.Expression
	common  *Task     // what its tasks inherit
	at      hcl.Range // of the source
	header  hcl.Range
}

// claim reports whether an address is free in its namespace, and takes it.
func (l *loader) claim(what, address string, at hcl.Range) bool {
	first, taken := l.places[l.in.Address(address)]
	if taken {
		l.Errorf(at, "Duplicate "+what, "%s is declared already, at %s. Rename one of them, or leave it out.", address, first)
		return false
	}
	l.places[l.in.Address(address)] = at
	return true
}
