package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/engine/module"
)

// RemoveUser deletes a user, and optionally the home. A missing user is not an error.
// For a user with running processes, userdel fails.
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
	return module.Exec(ctx, h, append(argv, "--", name)...)
}

// Membership is the mark of a user in a group.
func Membership(user, group string) module.Mark {
	return module.Mark{Kind: MembershipMark, ID: user + " " + group}
}

// UndoUser removes a user by its mark. The home remains: it can contain work.
func UndoUser(ctx context.Context, h module.Host, mark module.Mark) error {
	return RemoveUser(ctx, h, mark.ID, false)
}

// UndoGroup removes a group by its mark. A missing group is not an error; for a user's primary
// group, groupdel fails.
func UndoGroup(ctx context.Context, h module.Host, mark module.Mark) error {
	all, err := Read(ctx, h)
	if err != nil {
		return err
	}
	if _, there := all.Group(mark.ID); !there {
		return nil
	}
	return module.Exec(ctx, h, "groupdel", "--", mark.ID)
}

// UndoUserGroup removes the group that came with a user, if userdel has left it. A group that is another
// user's stays, as with userdel.
func UndoUserGroup(ctx context.Context, h module.Host, mark module.Mark) error {
	all, err := Read(ctx, h)
	if err != nil {
		return err
	}
	group, there := all.Group(mark.ID)
	taken := slices.ContainsFunc(all.Users, func(u User) bool { return u.GID == group.GID })
	if !there || taken || len(group.Members) > 0 {
		return nil
	}
	return UndoGroup(ctx, h, mark)
}

// UndoMembership removes a user from a group by the mark of the membership.
func UndoMembership(ctx context.Context, h module.Host, mark module.Mark) error {
	user, group, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a user and a group")
	}
	all, err := Read(ctx, h)
	if err != nil || !slices.Contains(all.GroupsOf(user), group) {
		return err
	}
	return module.Exec(ctx, h, "gpasswd", "--delete", user, group)
}
