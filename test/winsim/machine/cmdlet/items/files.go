package items

import (
	"context"
	"errors"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Object is a file or folder as a FileInfo or DirectoryInfo, as Get-Item gives it.
func Object(m *machine.Machine, info ntfs.Info) *value.Object {
	kind := "System.IO.FileInfo"
	if info.IsDir() {
		kind = "System.IO.DirectoryInfo"
	}
	o := value.NewObject(kind, value.P("Name", info.Name), value.P("FullName", info.Path), value.P("Exists", true),
		value.P("Extension", extension(info.Name)), value.P("BaseName", strings.TrimSuffix(info.Name, extension(info.Name))),
		value.P("PSIsContainer", info.IsDir()), value.P("PSChildName", info.Name), value.P("PSPath", `Microsoft.PowerShell.Core\FileSystem::`+info.Path),
		attributes(m, info), value.P("LinkType", linkType(info)), value.P("Target", target(info)))
	times(o, m, info)
	o.Supertypes = []string{"System.IO.FileSystemInfo"}
	folder := info.Path[:max(0, strings.LastIndexByte(info.Path, '\\'))]
	if info.IsDir() {
		o.Add(value.P("Parent", folder))
	} else {
		o.Add(value.P("Length", info.Size))
		o.Add(value.P("DirectoryName", folder))
		o.Add(value.P("IsReadOnly", info.Attributes&ntfs.ReadOnly != 0))
		o.Add(value.P("VersionInfo", version(m, info)))
	}
	o.Text = func() string { return info.Path }
	o.Data = info.Path
	return o.Method("Delete", func(_ context.Context, args []any) (any, error) {
		if len(args) == 1 && value.Truth(args[0]) {
			return value.Void{}, clr.FileException(m.Files.RemoveAll(info.Path, false))
		}
		return value.Void{}, clr.FileException(m.Files.Remove(info.Path, false))
	})
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// attributeType is the enumeration of attributes.
const attributeType = "System.IO.FileAttributes"

// attributes is the property, which can be set.
func attributes(m *machine.Machine, info ntfs.Info) *value.Property {
	p := value.P("Attributes", attributeEnum(info.Attributes))
	p.Set = func(v any) error {
		var wanted ntfs.Attributes
		for name := range strings.SplitSeq(value.String(v), ",") {
			wanted |= attributeNames()[strings.ToLower(strings.TrimSpace(name))]
		}
		if number, ok := value.Integer(value.Base(v)); ok {
			wanted = ntfs.Attributes(number)
		}
		if err := m.Files.SetAttributes(info.Path, wanted); err != nil {
			return clr.FileException(err)
		}
		p.Value = attributeEnum(wanted | info.Attributes&(ntfs.Directory|ntfs.ReparsePoint))
		return nil
	}
	return p
}

func attributeNames() map[string]ntfs.Attributes {
	return map[string]ntfs.Attributes{
		"readonly": ntfs.ReadOnly, "hidden": ntfs.Hidden, "system": ntfs.System, "directory": ntfs.Directory,
		"archive": ntfs.Archive, "normal": ntfs.Normal, "reparsepoint": ntfs.ReparsePoint,
	}
}

func attributeEnum(a ntfs.Attributes) value.Enum {
	var names []string
	for _, one := range []struct {
		bit  ntfs.Attributes
		name string
	}{
		{ntfs.ReadOnly, "ReadOnly"}, {ntfs.Hidden, "Hidden"}, {ntfs.System, "System"}, {ntfs.Directory, "Directory"},
		{ntfs.Archive, "Archive"}, {ntfs.Normal, "Normal"}, {ntfs.ReparsePoint, "ReparsePoint"},
	} {
		if a&one.bit != 0 {
			names = append(names, one.name)
		}
	}
	return value.NewEnum(attributeType, strings.Join(names, ", "), int64(a))
}

func linkType(info ntfs.Info) any {
	if info.Target == "" {
		return nil
	}
	return string(info.LinkKind)
}

// target is where a link leads: a list of one, as 5.1 has it.
func target(info ntfs.Info) any {
	list := &value.List{Type: "System.Collections.Generic.List[System.String]", Elem: "System.String"}
	if info.Target == "" {
		return nil
	}
	list.Items = []any{info.Target}
	return list
}

// times are the properties with times, local and in UTC.
func times(o *value.Object, m *machine.Machine, info ntfs.Info) {
	for _, t := range []struct {
		name string
		at   time.Time
		set  func(time.Time) error
	}{
		{"CreationTime", info.Created, func(at time.Time) error { return m.Files.SetTimes(info.Path, at, time.Time{}) }},
		{"LastWriteTime", info.Modified, func(at time.Time) error { return m.Files.SetTimes(info.Path, time.Time{}, at) }},
	} {
		local, utc := value.P(t.name, cmdlet.Time(t.at)), value.P(t.name+"Utc", value.DateTime{T: t.at.UTC(), Kind: value.UTC})
		for _, p := range []*value.Property{local, utc} {
			p.Set = func(v any) error {
				at, err := value.Convert(v, "System.DateTime")
				if err != nil {
					return err
				}
				p.Value = at
				return clr.FileException(t.set(at.(value.DateTime).T))
			}
			o.Add(p)
		}
	}
}

// version is what a program says of itself.
func version(m *machine.Machine, info ntfs.Info) *value.Object {
	head, err := m.Head(info.Path)
	_, text, _ := machine.Identify(head)
	if err != nil {
		text = ""
	}
	return value.NewObject("System.Diagnostics.FileVersionInfo", value.P("FileVersion", text), value.P("ProductVersion", text), value.P("FileName", info.Path))
}

// expand returns the files that a path means: one, or all that fit its wildcards.
func (i module) expand(path string, literal bool) ([]ntfs.Info, error) {
	if literal || !value.HasWildcards(path) {
		info, err := i.m.Files.Stat(path)
		return []ntfs.Info{info}, err
	}
	parent, last := path[:strings.LastIndexByte(path, '\\')], path[strings.LastIndexByte(path, '\\')+1:]
	folders, err := i.expand(parent, false)
	if err != nil {
		return nil, err
	}
	var all []ntfs.Info
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		entries, err := i.m.Files.List(folder.Path)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if cmdlet.Matches(entry.Name, []string{last}) {
				all = append(all, entry)
			}
		}
	}
	return all, nil
}

