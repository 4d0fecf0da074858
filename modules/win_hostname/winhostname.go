// Package winhostname is the module "win_hostname": a Windows host's own name.
package winhostname

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

// Task is the name of a Windows host that is not in a domain. A new name takes effect at the
// next start; reboot_required reports whether one is still needed.
//
// Errors:
//   - name is longer than the 15 characters of a NetBIOS name, contains other characters than
//     letters, digits and "-", or is a number
//   - the host is in a domain
type Task struct {
	// Name is the name: letters, digits and "-" inside; at most 15 characters.
	Name string `hcl:"name"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_hostname", OS: []module.OS{module.Windows}, Elsewhere: "hostname"})
}

// netbiosName matches a name that NetBIOS takes, too.
var netbiosName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,13}[A-Za-z0-9])?$`)

func (t *Task) Validate() error {
	switch {
	case !netbiosName.MatchString(t.Name):
		return fmt.Errorf("name is %q, want at most 15 letters, digits and \"-\" inside", t.Name)
	case strings.Trim(t.Name, "0123456789") == "":
		return fmt.Errorf("name is %q, want at least one letter in it: Windows takes no number for a name", t.Name)
	}
	return nil
}

// names is the host's names; case does not matter.
type names struct{ Active, Next string }

func read(ctx context.Context, h module.Host) (names, error) {
	return powershell.Read[names](ctx, h, readScript, nil)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := read(ctx, h)
	if err != nil || strings.EqualFold(have.Next, t.Name) {
		return nil, err
	}
	text := fmt.Sprintf("name the host %s from its next start on, was %s", t.Name, have.Next)
	return []module.Step{powershell.Step(text, setScript, map[string]any{"name": t.Name})}, nil
}

type Outputs struct {
	Name           string `cty:"name"`            // the name it has now
	RebootRequired bool   `cty:"reboot_required"` // whether it has another name after its next start
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := read(ctx, h)
	return Outputs{Name: have.Active, RebootRequired: !strings.EqualFold(have.Active, have.Next)}, err
}
