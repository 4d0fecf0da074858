// Package node puts a simulated Windows Server node together: the machine with all the
// programs that it knows.
package node

import (
	"maps"

	"kinit/test/winsim/kube"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/posh"
	"kinit/test/winsim/machine/program"
)

// New opens or installs a machine with all programs. It is off.
func New(o machine.Options) (*machine.Machine, error) {
	o.Programs = Programs()
	return machine.New(o)
}

// Programs are all programs by the names in their files.
func Programs() map[string]machine.Program {
	all := program.Programs()
	maps.Copy(all, kube.Programs())
	all["powershell"] = posh.Program
	return all
}