// eachFile does something with every file that the paths of a cmdlet mean. It reports
// paths that lead nowhere, and knows no other items than files.
func (i module) eachFile(ctx context.Context, c *interp.Call, do func(ntfs.Info) error) error {
	all, literal := paths(c)
	return i.each(c, all, func(l location) error {
		if l.provider != fileSystem {
			return unknown.New("%s %s", c.Cmdlet.Name, l.asked)
		}
		return i.filesAt(ctx, c, l, literal, do)
	})
}

// filesAt does something with every file that one path means.
func (i module) filesAt(ctx context.Context, c *interp.Call, l location, literal bool, do func(ntfs.Info) error) error {
	infos, err := i.expand(l.path, literal)
	if err != nil {
		return i.found(ctx, c, l.asked, err)
	}
	for _, info := range infos {
		if err := do(info); err != nil {
			return err
		}
	}
	return nil
}

// found reports what a path does not lead to, or what keeps one from looking.
func (i module) found(ctx context.Context, c *interp.Call, path string, err error) error {
	var e *winerr.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == winerr.FileNotFound || e.Code == winerr.PathNotFound {
		return cmdlet.Report(ctx, c, missing(c, path))
	}
	return i.failed(ctx, c, path, err)
}

// failed reports an error of the file system, if there is one.
func (i module) failed(ctx context.Context, c *interp.Call, path string, err error) error {
	var e *value.Exception
	if !errors.As(clr.FileException(err), &e) {
		return err
	}
	denied := e.Type == "System.UnauthorizedAccessException"
	verb, id, category := strings.ReplaceAll(c.Cmdlet.Name, "-", ""), "IOError", "WriteError"
	if denied {
		id, category = "UnauthorizedAccessError", "PermissionDenied"
	}
	if c.Cmdlet.Name == "Move-Item" && !denied {
		verb, id = "Move", "FileInfoItemIOError"
	}
	if c.Cmdlet.Name == "Remove-Item" {
		verb = "RemoveFileSystemItem"
		if denied {
			id = "UnAuthorizedAccess"
		}
	}
	return c.WriteError(ctx, interp.NewError(e, verb+id+","+commands+cmdlet.Class(c), category, path))
}
