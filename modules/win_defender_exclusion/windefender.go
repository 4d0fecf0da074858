// Package windefender is the module "win_defender_exclusion": files and programs that
// Microsoft Defender Antivirus of a Windows host does not scan.
package windefender

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed change.ps1
var changeScript string

// Task is exclusions of Microsoft Defender Antivirus; other exclusions remain.
// If Defender is not installed or does not run, there is nothing to do: the task reports
// that, and scanned is false.
//
// Errors:
//   - a policy or tamper protection prevents changes of Defender's settings
type Task struct {
	// Paths are files and folders with all their content, such as "C:/ProgramData/containerd".
	// "*" can stand for a part of a name.
	Paths []string `hcl:"paths,optional"`
	// Processes are programs, by name or path, such as "containerd.exe". Files that they open
	// are not scanned.
	Processes []string `hcl:"processes,optional"`
	// Extensions are file name extensions, such as "vhdx".
	Extensions []string `hcl:"extensions,optional"`
	module.Presence

	message string
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_defender_exclusion", OS: []module.OS{module.Windows}})
}

func (t *Task) Validate() error {
	if len(t.Paths)+len(t.Processes)+len(t.Extensions) == 0 {
		return errors.New("nothing is asked for, want paths, processes or extensions")
	}
	for _, path := range t.Paths {
		if err := winpath.Check("paths", strings.ReplaceAll(path, "*", "x")); err != nil {
			return err
		}
	}
	if slices.Contains(t.Processes, "") {
		return errors.New("processes has an empty name, want one such as \"containerd.exe\"")
	}
	for _, extension := range t.Extensions {
		if extension == "" || strings.ContainsAny(extension, `./\:*?`) {
			return fmt.Errorf("extensions has %q, want one without dot such as \"vhdx\"", extension)
		}
	}
	return nil
}

// state is the current exclusions.
type state struct {
	Installed, Running           bool
	Paths, Processes, Extensions []string
}

// change is the exclusions to add or remove.
type change struct {
	Remove     bool     `json:"remove"`
	Paths      []string `json:"paths"`
	Processes  []string `json:"processes"`
	Extensions []string `json:"extensions"`
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := powershell.Read[state](ctx, h, readScript, nil)
	if err != nil {
		return nil, err
	}
	t.message = ""
	switch {
	case !s.Installed:
		t.message = "Microsoft Defender Antivirus is not installed: nothing is scanned"
		return nil, nil
	case !s.Running:
		t.message = "Microsoft Defender Antivirus does not run: nothing is scanned"
		return nil, nil
	}
	c := t.decide(s)
	all := slices.Concat(c.Paths, c.Processes, c.Extensions)
	if len(all) == 0 {
		return nil, nil
	}
	verb := "exclude from scans: "
	if c.Remove {
		verb = "scan again: "
	}
	return powershell.OneStep(verb+strings.Join(all, ", "), changeScript, c), nil
}

func (t *Task) decide(s state) change {
	remove := t.Absent()
	return change{
		Remove:     remove,
		Paths:      differing(lists.Map(t.Paths, winpath.Native), s.Paths, remove),
		Processes:  differing(lists.Map(t.Processes, winpath.Native), s.Processes, remove),
		Extensions: differing(t.Extensions, dotless(s.Extensions), remove),
	}
}

// differing returns the wanted ones that are missing, or that exist.
func differing(wanted, have []string, there bool) []string {
	var out []string
	for _, want := range wanted {
		if slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, want) }) == there {
			out = append(out, want)
		}
	}
	return out
}

// dotless returns extensions in the argument's form; Defender stores a leading dot.
func dotless(extensions []string) []string {
	return lists.Map(extensions, func(extension string) string { return strings.TrimPrefix(extension, ".") })
}

// MessageText reports that nothing is scanned.
func (t *Task) MessageText() string { return t.message }

type Outputs struct {
	Scanned bool `cty:"scanned"` // whether Defender is installed and runs
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Scanned: t.message == ""}, nil
}
