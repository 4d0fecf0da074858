package accounts

import (
	"context"
	"strings"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func (a module) groups() []interp.Cmdlet {
	name, sid := cmdlet.At(1, cmdlet.Texts("Name")), cmdlet.Any("SID")
	group := cmdlet.At(1, cmdlet.Any("Group"))
	member := cmdlet.Needed(cmdlet.At(2, cmdlet.Piped(cmdlet.Any("Member"))))
	return []interp.Cmdlet{
		{Name: "Get-LocalGroup", Parameters: []interp.Parameter{name, sid}, Run: a.getGroup},
		{Name: "New-LocalGroup", Confirms: true, Run: a.newGroup, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, cmdlet.Text("Name"))), cmdlet.Text("Description"),
		}},
		{Name: "Remove-LocalGroup", Confirms: true, Run: a.removeGroup, Parameters: []interp.Parameter{
			name, sid, cmdlet.Piped(cmdlet.Any("InputObject")),
		}},
		{Name: "Get-LocalGroupMember", Run: a.getMember, Parameters: []interp.Parameter{
			group, cmdlet.Text("Name"), sid, cmdlet.At(2, cmdlet.Text("Member")),
		}},
		{Name: "Add-LocalGroupMember", Confirms: true, Run: a.member((*account.Book).AddMember),
			Parameters: []interp.Parameter{group, cmdlet.Text("Name"), sid, member}},
		{Name: "Remove-LocalGroupMember", Confirms: true, Run: a.member((*account.Book).RemoveMember),
			Parameters: []interp.Parameter{group, cmdlet.Text("Name"), sid, member}},
	}
}

func (a module) group(g account.Group) *value.Object {
	o := value.NewObject(groupType, value.P("Description", g.Description), value.P("Name", g.Name),
		value.P("SID", cmdlet.SID(a.m, g.SID)), value.P("PrincipalSource", source()), value.P("ObjectClass", a.class("Group")))
	o.Supertypes = []string{baseType}
	o.Text = func() string { return g.Name }
	o.Data = g.SID
	return o
}

func (a module) getGroup(ctx context.Context, c *interp.Call) error {
	asked := names(c)
	if len(asked) == 0 {
		asked = []string{"*"}
	}
	for _, name := range asked {
		if value.HasWildcards(name) {
			for _, g := range a.m.Accounts.Groups() {
				if !cmdlet.Matches(g.Name, []string{name}) {
					continue
				}
				if err := c.WriteObject(ctx, a.group(g)); err != nil {
					return err
				}
			}
			continue
		}
		g, err := a.m.Accounts.Group(name)
		if err != nil {
			err = cmdlet.Report(ctx, c, notFound(c, "Group", name))
		} else {
			err = c.WriteObject(ctx, a.group(g))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a module) newGroup(ctx context.Context, c *interp.Call) error {
	g, err := a.m.Accounts.AddGroup(c.String("Name"), c.String("Description"))
	if err != nil {
		return a.refuse(ctx, c, err, c.String("Name"))
	}
	return c.WriteObject(ctx, a.group(g))
}

func (a module) removeGroup(ctx context.Context, c *interp.Call) error {
	return a.change(ctx, c, names(c), a.m.Accounts.RemoveGroup)
}

// groupName is the group of a cmdlet that changes or lists members.
func groupName(c *interp.Call) string {
	for _, parameter := range []string{"Group", "SID", "Name"} {
		if c.Has(parameter) {
			return cmdlet.Identity(c.Value(parameter))
		}
	}
	return ""
}

func (a module) getMember(ctx context.Context, c *interp.Call) error {
	g, err := a.m.Accounts.Group(groupName(c))
	if err != nil {
		return cmdlet.Report(ctx, c, notFound(c, "Group", groupName(c)))
	}
	for _, sid := range g.Members {
		if _, err := a.m.Accounts.User(sid); err != nil && strings.HasPrefix(sid, "S-1-5-21-") {
			e := value.NewException("System.InvalidOperationException", "Failed to compare two elements in the array.")
			return c.Terminate(interp.NewError(e, "An unspecified error occurred.,Microsoft.PowerShell.Commands.GetLocalGroupMemberCommand", "NotSpecified", nil))
		}
		full := a.m.Accounts.Name(sid, a.m.ComputerName())
		if c.Has("Member") && !cmdlet.Matches(full, []string{c.String("Member"), `*\` + c.String("Member")}) && c.String("Member") != sid {
			continue
		}
		o := value.NewObject(baseType, value.P("Name", full), value.P("SID", cmdlet.SID(a.m, sid)),
			value.P("PrincipalSource", source()), value.P("ObjectClass", a.class("User")))
		o.Text = func() string { return full }
		o.Data = sid
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// member is a cmdlet that puts users into a group or takes them out.
func (a module) member(change func(b *account.Book, group, member string) error) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		return a.change(ctx, c, cmdlet.Identities(c.Value("Member")), func(name string) error {
			return change(a.m.Accounts, groupName(c), name)
		})
	}
}
