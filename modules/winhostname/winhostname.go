// Package winhostname is the module "win_hostname": what a Windows host calls itself.
package winhostname

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

// Task is the name of a Windows host that is in no domain. It counts from the next
// start on; reboot_required says whether that is still to come.
//
// Outputs:
//   - name: the name it has now
//   - reboot_required: whether it has another name after its next start
//
// Errors:
//   - name is longer than the 15 characters of a NetBIOS name, or has others than
//     letters, digits and "-" in it, or is a number
//   - the host is in a domain
type Task struct {
	// Name is the name: letters, digits and "-" inside; at most 15 characters.
	Name string `hcl:"name"`
}

// Kind is the module "win_hostname".
func Kind() module.Kind {
	return module.Kind{Name: "win_hostname", OS: []module.OS{module.Windows}, Elsewhere: "hostname",
		New: func() module.Task { return &Task{} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	switch {
	case !regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,13}[A-Za-z0-9])?$`).MatchString(t.Name):
		return fmt.Errorf("name is %q, want at most 15 letters, digits and \"-\" inside", t.Name)
	case strings.Trim(t.Name, "0123456789") == "":
		return fmt.Errorf("name is %q, want at least one letter in it: Windows takes no number for a name", t.Name)
	}
	return nil
}

// names is what the host is called; case does not count.
type names struct{ Active, Next string }

func read(ctx context.Context, h module.Host) (names, error) {
	return powershell.Read[names](ctx, h, readScript, nil)
}

// Plan compares the name of the next start with the wish.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := read(ctx, h)
	if err != nil || strings.EqualFold(have.Next, t.Name) {
		return nil, err
	}
	text := fmt.Sprintf("name the host %s from its next start on, was %s", t.Name, have.Next)
	return []module.Step{powershell.Step(text, setScript, map[string]any{"name": t.Name})}, nil
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "reboot_required": cty.Bool}
}

// Outputs reads the names.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	have, err := read(ctx, h)
	return map[string]cty.Value{
		"name":            cty.StringVal(have.Active),
		"reboot_required": cty.BoolVal(!strings.EqualFold(have.Active, have.Next)),
	}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
