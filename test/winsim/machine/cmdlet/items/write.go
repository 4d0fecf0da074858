package items

import (
	"context"
	"strings"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (i module) writers() []interp.Cmdlet {
	force := cmdlet.Switch("Force")
	destination := cmdlet.At(2, cmdlet.Text("Destination"))
	return []interp.Cmdlet{
		{Name: "New-Item", Aliases: []string{"ni"}, Confirms: true, Run: i.newItem, Parameters: []interp.Parameter{
			cmdlet.At(1, cmdlet.Text("Path")), cmdlet.Text("Name"), force,
			{Name: "ItemType", Aliases: []string{"Type"}, Type: "string"}, {Name: "Value", Aliases: []string{"Target"}, Pipeline: true},
			// Those of the provider WSMan, for listeners.
			cmdlet.Text("Transport"), cmdlet.Text("Address"), cmdlet.Text("CertificateThumbPrint"), cmdlet.Whole("Port"), cmdlet.Text("HostName"),
		}},
		{Name: "Remove-Item", Aliases: []string{"del", "rm", "rd", "ri", "rmdir", "erase"}, Confirms: true, Run: i.removeItem,
			Parameters: append(pathParameters(), force, cmdlet.Switch("Recurse"))},
		{Name: "Move-Item", Aliases: []string{"mv", "move", "mi"}, Confirms: true, Run: i.moveItem, Parameters: append(pathParameters(), destination, force)},
		{Name: "Copy-Item", Aliases: []string{"cp", "copy", "cpi"}, Confirms: true, Run: i.copyItem,
			Parameters: append(pathParameters(), destination, force, cmdlet.Switch("Recurse"))},
		{Name: "Rename-Item", Aliases: []string{"ren", "rni"}, Confirms: true, Run: i.renameItem, Parameters: append(pathParameters(),
			cmdlet.At(2, cmdlet.Text("NewName")), force)},
		{Name: "Set-Item", Confirms: true, Run: i.setItem, Parameters: append(pathParameters(), cmdlet.At(2, cmdlet.Any("Value")), force)},
	}
}

func (i module) newItem(ctx context.Context, c *interp.Call) error {
	path := c.String("Path")
	if c.Has("Name") {
		path = strings.TrimRight(path, `\/`) + `\` + c.String("Name")
	}
	l, err := i.locate(c.Session, path)
	if err != nil {
		return err
	}
	switch l.provider {
	case registryPS:
		return i.newKey(ctx, c, l)
	case wsman:
		return i.newListener(ctx, c, l)
	case fileSystem:
	default:
		return unknown.New("New-Item %s", path)
	}
	switch strings.ToLower(c.String("ItemType")) {
	case "directory", "container":
		return i.newFolder(ctx, c, l)
	case "", "file":
		return i.newFile(ctx, c, l)
	case "symboliclink":
		return i.newLink(ctx, c, l, ntfs.SymbolicLink)
	case "junction":
		return i.newLink(ctx, c, l, ntfs.Junction)
	default:
		return unknown.New("the item type %s", c.String("ItemType"))
	}
}

// exists is the failure to make what is there.
func exists(c *interp.Call, id, path string) cmdlet.Failure {
	return cmdlet.Failure{
		Type: "System.IO.IOException", Message: "An item with the specified name " + path + " already exists.",
		ID: id + "," + commands + cmdlet.Class(c), Category: "ResourceExists", Target: path,
	}
}

func (i module) newFolder(ctx context.Context, c *interp.Call, l location) error {
	if info, err := i.m.Files.Stat(l.path); err == nil && (!c.Bool("Force") || !info.IsDir()) {
		return cmdlet.Report(ctx, c, exists(c, "DirectoryExist", l.path))
	}
	if err := i.m.Files.Mkdir(l.path); err != nil {
		return i.failed(ctx, c, l.path, err)
	}
	return i.show(ctx, c, l.path)
}

// show writes what was made.
func (i module) show(ctx context.Context, c *interp.Call, path string) error {
	info, err := i.m.Files.Stat(path)
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, Object(i.m, info))
}

func (i module) newFile(ctx context.Context, c *interp.Call, l location) error {
	mode := ntfs.CreateNew
	if c.Bool("Force") {
		mode = ntfs.Create
		if err := i.m.Files.Mkdir(parent(l.path)); err != nil {
			return i.failed(ctx, c, l.path, err)
		}
	}
	file, err := i.m.Files.Open(l.path, mode, ntfs.Writing, ntfs.ShareNone)
	if err != nil {
		return i.failed(ctx, c, l.path, err)
	}
	_, err = file.Write([]byte(value.String(c.Value("Value"))))
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return i.failed(ctx, c, l.path, err)
	}
	return i.show(ctx, c, l.path)
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '\\'))] }

// newLink makes a link. What it leads to must be there, as 5.1 demands.
func (i module) newLink(ctx context.Context, c *interp.Call, l location, kind ntfs.LinkKind) error {
	leads := value.String(c.Value("Value"))
	if plain := value.Unescape(leads); value.HasWildcards(leads) && plain == leads {
		return i.found(ctx, c, leads, winerr.Of(winerr.PathNotFound, "match", leads)) // a pattern that matches nothing else
	} else if plain != leads {
		leads = plain
	}
	if _, err := i.m.Files.Stat(ntfs.Join(parent(l.path), leads)); err != nil {
		return i.found(ctx, c, leads, err)
	}
	if _, err := i.m.Files.Stat(l.path); err == nil {
		return cmdlet.Report(ctx, c, cmdlet.Failure{
			Type: "System.IO.IOException", Message: "Cannot create a file when that file already exists.", Category: "ResourceExists",
			ID: "ItemExistsPathNotDirectory," + commands + cmdlet.Class(c), Target: l.path,
		})
	}
	if err := i.m.Files.Link(l.path, leads, kind); err != nil {
		return i.failed(ctx, c, l.path, err)
	}
	return i.show(ctx, c, l.path)
}

func (i module) removeItem(ctx context.Context, c *interp.Call) error {
	all, literal := paths(c)
	return i.atEach(ctx, c, all, byProvider{
		registryPS: i.removeKey,
		wsman:      i.removeListener,
		fileSystem: func(ctx context.Context, c *interp.Call, l location) error {
			return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error { return i.removeFile(ctx, c, info) })
		},
	})
}

// asks is the end of a cmdlet that would ask before it goes on.
func asks(c *interp.Call) error {
	return cmdlet.Stop(c, cmdlet.Failure{
		Type: "System.Management.Automation.PSInvalidOperationException", Category: "InvalidOperation", ID: "InvalidOperation," + commands + cmdlet.Class(c),
		Message: "Windows PowerShell is in NonInteractive mode. Read and Prompt functionality is not available.",
	})
}

// removeFile deletes one entry. A folder that is not empty is deleted only with
// -Recurse: the question that PowerShell asks otherwise would get no answer.
func (i module) removeFile(ctx context.Context, c *interp.Call, info ntfs.Info) error {
	remove := i.m.Files.Remove
	if info.IsDir() && info.Target == "" {
		inside, err := i.m.Files.List(info.Path)
		if err != nil {
			return i.failed(ctx, c, info.Path, err)
		}
		if len(inside) > 0 && !c.Bool("Recurse") {
			return asks(c)
		}
		remove = i.m.Files.RemoveAll
	}
	return i.failed(ctx, c, info.Path, remove(info.Path, c.Bool("Force")))
}

// moveItem renames files. One that has the new name is replaced with -Force.
func (i module) moveItem(ctx context.Context, c *interp.Call) error {
	return i.eachFile(ctx, c, func(info ntfs.Info) error {
		return i.failed(ctx, c, info.Path, i.m.Files.Rename(info.Path, i.destination(c, info), c.Bool("Force")))
	})
}

// destination is where a file is moved or copied to: into a folder that is there, or to
// the new name.
func (i module) destination(c *interp.Call, info ntfs.Info) string {
	to := c.Session.Path(c.String("Destination"))
	if there, err := i.m.Files.Resolve(to); err == nil && there.IsDir() {
		return there.Path + `\` + info.Name
	}
	return to
}

func (i module) renameItem(ctx context.Context, c *interp.Call) error {
	all, _ := paths(c)
	return i.each(c, all, func(l location) error {
		if l.provider != fileSystem || strings.ContainsAny(c.String("NewName"), `\/`) {
			return unknown.New("Rename-Item %s to %s", l.asked, c.String("NewName"))
		}
		return i.filesAt(ctx, c, l, true, func(info ntfs.Info) error {
			return i.failed(ctx, c, info.Path, i.m.Files.Rename(info.Path, parent(info.Path)+`\`+c.String("NewName"), false))
		})
	})
}

func (i module) copyItem(ctx context.Context, c *interp.Call) error {
	return i.eachFile(ctx, c, func(info ntfs.Info) error {
		return i.failed(ctx, c, info.Path, i.copy(c, info, i.destination(c, info)))
	})
}

// copy copies a file, or a folder, with what is in it where that is asked for.
func (i module) copy(c *interp.Call, info ntfs.Info, to string) error {
	if !info.IsDir() {
		content, err := i.m.Files.ReadFile(info.Path)
		if err != nil {
			return err
		}
		if c.Bool("Force") {
			// A target that is read-only is replaced; one that is not there is no matter.
			_ = i.m.Files.SetAttributes(to, ntfs.Archive)
		}
		return i.m.Files.WriteFile(to, content)
	}
	if err := i.m.Files.Mkdir(to); err != nil || !c.Bool("Recurse") {
		return err
	}
	entries, err := i.m.Files.List(info.Path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := i.copy(c, entry, to+`\`+entry.Name); err != nil {
			return err
		}
	}
	return nil
}

func (i module) setItem(ctx context.Context, c *interp.Call) error {
	all, _ := paths(c)
	return i.atEach(ctx, c, all, byProvider{
		wsman: i.setSetting,
		environment: func(_ context.Context, c *interp.Call, l location) error {
			c.Session.Env.Set(l.path, value.String(c.Value("Value")))
			return nil
		},
	})
}
