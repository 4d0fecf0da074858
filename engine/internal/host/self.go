package host

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
)

// Self tells whether two connections lead to the same machine. Two containers of one kernel have the
// same Boot, and two copies of one disk image may have the same ID.
type Self struct {
	ID   string // machine-id(5) or the MachineGuid of Windows, as 32 hexadecimal digits; empty if the machine has none
	Boot string // of the current boot: the kernel's boot_id, or when the first process of Windows was made; empty if it is not known
}

// readSelf asks a machine with Windows. That takes seconds there, so only clusters do.
//
//go:embed self.ps1
var readSelf string

// Self asks which machine it is.
func (m *Machine) Self(ctx context.Context) (Self, error) {
	c := module.Command{Argv: []string{"sh", "-c", printHas, "has", "/dev/null"}, Name: "which machine it is"}
	if m.OS() == module.Windows {
		c = module.Command{PowerShell: readSelf, Name: c.Name}
	}
	out, err := m.Bind("", nil).Run(ctx, c)
	if err != nil {
		return Self{}, fmt.Errorf("ask which machine %s is: %w", m.name, err)
	}
	_, text, _ := strings.Cut("\n"+strings.ReplaceAll(out.Stdout, "\r", ""), "\n= machine\n")
	return parseSelf(text), nil
}

// parseSelf reads two lines: an id and a boot. An id that is no id, as on an image that has not
// booted yet, is none.
func parseSelf(text string) Self {
	id, boot, _ := strings.Cut(text, "\n")
	id = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(id), "-", ""))
	if !machineID.MatchString(id) || strings.Trim(id, "0") == "" {
		id = ""
	}
	return Self{ID: id, Boot: strings.TrimSpace(boot)}
}

var machineID = regexp.MustCompile(`^[0-9a-f]{32}$`)
