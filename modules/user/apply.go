package user

import (
	"context"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/account"
	"kinit/modules/internal/ownership"
)

// do makes the change that is still needed: another task may have made some of it.
func (t *Task) do(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if t.Absent() {
		return t.remove(ctx, h)
	}
	d := t.decide(s)
	if len(d.texts) == 0 {
		return nil
	}
	if err := t.mark(ctx, h, s, d); err != nil {
		return err
	}
	return module.Exec(ctx, h, append(d.argv, "--", t.Name)...)
}

// mark records a new user with its group, or the groups that another owner's user joins.
func (t *Task) mark(ctx context.Context, h module.Host, s state, d decision) error {
	if !s.there {
		return t.markNew(ctx, h, d)
	}
	_, ours, err := ownership.Of(ctx, h, t.Name, account.UserMark)
	if err != nil || ours {
		return err
	}
	for _, group := range d.join {
		if err := h.Own(ctx, account.Membership(t.Name, group)); err != nil {
			return err
		}
	}
	return nil
}

// markNew marks the group first: clean-up goes backward, and a user's group goes after the user. A group that is
// there already is not the task's, even if an earlier run marked it and then failed.
func (t *Task) markNew(ctx context.Context, h module.Host, d decision) error {
	change := h.Disown
	if d.group {
		change = h.Own
	}
	if err := change(ctx, module.Mark{Kind: account.UserGroupMark, ID: t.Name}); err != nil {
		return err
	}
	return h.Own(ctx, module.Mark{Kind: account.UserMark, ID: t.Name})
}

// setPassword passes the hash on standard input: every user of the host can see
// arguments.
func (t *Task) setPassword(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.there && s.hash == t.PasswordHash {
		return err
	}
	_, err = h.Run(ctx, module.Command{
		Argv:  []string{"chpasswd", "--encrypted"},
		Stdin: strings.NewReader(t.Name + ":" + t.PasswordHash.Reveal() + "\n"),
	})
	return err
}

// remove deletes the user, and the group that was made with it if userdel has left it.
func (t *Task) remove(ctx context.Context, h module.Host) error {
	if err := account.RemoveUser(ctx, h, t.Name, t.RemoveHome); err != nil {
		return err
	}
	marks, err := h.Marks(ctx)
	if err != nil {
		return err
	}
	for _, mark := range marks {
		switch {
		case mark.Kind == account.UserGroupMark && mark.ID == t.Name:
			err = ownership.Undo(ctx, h, mark, account.UndoUserGroup)
		case mark.Kind == account.UserMark && mark.ID == t.Name, mark.Kind == account.MembershipMark && strings.HasPrefix(mark.ID, t.Name+" "):
			err = h.Disown(ctx, mark)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
