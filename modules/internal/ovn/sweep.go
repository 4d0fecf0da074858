package ovn

import (
	"slices"

	"kinit/engine/module"
)

// Sweep is the part that tasks share which remove an owner's rows from a database.
type Sweep struct {
	// All removes everything that the cluster owns. Default false: removes what keep does not
	// name.
	All bool `hcl:"all,optional"`
	// Keep are the names of objects that remain.
	Keep []string `hcl:"keep,optional"`

	message string
}

// Goes reports whether an object with this name is to be removed.
func (s *Sweep) Goes(name string) bool { return s.All || !slices.Contains(s.Keep, name) }

// Look notes the rows that seem to be the owner's but are not, for the task's message.
func (s *Sweep) Look(h module.Host, rows any) { s.message = LeftAlone(h, rows) }

// MessageText returns the rows of another cluster with the same name.
func (s *Sweep) MessageText() string { return s.message }
