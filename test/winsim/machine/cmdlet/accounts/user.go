// Package accounts is the cmdlets of the module Microsoft.PowerShell.LocalAccounts.
package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// Names of types and exceptions.
const (
	userType  = "Microsoft.PowerShell.Commands.LocalUser"
	groupType = "Microsoft.PowerShell.Commands.LocalGroup"
	baseType  = "Microsoft.PowerShell.Commands.LocalPrincipal"
	commands  = "Microsoft.PowerShell.Commands."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets of the module on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	a := module{m}
	return append(a.users(), a.groups()...)
}

func (a module) users() []interp.Cmdlet {
	name, sid := cmdlet.At(1, cmdlet.Texts("Name")), cmdlet.Any("SID")
	one := cmdlet.Needed(cmdlet.At(1, cmdlet.Text("Name")))
	password := interp.Parameter{Name: "Password", Type: "object"}
	which := []interp.Parameter{name, sid, cmdlet.Piped(cmdlet.Any("InputObject"))}
	return []interp.Cmdlet{
		{Name: "Get-LocalUser", Parameters: []interp.Parameter{name, sid}, Run: a.getUser},
		{Name: "New-LocalUser", Confirms: true, Run: a.newUser, Parameters: []interp.Parameter{
			one, password, cmdlet.Text("FullName"), cmdlet.Text("Description"), cmdlet.Switch("NoPassword"), cmdlet.Switch("Disabled"),
			cmdlet.Switch("AccountNeverExpires"), cmdlet.Switch("PasswordNeverExpires"), cmdlet.Switch("UserMayNotChangePassword"),
		}},
		{Name: "Set-LocalUser", Confirms: true, Run: a.setUser, Parameters: append(which,
			password, cmdlet.Text("FullName"), cmdlet.Text("Description"), cmdlet.Truth("PasswordNeverExpires"),
			cmdlet.Truth("UserMayChangePassword"), cmdlet.Switch("AccountNeverExpires"))},
		{Name: "Enable-LocalUser", Confirms: true, Parameters: which, Run: a.enable(true)},
		{Name: "Disable-LocalUser", Confirms: true, Parameters: which, Run: a.enable(false)},
		{Name: "Remove-LocalUser", Confirms: true, Parameters: which, Run: a.removeUser},
		{Name: "Rename-LocalUser", Confirms: true, Run: a.renameUser, Parameters: []interp.Parameter{
			one, cmdlet.Needed(cmdlet.At(2, cmdlet.Text("NewName"))),
		}},
	}
}

// user is a user as an object.
func (a module) user(u account.User) *value.Object {
	var expires any
	if !u.PasswordNeverExpires && !u.PasswordSet.IsZero() {
		// The policy's default: 42 days.
		expires = cmdlet.Time(u.PasswordSet.Add(42 * 24 * time.Hour))
	}
	o := value.NewObject(userType,
		value.P("AccountExpires", cmdlet.TimeOrNull(u.AccountExpires)), value.P("Description", u.Description),
		value.P("Enabled", !u.Disabled), value.P("FullName", u.FullName),
		value.P("PasswordChangeableDate", cmdlet.TimeOrNull(u.PasswordSet)), value.P("PasswordExpires", expires),
		value.P("UserMayChangePassword", !u.FixedPassword), value.P("PasswordRequired", !u.PasswordNotRequired),
		value.P("PasswordLastSet", cmdlet.TimeOrNull(u.PasswordSet)), value.P("LastLogon", nil),
		value.P("Name", u.Name), value.P("SID", cmdlet.SID(a.m, u.SID)), value.P("PrincipalSource", source()), value.P("ObjectClass", a.class("User")))
	o.Supertypes = []string{baseType}
	o.Text = func() string { return u.Name }
	o.Data = u.SID
	return o
}

// class is the kind of a principal in the machine's language.
func (a module) class(english string) string {
	if a.m.Language() == "de-DE" {
		return map[string]string{"User": "Benutzer", "Group": "Gruppe"}[english]
	}
	return english
}

func source() value.Enum {
	return value.NewEnum("Microsoft.PowerShell.Commands.PrincipalSource", "Local", 1)
}

// notFound is the failure to find a user or group.
func notFound(c *interp.Call, kind, name string) cmdlet.Failure {
	return cmdlet.Failure{
		Type: commands + kind + "NotFoundException", Message: fmt.Sprintf("%s %s was not found.", kind, name),
		ID: kind + "NotFound," + commands + cmdlet.Class(c), Category: "ObjectNotFound", Target: name,
	}
}

func (a module) getUser(ctx context.Context, c *interp.Call) error {
	if !c.Has("Name") && !c.Has("SID") {
		return a.writeUsers(ctx, c, "*")
	}
	for _, item := range cmdlet.Items(c.Value("SID")) {
		if err := a.writeUser(ctx, c, value.String(item)); err != nil {
			return err
		}
	}
	for _, name := range c.Strings("Name") {
		write := a.writeUser
		if value.HasWildcards(name) {
			write = a.writeUsers
		}
		if err := write(ctx, c, name); err != nil {
			return err
		}
	}
	return nil
}

func (a module) writeUser(ctx context.Context, c *interp.Call, name string) error {
	u, err := a.m.Accounts.User(name)
	if err != nil {
		return cmdlet.Report(ctx, c, notFound(c, "User", name))
	}
	return c.WriteObject(ctx, a.user(u))
}

