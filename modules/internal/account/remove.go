package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/engine/module"
)

// RemoveUser deletes a user, and the home where it is asked for. None is no error.
// A user whose processes run is an error of userdel.
func RemoveUser(ctx context.Context, h module.Host, name string, home bool) error {
	all, err := Read(ctx, h)
	if err != nil {
		return err
	}
	if _, there := all.User(name); !there {
		return nil
	}
	argv := []string{"userdel"}
	if home {
		argv = append(argv, "--remove")
	}
	return run(ctx, h, append(argv, "--", name)...)
}

// RemoveGroup deletes a group. None is no error; one that is a user's own group is
// an error of groupdel.
func RemoveGroup(ctx context.Context, h module.Host, name string) error {
	all, err := Read(ctx, h)
	if err != nil {
		return err
	}
	if _, there := all.Group(name); !there {
		return nil
	}
	return run(ctx, h, "groupdel", "--", name)
}

// Leave takes a user out of a group.
func Leave(ctx context.Context, h module.Host, user, group string) error {
	all, err := Read(ctx, h)
	if err != nil {
		return err
	}
	if !slices.Contains(all.GroupsOf(user), group) {
		return nil
	}
	return run(ctx, h, "gpasswd", "--delete", user, group)
}

// Membership is the mark of a user in a group.
func Membership(user, group string) module.Mark {
	return module.Mark{Kind: MembershipMark, ID: user + " " + group}
}

// UndoUser removes a user by its mark. The home stays: it may hold work.
func UndoUser(ctx context.Context, h module.Host, mark module.Mark) error {
	return RemoveUser(ctx, h, mark.ID, false)
}

// UndoGroup removes a group by its mark.
func UndoGroup(ctx context.Context, h module.Host, mark module.Mark) error {
	return RemoveGroup(ctx, h, mark.ID)
}

// UndoMembership takes a user out of a group by the mark of that.
func UndoMembership(ctx context.Context, h module.Host, mark module.Mark) error {
	user, group, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a user and a group")
	}
	return Leave(ctx, h, user, group)
}

func run(ctx context.Context, h module.Host, argv ...string) error {
	_, err := h.Run(ctx, module.Command{Argv: argv})
	return err
}
