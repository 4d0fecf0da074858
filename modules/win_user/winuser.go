// Package winuser is the module "win_user": a local user of a Windows host.
package winuser

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/powershell"
)

//go:embed read.ps1
var readScript string

//go:embed groups.ps1
var groupsScript string

//go:embed set.ps1
var setScript string

//go:embed remove.ps1
var removeScript string

// Task is a local user of a Windows host. Arguments that are not given change nothing.
// An absent user's profile folder remains.
//
// To check the password, the task tries it once in each run, only for a user who may log
// in; it sets the password if it is wrong. Windows counts a failed try like any other.
//
// Errors:
//   - a new user has no password, or one that does not meet the host's policy
//   - there is no group with the name
type Task struct {
	// Name is the user's name, at most 20 characters.
	Name string `hcl:"name"`
	// Password is the user's password. A new user needs one.
	Password secret.Value `hcl:"password,optional"`
	// FullName is the user's full name.
	FullName *string `hcl:"full_name,optional"`
	// Description is the user's description, at most 48 characters.
	Description *string `hcl:"description,optional"`
	// Groups are local groups that the user is in, by name or SID, such as
	// "S-1-5-32-544" for the administrators, whose name differs between languages. The
	// user's membership in other groups does not change.
	Groups []string `hcl:"groups,optional"`
	// PasswordNeverExpires disables the expiry of the password.
	PasswordNeverExpires *bool `hcl:"password_never_expires,optional"`
	// MayChangePassword lets the user change the password.
	MayChangePassword *bool `hcl:"may_change_password,optional"`
	// Enabled lets the user log in.
	Enabled *bool `hcl:"enabled,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_user", OS: []module.OS{module.Windows}, Elsewhere: "user"})
}

func (t *Task) Validate() error {
	if slices.Contains(t.Groups, "") {
		return errors.New("groups has an empty name, want one such as \"Users\" or a SID")
	}
	switch {
	// The names that NetUserAdd of the Windows API refuses.
	case t.Name == "" || len([]rune(t.Name)) > 20 || strings.ContainsAny(t.Name, "\"/\\[]:;|=,+*?<>@\n") || strings.Trim(t.Name, ". ") == "":
		return fmt.Errorf("name is %q, want at most 20 characters without \"/\\[]:;|=,+*?<>@", t.Name)
	case t.Description != nil && len([]rune(*t.Description)) > 48:
		return fmt.Errorf("description has %d characters, want at most 48", len([]rune(*t.Description)))
	}
	return nil
}

// state is the user's state on the host.
type state struct {
	There        bool
	SID          string
	FullName     string
	Description  string
	Enabled      bool
	NeverExpires bool
	MayChange    bool
	Password     bool // the wanted one is right, or none was tried
	Groups       []string
}

// change is the script's input; nil or empty values do not change.
type change struct {
	Name         string   `json:"name"`
	Password     string   `json:"password"`
	FullName     *string  `json:"fullName"`
	Description  *string  `json:"description"`
	NeverExpires *bool    `json:"neverExpires"`
	MayChange    *bool    `json:"mayChange"`
	Enabled      *bool    `json:"enabled"`
	Groups       []string `json:"groups"`
}

func (t *Task) read(ctx context.Context, h module.Host, password string) (state, error) {
	return powershell.Read[state](ctx, h, groupsScript+readScript, change{Name: t.Name, Password: password, Groups: t.Groups})
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	h.AddSecret(t.Password)
	password := t.Password.Reveal()
	if t.Absent() {
		password = ""
	}
	s, err := t.read(ctx, h, password)
	switch {
	case err != nil || t.Absent() && !s.There:
		return nil, err
	case t.Absent():
		return powershell.OneStep("remove user "+t.Name, removeScript, change{Name: t.Name}), nil
	}
	text, c, err := t.decide(s)
	return powershell.OneStep(h.Redact(text), groupsScript+setScript, c), err
}

// decide describes the change and returns it; "" for none.
func (t *Task) decide(s state) (string, change, error) {
	if !s.There {
		return t.decideNew()
	}
	c := change{Name: t.Name}
	var words powershell.Differences
	// The password of a disabled user cannot be tried: it is set when the user is enabled.
	enables := t.Enabled != nil && *t.Enabled && !s.Enabled
	if words.Add(t.Password != "" && (!s.Password || enables), "password") {
		c.Password = t.Password.Reveal()
	}
	if words.Add(t.FullName != nil && *t.FullName != s.FullName, "full name") {
		c.FullName = t.FullName
	}
	if words.Add(t.Description != nil && *t.Description != s.Description, "description") {
		c.Description = t.Description
	}
	if words.Add(t.PasswordNeverExpires != nil && *t.PasswordNeverExpires != s.NeverExpires, "password_never_expires") {
		c.NeverExpires = t.PasswordNeverExpires
	}
	if words.Add(t.MayChangePassword != nil && *t.MayChangePassword != s.MayChange, "may_change_password") {
		c.MayChange = t.MayChangePassword
	}
	if words.Add(t.Enabled != nil && *t.Enabled != s.Enabled, "enabled") {
		c.Enabled = t.Enabled
	}
	for _, group := range t.Groups {
		if words.Add(!slices.Contains(s.Groups, group), "group "+group) {
			c.Groups = append(c.Groups, group)
		}
	}
	return words.Text("user " + t.Name), c, nil
}

func (t *Task) decideNew() (string, change, error) {
	if t.Password == "" {
		return "", change{}, fmt.Errorf("there is no user %s, and a new one needs a password", t.Name)
	}
	text := "create user " + t.Name
	if len(t.Groups) > 0 {
		text += " in " + strings.Join(t.Groups, ", ")
	}
	return text, change{Name: t.Name, Password: t.Password.Reveal(), FullName: t.FullName, Description: t.Description,
		NeverExpires: t.PasswordNeverExpires, MayChange: t.MayChangePassword, Enabled: t.Enabled, Groups: t.Groups}, nil
}

type Outputs struct {
	Name string `cty:"name"` // the user, "" for an absent one
	SID  string `cty:"sid"`  // the user's SID, "" for an absent one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.read(ctx, h, "")
	name := t.Name
	if !s.There {
		name = ""
	}
	return Outputs{Name: name, SID: s.SID}, err
}
