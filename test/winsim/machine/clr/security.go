package clr

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/dotnet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const access = "System.Security.AccessControl."

// extend gives types of dotnet the members that have to do with access lists.
func (l library) extend(all []interp.Type) []interp.Type {
	for n := range all {
		statics := all[n].Statics
		switch all[n].Name {
		case "System.IO.File":
			create := statics["Create"]
			statics["Create"] = func(ctx context.Context, s *interp.Session, args []any) (any, error) {
				if len(args) == 4 {
					return l.createWithSecurity(ctx, s, create, args)
				}
				return create(ctx, s, args)
			}
			statics["SetAccessControl"] = static("File.SetAccessControl", 2, 2, l.setAccess)
			statics["GetAccessControl"] = static("File.GetAccessControl", 1, 1, l.getAccess)
		case "System.IO.Directory":
			statics["SetAccessControl"] = static("Directory.SetAccessControl", 2, 2, l.setAccess)
			statics["GetAccessControl"] = static("Directory.GetAccessControl", 1, 1, l.getAccess)
		}
	}
	return all
}

// descriptor is the text in SDDL of a security descriptor that a script has made.
func descriptor(v any) (string, error) {
	o, ok := v.(*value.Object)
	if !ok {
		return "", unknown.New("a %s as a security descriptor", value.TypeName(v))
	}
	switch data := o.Data.(type) {
	case string:
		return data, nil
	case ntfs.Security:
		return data.SDDL(), nil
	}
	return "", unknown.New("a %s as a security descriptor", o.Type)
}

// createWithSecurity is File.Create(path, size, options, security): the file has its
// access list from the beginning.
func (l library) createWithSecurity(ctx context.Context, s *interp.Session, create interp.Func, args []any) (any, error) {
	if value.String(args[2]) != "None" {
		return nil, unknown.New("File.Create with the options %s", value.String(args[2]))
	}
	stream, err := create(ctx, s, args[:1])
	if err != nil {
		return nil, err
	}
	_, err = l.setAccess(ctx, s, []any{args[0], args[3]})
	return stream, err
}

func (l library) setAccess(_ context.Context, s *interp.Session, args []any) (any, error) {
	sddl, err := descriptor(args[1])
	if err != nil {
		return nil, err
	}
	security, err := ntfs.ParseSDDL(sddl)
	if err != nil {
		return nil, unknown.New("%v", err)
	}
	path := s.ProcessPath(value.String(args[0]))
	return value.Void{}, FileException(l.m.Files.SetSecurity(path, security))
}

func (l library) getAccess(_ context.Context, s *interp.Session, args []any) (any, error) {
	return ACL(l.m, s.ProcessPath(value.String(args[0])))
}

// FileException is an error of the file system as .NET throws it.
func FileException(err error) error {
	if e, ok := errors.AsType[*winerr.Error](err); ok {
		return dotnet.Exception(&interp.WinError{Code: uint16(e.Code), Path: e.Name}, e.Name)
	}
	return err
}

// ACL is the security descriptor of a file or folder.
func ACL(m *machine.Machine, path string) (*value.Object, error) {
	info, err := m.Files.Stat(path)
	if err != nil {
		return nil, FileException(err)
	}
	security, err := m.Files.Security(path)
	if err != nil {
		return nil, FileException(err)
	}
	kind := access + "FileSecurity"
	if info.IsDir() {
		kind = access + "DirectorySecurity"
	}
	owner := m.Accounts.Name(security.Owner, m.ComputerName())
	o := value.NewObject(kind, value.P("Path", `Microsoft.PowerShell.Core\FileSystem::`+info.Path), value.P("Owner", owner), value.P("Sddl", security.SDDL()),
		value.P("AreAccessRulesProtected", security.Protected), value.P("Access", rules(m, security, true, true, accountType)))
	o.Data = security
	method(o, "GetOwner", 1, 1, func(_ context.Context, args []any) (any, error) { return identity(m, security.Owner, args[0]) })
	method(o, "GetAccessRules", 3, 3, func(_ context.Context, args []any) (any, error) {
		t, ok := value.Base(args[2]).(value.Type)
		if !ok {
			return nil, unknown.New("GetAccessRules with a %s as the type", value.TypeName(args[2]))
		}
		return rules(m, security, value.Truth(args[0]), value.Truth(args[1]), t.Name), nil
	})
	return o, nil
}

// Types of identities.
const (
	accountType = "System.Security.Principal.NTAccount"
	sidType     = "System.Security.Principal.SecurityIdentifier"
)

