package windows

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"sort"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/transport"
)

// Files is module.Files by scripts alone, for a transport that has nothing but
// commands. Each call starts a process on the machine.
type Files struct {
	exec   Exec
	change Exec // for what changes something
}

var _ module.Files = (*Files)(nil)

// New returns the files of a machine. They are safe for use by several goroutines if
// exec is.
func New(exec Exec) *Files { return &Files{exec: exec, change: exec} }

// described is a file as scripts describe it.
type described struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Size     int64  `json:"size"`
	Ticks    int64  `json:"ticks"`
	ReadOnly bool   `json:"readonly"`
	Target   string `json:"target"`
}

// unixTicks is 1970 in .NET's ticks, which are 100 ns since the year 1.
const unixTicks = 621_355_968_000_000_000

func (d described) info() module.FileInfo {
	since := d.Ticks - unixTicks
	return module.FileInfo{
		Name: d.Name, Size: d.Size, Target: Near(d.Target), MTime: time.Unix(since/1e7, since%1e7*100),
		Mode: Mode(map[string]fs.FileMode{"folder": fs.ModeDir, "link": fs.ModeSymlink}[d.Kind], d.ReadOnly),
	}
}

// Mode is what Stat returns for a file of a type.
func Mode(kind fs.FileMode, readOnly bool) fs.FileMode {
	switch {
	case kind != 0:
		return kind | 0o777
	case readOnly:
		return 0o444
	}
	return 0o666
}

// Stat describes a file and does not follow a link.
func (f *Files) Stat(ctx context.Context, name string) (module.FileInfo, error) {
	name, err := Clean("stat", name)
	if err != nil {
		return module.FileInfo{}, err
	}
	var d described
	if err := f.exec.again(ctx, "stat", name, map[string]string{"path": name}, &d); err != nil {
		return module.FileInfo{}, err
	}
	info := d.info()
	info.Name = path.Base(name)
	return info, nil
}

// List describes what is in a folder, by name.
func (f *Files) List(ctx context.Context, name string) ([]module.FileInfo, error) {
	name, err := Clean("list", name)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Items []described `json:"items"`
	}
	if err := f.exec.again(ctx, "list", name, map[string]string{"path": name}, &answer); err != nil {
		return nil, err
	}
	infos := lists.Map(answer.Items, described.info)
	sort.Slice(infos, func(i, j int) bool { return infos[i].Name < infos[j].Name })
	return infos, nil
}

// Mkdir makes a folder and its missing parents; attr is for the last one.
func (f *Files) Mkdir(ctx context.Context, name string, attr module.Attr) error {
	name, err := Clean("mkdir", name)
	if err != nil {
		return err
	}
	if err := f.change.again(ctx, "mkdir", name, map[string]string{"path": name}, nil); err != nil {
		return err
	}
	return f.change.SetAccess(ctx, name, attr, true)
}

// SetAttr sets the owner, and closes a folder to others.
func (f *Files) SetAttr(ctx context.Context, name string, attr module.Attr) error {
	name, err := Clean("chmod", name)
	if err != nil {
		return err
	}
	if err := f.change.SetAccess(ctx, name, attr, true); err != nil || asks(attr, true) {
		return err
	}
	_, err = f.Stat(ctx, name) // nothing to do, but for a file that is missing
	return err
}

// Symlink makes path a link to target, replacing an older link.
func (f *Files) Symlink(ctx context.Context, target, name string) error {
	return f.change.Symlink(ctx, target, name)
}

// Remove deletes a file, a link, or a folder with all in it. Nothing there is no
// error.
func (f *Files) Remove(ctx context.Context, name string) error {
	name, err := CleanRemovable(name)
	if err != nil {
		return err
	}
	return f.change.Remove(ctx, name)
}

// Rename moves a file within a drive, replacing the target.
func (f *Files) Rename(ctx context.Context, from, to string) error {
	from, err := Clean("rename", from)
	if err != nil {
		return err
	}
	if to, err = Clean("rename", to); err != nil {
		return err
	}
	return f.change.call(ctx, "rename", from, map[string]string{"from": from, "to": to}, nil)
}

// again calls a script that may run twice: once more when the connection was lost.
func (x Exec) again(ctx context.Context, op, path string, arguments, result any) error {
	err := x.call(ctx, op, path, arguments, result)
	if ctx.Err() == nil && lost(err) {
		return x.call(ctx, op, path, arguments, result)
	}
	return err
}

// Remove deletes a file, a link, or a folder with all in it, by a script that knows
// links. The path is clean.
func (x Exec) Remove(ctx context.Context, name string) error {
	err := x.again(ctx, "remove", name, map[string]string{"path": name}, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func lost(err error) bool {
	return errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrIncomplete)
}

// Open reads a file as it is at this moment.
func (f *Files) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	name, err := Clean("open", name)
	if err != nil {
		return nil, err
	}
	file, err := open(ctx, f.exec, name)
	if ctx.Err() == nil && lost(err) {
		return open(ctx, f.exec, name)
	}
	return file, err
}

// Folder finds the folder of a path.
func (f *Files) Folder(ctx context.Context, name string) (module.Folder, error) {
	return Folder(ctx, name)
}
