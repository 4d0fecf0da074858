// Package user is the module "user": a local user of the host.
package user

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/account"
	"kinit/modules/internal/fileattr"
)

// Task is a user in /etc/passwd, made with useradd. What is not given is left as
// it is, and is useradd's default for a new user.
//
// A user that kinit makes is marked, and cleanup removes it without its home. One
// of others may only be put into further groups, which cleanup undoes, on a host
// that belongs to a cluster; anything else is an error there.
//
// Outputs:
//   - name: the user, "" for an absent one
//   - home: the path of the home, "" for an absent user
//   - uid: the number, 0 for an absent user
//   - gid: the number of the user's own group, 0 for an absent user
//
// Errors:
//   - useradd, usermod or userdel fails, as for a group that is missing, a number
//     that is taken, or an absent user whose processes run; its message is told
//   - password_hash is no hash, but perhaps a password
//   - more than further groups is asked of a user that the cluster does not own
type Task struct {
	// Name is the user's name.
	Name string `hcl:"name"`
	// UID is the user's number. Files outside the home keep the old one when it
	// changes.
	UID *int `hcl:"uid,optional"`
	// Group is the user's own group, which must exist, by name or number. Default
	// for a new user: a group with the user's name, made where it is missing.
	Group string `hcl:"group,optional"`
	// Groups are further groups, which must exist.
	Groups []string `hcl:"groups,optional"`
	// Append keeps the user in other groups than groups too. Default true. With
	// false and no groups the user is in none.
	Append bool `hcl:"append,optional"`
	// Comment is who the user is (the GECOS field).
	Comment *string `hcl:"comment,optional"`
	// Home is the absolute path of the home. When it changes, nothing is moved.
	Home string `hcl:"home,optional"`
	// CreateHome makes the home of a new user, with what is in /etc/skel. Default
	// true, false for a system user.
	CreateHome *bool `hcl:"create_home,optional"`
	// Shell is the absolute path of the login shell.
	Shell string `hcl:"shell,optional"`
	// System takes the number of a new user from those of system users.
	System bool `hcl:"system,optional"`
	// PasswordHash is what stands in /etc/shadow, in the form of crypt(5), as
	// "openssl passwd -6" prints it; "!" locks the password. Default for a new
	// user: locked.
	PasswordHash secret.Value `hcl:"password_hash,optional"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
	// RemoveHome removes an absent user's home and mail too. Default false.
	RemoveHome bool `hcl:"remove_home,optional"`
}

// Kind is the module "user".
func Kind() module.Kind {
	return module.Kind{Name: "user", Elsewhere: "win_user", New: func() module.Task { return &Task{Append: true, State: "present"} }}
}

// Validate finds mistakes in the arguments.
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
	case t.RemoveHome && t.State != "absent":
		return errors.New("remove_home is for state = \"absent\" only")
	}
	for name, value := range map[string]string{"home": t.Home, "shell": t.Shell} {
		if value != "" && (!path.IsAbs(value) || strings.ContainsAny(value, ":\r\n")) {
			return fmt.Errorf("%s is %q, want an absolute path", name, value)
		}
	}
	return fileattr.CheckState(t.State, "present", "absent")
}

// hashed tells a hash of crypt(5) from a password: "$id$…", or what no password
// fits. Hashes of the old DES kind are not taken.
func hashed(text string) bool {
	return strings.HasPrefix(text, "$") && strings.Count(text, "$") >= 3 || strings.HasPrefix(text, "!") || text == "*"
}

// createsHome tells whether a new user gets a home.
func (t *Task) createsHome() bool {
	if t.CreateHome != nil {
		return *t.CreateHome
	}
	return !t.System
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "home": cty.String, "uid": cty.Number, "gid": cty.Number}
}

// Outputs reads the user.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	all, err := account.Read(ctx, h)
	have, _ := all.User(t.Name)
	return map[string]cty.Value{
		"name": cty.StringVal(have.Name), "home": cty.StringVal(have.Home),
		"uid": cty.NumberIntVal(int64(have.UID)), "gid": cty.NumberIntVal(int64(have.GID)),
	}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