func (a module) writeUsers(ctx context.Context, c *interp.Call, pattern string) error {
	for _, u := range a.m.Accounts.Users() {
		if !cmdlet.Matches(u.Name, []string{pattern}) {
			continue
		}
		if err := c.WriteObject(ctx, a.user(u)); err != nil {
			return err
		}
	}
	return nil
}

// names are the users that a cmdlet is to change: by name, SID or object.
func names(c *interp.Call) []string {
	if c.Has("Name") {
		return c.Strings("Name")
	}
	return append(cmdlet.Identities(c.Value("SID")), cmdlet.Identities(c.Value("InputObject"))...)
}

func (a module) newUser(ctx context.Context, c *interp.Call) error {
	if !c.Has("Password") && !c.Bool("NoPassword") {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.Management.Automation.ParameterBindingException", Category: "InvalidArgument",
			Message: "Parameter set cannot be resolved using the specified named parameters.", ID: "AmbiguousParameterSet," + commands + "NewLocalUserCommand",
		})
	}
	u, err := a.m.Accounts.AddUser(account.User{
		Name: c.String("Name"), FullName: c.String("FullName"), Description: c.String("Description"), Disabled: c.Bool("Disabled"),
		PasswordNeverExpires: c.Bool("PasswordNeverExpires"), FixedPassword: c.Bool("UserMayNotChangePassword"),
	}, secret(c.Value("Password")))
	if err != nil {
		return a.refuse(ctx, c, err, c.String("Name"))
	}
	return c.WriteObject(ctx, a.user(u))
}

// secret is the text of a SecureString, empty for none.
func secret(v any) string {
	o, ok := v.(*value.Object)
	if !ok {
		return ""
	}
	text, _ := o.Data.(string)
	return text
}

// change makes a change to every user or group of these names, and reports those that
// refuse it.
func (a module) change(ctx context.Context, c *interp.Call, names []string, do func(name string) error) error {
	for _, name := range names {
		if err := a.refuse(ctx, c, do(name), name); err != nil {
			return err
		}
	}
	return nil
}

func (a module) setUser(ctx context.Context, c *interp.Call) error {
	return a.change(ctx, c, names(c), func(name string) error { return a.setOne(c, name) })
}

func (a module) setOne(c *interp.Call, name string) error {
	err := a.m.Accounts.ChangeUser(name, func(u *account.User) {
		if c.Has("FullName") {
			u.FullName = c.String("FullName")
		}
		if c.Has("Description") {
			u.Description = c.String("Description")
		}
		if c.Has("PasswordNeverExpires") {
			u.PasswordNeverExpires = c.Bool("PasswordNeverExpires")
		}
		if c.Has("UserMayChangePassword") {
			u.FixedPassword = !c.Bool("UserMayChangePassword")
		}
		if c.Bool("AccountNeverExpires") {
			u.AccountExpires = time.Time{}
		}
	})
	if err != nil || !c.Has("Password") {
		return err
	}
	return a.m.Accounts.SetPassword(name, secret(c.Value("Password")))
}

func (a module) enable(on bool) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		return a.change(ctx, c, names(c), func(name string) error {
			return a.m.Accounts.ChangeUser(name, func(u *account.User) { u.Disabled = !on })
		})
	}
}

func (a module) removeUser(ctx context.Context, c *interp.Call) error {
	return a.change(ctx, c, names(c), a.m.Accounts.RemoveUser)
}

func (a module) renameUser(ctx context.Context, c *interp.Call) error {
	rename := func(name string) error { return a.m.Accounts.RenameUser(name, c.String("NewName")) }
	return a.change(ctx, c, []string{c.String("Name")}, rename)
}

// refuse reports what the accounts refused, if they did.
func (a module) refuse(ctx context.Context, c *interp.Call, err error, name string) error {
	f := cmdlet.Failure{Category: "InvalidArgument", Target: name}
	set := func(kind, message string) {
		f.Type, f.ID, f.Message = commands+kind+"Exception", kind+","+commands+cmdlet.Class(c), message
	}
	switch {
	case errors.Is(err, account.ErrUserNotFound):
		f = notFound(c, "User", name)
	case errors.Is(err, account.ErrGroupNotFound):
		f = notFound(c, "Group", name)
	case errors.Is(err, account.ErrPrincipal):
		f = notFound(c, "Principal", name)
	case errors.Is(err, account.ErrPassword):
		set("InvalidPassword", "Unable to update the password. The value provided for the new password does not meet the length, complexity, or history requirements of the domain.")
	case errors.Is(err, account.ErrUserExists):
		set("UserExists", fmt.Sprintf("User %s already exists.", name))
	case errors.Is(err, account.ErrGroupExists):
		set("GroupExists", fmt.Sprintf("Group %s already exists.", name))
	case errors.Is(err, account.ErrMemberExists):
		set("MemberExists", fmt.Sprintf("%s is already a member of group %s.", name, value.String(c.Value("Group"))))
	case errors.Is(err, account.ErrMemberNotFound):
		set("MemberNotFound", fmt.Sprintf("Member %s was not found in group %s.", name, value.String(c.Value("Group"))))
	case errors.Is(err, account.ErrName):
		set("InvalidName", fmt.Sprintf("The name %s is invalid.", name))
	case errors.Is(err, account.ErrBuiltIn):
		set("InvalidOperation", "Cannot perform this operation on built-in accounts.")
	default:
		return err
	}
	return cmdlet.Report(ctx, c, f)
}
