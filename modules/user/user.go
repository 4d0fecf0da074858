// Package user is the module "user": a local user of the host.
package user

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/account"
)

// Task is a user in /etc/passwd, made with useradd. Arguments that are not given are not
// changed; a new user gets useradd's defaults for them.
//
// A user that kinit makes is marked, and cleanup removes it without its home; a group that
// was made with it goes too, unless others use it. On a host that belongs to a cluster,
// another owner's user can only join further groups, which cleanup undoes; anything else is
// an error there.
//
// Errors:
//   - useradd, usermod or userdel fails, as for a missing group, a number in use, or an
//     absent user with running processes; the error has its message
//   - password_hash is not a hash, but perhaps a password
//   - more than further groups is requested for a user that the cluster does not own
type Task struct {
	// Name is the user's name.
	Name string `hcl:"name"`
	// UID is the user's number. Files outside the home keep the old number when it
	// changes.
	UID *int `hcl:"uid,optional"`
	// Group is the user's primary group, which must exist, by name or number. Default
	// for a new user: a group with the user's name, made if it is missing.
	Group string `hcl:"group,optional"`
	// Groups are further groups, which must exist.
	Groups []string `hcl:"groups,optional"`
	// Append keeps the user's membership in groups that are not listed. With false and no
	// groups the user is in no further group.
	Append bool `hcl:"append,optional" default:"true"`
	// Comment is the user's full name or description (the GECOS field).
	Comment *string `hcl:"comment,optional"`
	// Home is the absolute path of the home. When it changes, nothing is moved.
	Home string `hcl:"home,optional"`
	// CreateHome makes the home of a new user, with the content of /etc/skel. Default
	// true, false for a system user.
	CreateHome *bool `hcl:"create_home,optional"`
	// Shell is the absolute path of the login shell.
	Shell string `hcl:"shell,optional"`
	// System chooses the number of a new user from the range of system users.
	System bool `hcl:"system,optional"`
	// PasswordHash is the hash in /etc/shadow, in the form of crypt(5), as
	// "openssl passwd -6" prints it; "!" locks the password. Default for a new
	// user: locked.
	PasswordHash secret.Value `hcl:"password_hash,optional"`
	module.Presence
	// RemoveHome also removes an absent user's home and mail.
	RemoveHome bool `hcl:"remove_home,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "user", Elsewhere: "win_user", Marks: []module.MarkKind{
		module.NewMarkKind(account.UserMark, "user", account.UndoUser, module.MarkTraits{Shared: true}),
		module.NewMarkKind(account.UserGroupMark, "group of user", account.UndoUserGroup, module.MarkTraits{Shared: true}),
		module.NewMarkKind(account.MembershipMark, "membership", account.UndoMembership, module.MarkTraits{Shared: true}),
	}})
}

func (t *Task) Validate() error {
	if err := account.CheckName("name", t.Name); err != nil {
		return err
	}
	for _, group := range t.Groups {
		if err := account.CheckName("groups", group); err != nil {
			return err
		}
	}
	switch {
	case t.UID != nil && (*t.UID < 0 || *t.UID > account.LargestID):
		return fmt.Errorf("uid is %d, want 0 to %d", *t.UID, account.LargestID)
	case t.Comment != nil && strings.ContainsAny(*t.Comment, ":\r\n"):
		return fmt.Errorf("comment is %q, want one line without colon", *t.Comment)
	case strings.ContainsAny(t.PasswordHash.Reveal(), ":\r\n"):
		return errors.New("password_hash has a colon or a line break, want a hash as in /etc/shadow")
	case t.PasswordHash != "" && !hashed(t.PasswordHash.Reveal()):
		return errors.New("password_hash is no hash, want one as \"openssl passwd -6\" prints it, or \"!\"")
	case t.RemoveHome && !t.Absent():
		return errors.New("remove_home is for state = \"absent\" only")
	}
	for name, value := range map[string]string{"home": t.Home, "shell": t.Shell} {
		if value != "" && (!path.IsAbs(value) || strings.ContainsAny(value, ":\r\n")) {
			return fmt.Errorf("%s is %q, want an absolute path", name, value)
		}
	}
	return nil
}

// hashed distinguishes a hash of crypt(5) from a password: "$id$…", or a text that matches
// no password. Old DES hashes are not accepted.
func hashed(text string) bool {
	return strings.HasPrefix(text, "$") && strings.Count(text, "$") >= 3 || strings.HasPrefix(text, "!") || text == "*"
}

func (t *Task) createsHome() bool {
	if t.CreateHome != nil {
		return *t.CreateHome
	}
	return !t.System
}

type Outputs struct {
	Name string `cty:"name"` // the user, "" for an absent one
	Home string `cty:"home"` // the path of the home, "" for an absent user
	UID  int    `cty:"uid"`  // the number, 0 for an absent user
	GID  int    `cty:"gid"`  // the number of the user's own group, 0 for an absent user
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	all, err := account.Read(ctx, h)
	have, _ := all.User(t.Name)
	return Outputs{Name: have.Name, Home: have.Home, UID: have.UID, GID: have.GID}, err
}
