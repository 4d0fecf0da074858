// Package netns is the module netns: a named network namespace.
package netns

import (
	"context"
	"fmt"
	"path"
	"regexp"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Mark is the kind of the mark of a namespace that kinit made; the ID is its name.
const Mark = "netns"

// folder is where named network namespaces are mounted; man 8 ip-netns.
const folder = "/run/netns"

// Task is a network namespace with a name and a loopback device that is up. It does not
// survive a boot of the host: a unit must make it again.
//
// Errors:
//   - a namespace with that name exists and the cluster does not own it
//   - iproute2 is not installed
type Task struct {
	// Name is the namespace's name, such as "kinit-web".
	Name string `hcl:"name"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "netns", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "network namespace", Undo, module.MarkTraits{}),
	}})
}

// plain matches a name that is a file name and needs no quoting.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

func (t *Task) Validate() error {
	if !plain.MatchString(t.Name) {
		return fmt.Errorf("name is %q, expected letters, digits, \".\", \"_\" and \"-\"", t.Name)
	}
	return nil
}

func (t *Task) path() string { return path.Join(folder, t.Name) }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	there, err := hostfile.Exists(ctx, h, t.path())
	if err != nil {
		return nil, err
	}
	if there {
		if err := ownership.Free(ctx, h, t.Name, "use another name, or remove it with \"ip netns del "+t.Name+"\" if nothing needs it", Mark); err != nil {
			return nil, fmt.Errorf("network namespace %w", err)
		}
	}
	switch {
	case t.Absent() && there:
		return ownership.UndoStep("remove network namespace "+t.Name, module.Mark{Kind: Mark, ID: t.Name}, Undo), nil
	case t.Absent():
		return nil, nil
	case there:
		return t.mend(ctx, h)
	}
	return module.OneStep("create network namespace "+t.Name, t.create), nil
}

// mend completes a namespace that an interrupted run left incomplete.
func (t *Task) mend(ctx context.Context, h module.Host) ([]module.Step, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"ip", "-n", t.Name, "link", "show", "dev", "lo"}})
	if err != nil && !module.Exited(err) {
		return nil, err
	}
	if err == nil && up.MatchString(out.Stdout) {
		return nil, nil
	}
	return module.OneStep("complete network namespace "+t.Name, t.create), nil
}

// up is the line of a device that is up: 1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 …
var up = regexp.MustCompile(`<([A-Z_]+,)*UP[,>]`)

// create marks the namespace before it makes it.
func (t *Task) create(ctx context.Context, h module.Host) error {
	if err := h.Own(ctx, module.Mark{Kind: Mark, ID: t.Name}); err != nil {
		return err
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", t.script()}, Name: "ip netns add " + t.Name})
	return err
}

// Undo removes a namespace by its mark. Processes in it keep running; its devices vanish
// with the last process.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	there, err := hostfile.Exists(ctx, h, path.Join(folder, mark.ID))
	if err != nil || !there {
		return err
	}
	_, err = h.Run(ctx, module.Command{Argv: []string{"ip", "netns", "del", mark.ID}})
	return err
}

// script returns the commands that make the namespace; they can be repeated.
func (t *Task) script() string {
	return "ip netns exec " + t.Name + " true 2>/dev/null || { ip netns del " + t.Name + " 2>/dev/null || true; ip netns add " + t.Name + "; }\n" +
		"ip -n " + t.Name + " link set dev lo up\n"
}

type Outputs struct {
	Name       string `cty:"name"`        // the namespace
	Path       string `cty:"path"`        // the file of its mount point
	BootScript string `cty:"boot_script"` // commands that make it again if it does not exist
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (Outputs, error) {
	return Outputs{Name: t.Name, Path: t.path(), BootScript: t.script()}, ctx.Err()
}