// identity is an account as a type of identities.
func identity(m *machine.Machine, sid string, as any) (any, error) {
	t, ok := value.Base(as).(value.Type)
	if !ok || t.Name != sidType && t.Name != accountType {
		return nil, unknown.New("an identity as %s", value.String(as))
	}
	if t.Name == sidType {
		return cmdlet.SID(m, sid), nil
	}
	return cmdlet.Account(m, m.Accounts.Name(sid, m.ComputerName())), nil
}

func rules(m *machine.Machine, s ntfs.Security, own, inherited bool, as string) *value.Array {
	all := &value.Array{}
	for _, e := range s.Entries {
		if e.Inherited && !inherited || !e.Inherited && !own {
			continue
		}
		who := cmdlet.SID(m, e.SID)
		if as == accountType {
			who = cmdlet.Account(m, m.Accounts.Name(e.SID, m.ComputerName()))
		}
		kind := value.NewEnum(access+"AccessControlType", "Allow", 0)
		if e.Deny {
			kind = value.NewEnum(access+"AccessControlType", "Deny", 1)
		}
		all.Items = append(all.Items, value.NewObject(access+"FileSystemAccessRule", value.P("IdentityReference", who), value.P("AccessControlType", kind),
			value.P("FileSystemRights", rights(e.Rights)), value.P("IsInherited", e.Inherited)))
	}
	return all
}

func rights(mask uint32) value.Enum {
	name := map[uint32]string{
		ntfs.FullControl: "FullControl", ntfs.Modify: "Modify, Synchronize", ntfs.ReadAndExecute: "ReadAndExecute, Synchronize", ntfs.Read: "Read, Synchronize",
	}[mask]
	name = cmp.Or(name, strings.TrimSpace(value.String(int64(mask))))
	return value.NewEnum(access+"FileSystemRights", name, int64(mask))
}

func (l library) securityTypes() []interp.Type {
	return []interp.Type{
		{Name: accountType, New: static("NTAccount", 1, 2, func(_ context.Context, _ *interp.Session, args []any) (any, error) {
			name := value.String(args[0])
			if len(args) == 2 {
				name += `\` + value.String(args[1])
			}
			return cmdlet.Account(l.m, name), nil
		})},
		{Name: sidType, New: static("SecurityIdentifier", 1, 1, func(_ context.Context, _ *interp.Session, args []any) (any, error) {
			text := value.String(args[0])
			if !strings.HasPrefix(strings.ToUpper(text), "S-1-") {
				return nil, value.NewException("System.ArgumentException", "Value was invalid.\r\nParameter name: sddlForm")
			}
			return cmdlet.SID(l.m, strings.ToUpper(text)), nil
		})},
		{Name: "System.Security.Principal.WindowsIdentity", Statics: map[string]interp.Func{
			"GetCurrent": static("WindowsIdentity.GetCurrent", 0, 0, func(context.Context, *interp.Session, []any) (any, error) {
				name := l.m.Accounts.Name(l.p.User, l.m.ComputerName())
				return value.NewObject("System.Security.Principal.WindowsIdentity", value.P("Name", name), value.P("User", cmdlet.SID(l.m, l.p.User)),
					value.P("IsSystem", l.p.User == account.SystemSID)), nil
			}),
		}},
		interp.EnumType(value.Of("System.DirectoryServices.AccountManagement.ContextType", "Machine", "Domain", "ApplicationDirectory")),
		{Name: "System.DirectoryServices.AccountManagement.PrincipalContext", New: static("PrincipalContext", 1, 1, l.principalContext)},
		interp.EnumType(value.EnumType{Name: "System.IO.FileOptions", Values: []value.Enum{value.NewEnum("System.IO.FileOptions", "None", 0)}}),
	}
}

// principalContext tries passwords against the machine's own accounts.
func (l library) principalContext(_ context.Context, _ *interp.Session, args []any) (any, error) {
	if !strings.EqualFold(value.String(args[0]), "Machine") {
		return nil, unknown.New("a PrincipalContext of %s", value.String(args[0]))
	}
	o := value.NewObject("System.DirectoryServices.AccountManagement.PrincipalContext")
	method(o, "ValidateCredentials", 2, 2, func(_ context.Context, args []any) (any, error) {
		return l.m.Accounts.Check(value.String(args[0]), value.String(args[1])), nil
	})
	quiet(o, "Dispose")
	return o, nil
}
