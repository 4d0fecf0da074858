// Package group is the module "group": a group of the host's users.
package group

import (
	"context"
	"fmt"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/ownership"
)

// Task is a group in /etc/group, made with groupadd.
//
// A group that kinit makes is marked, and cleanup removes it. An existing group is
// used without changes; on a host that belongs to a cluster, another number for it or its
// absence is an error.
//
// Errors:
//   - groupadd, groupmod or groupdel fails, as for a number in use, or an absent group
//     that is a user's primary group; the error has its message
//   - another number or absence is requested for a group that the cluster does not own
//   - another number or absence is asked of a group that the cluster does not own
type Task struct {
	// Name is the group's name.
	Name string `hcl:"name"`
	// GID is the group's number. Default: the next free one. Files keep the old
	// number when it changes.
	GID *int `hcl:"gid,optional"`
	// System chooses the number of a new group from the range of system groups.
	System bool `hcl:"system,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "group", Marks: []module.MarkKind{
		module.NewMarkKind(account.GroupMark, "group", account.UndoGroup, module.MarkTraits{Shared: true}),
	}})
}

func (t *Task) Validate() error {
	if err := account.CheckName("name", t.Name); err != nil {
		return err
	}
	if t.GID != nil && (*t.GID < 0 || *t.GID > account.LargestID) {
		return fmt.Errorf("gid is %d, want 0 to %d", *t.GID, account.LargestID)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	all, err := account.Read(ctx, h)
	if err != nil {
		return nil, err
	}
	have, there := find(all, t.Name)
	text := t.decide(have, there)
	if text == "" {
		return nil, nil
	}
	if there {
		if err := ownership.Free(ctx, h, t.Name, "choose another name, or leave it as it is", account.GroupMark); err != nil {
			return nil, fmt.Errorf("group %w", err)
		}
	}
	return module.OneStep(text, t.do), nil
}

// find looks a group up by its name only: in other contexts digits mean a number.
func find(all account.Accounts, name string) (account.Group, bool) {
	have, there := all.Group(name)
	return have, there && have.Name == name
}

// decide describes the change, "" for none.
func (t *Task) decide(have account.Group, there bool) string {
	switch {
	case t.Absent() && there:
		return "remove group " + t.Name
	case t.Absent():
		return ""
	case !there && t.GID != nil:
		return fmt.Sprintf("add group %s, gid %d", t.Name, *t.GID)
	case !there:
		return "add group " + t.Name
	case t.GID != nil && *t.GID != have.GID:
		return fmt.Sprintf("change group %s: gid %d to %d", t.Name, have.GID, *t.GID)
	}
	return ""
}

// do makes the change that is needed at this time.
func (t *Task) do(ctx context.Context, h module.Host) error {
	all, err := account.Read(ctx, h)
	if err != nil {
		return err
	}
	have, there := find(all, t.Name)
	switch {
	case t.Absent():
		return ownership.Undo(ctx, h, t.mark(), account.UndoGroup)
	case t.decide(have, there) == "":
		return nil
	case !there:
		return t.add(ctx, h)
	}
	return module.Exec(ctx, h, "groupmod", "--gid", strconv.Itoa(*t.GID), "--", t.Name)
}

func (t *Task) add(ctx context.Context, h module.Host) error {
	if err := h.Own(ctx, t.mark()); err != nil {
		return err
	}
	argv := []string{"groupadd"}
	if t.System {
		argv = append(argv, "--system")
	}
	if t.GID != nil {
		argv = append(argv, "--gid", strconv.Itoa(*t.GID))
	}
	return module.Exec(ctx, h, append(argv, "--", t.Name)...)
}

func (t *Task) mark() module.Mark { return module.Mark{Kind: account.GroupMark, ID: t.Name} }

type Outputs struct {
	Name string `cty:"name" arg:"name"` // the group
	GID  int    `cty:"gid"`             // its number, 0 for an absent one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	all, err := account.Read(ctx, h)
	have, _ := find(all, t.Name)
	return Outputs{Name: t.Name, GID: have.GID}, err
}
