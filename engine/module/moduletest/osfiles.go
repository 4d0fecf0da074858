package moduletest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"kinit/engine/module"
)

// osFiles is the machine's own file system.
type osFiles struct{}

func (osFiles) Stat(ctx context.Context, path string) (module.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return module.FileInfo{}, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return module.FileInfo{}, err
	}
	return describe(path, info), nil
}

func describe(path string, info fs.FileInfo) module.FileInfo {
	out := module.FileInfo{Name: info.Name(), Size: info.Size(), Mode: info.Mode(), MTime: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		out.UID, out.GID = sys.Uid, sys.Gid
	}
	out.Owner = strconv.FormatUint(uint64(out.UID), 10)
	if u, err := user.LookupId(out.Owner); err == nil {
		out.Owner = u.Username
	}
	out.Group = strconv.FormatUint(uint64(out.GID), 10)
	if g, err := user.LookupGroupId(out.Group); err == nil {
		out.Group = g.Name
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		out.Target, _ = os.Readlink(path)
	}
	return out
}

func (osFiles) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return os.Open(path)
}

func (f osFiles) Write(ctx context.Context, path string, content io.Reader, attr module.Attr) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".kinit-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = io.Copy(temp, content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = f.SetAttr(ctx, temp.Name(), f.keep(ctx, path, attr))
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// keep fills the fields of attr that are to stay as they are, or the default of
// a new file.
func (f osFiles) keep(ctx context.Context, path string, attr module.Attr) module.Attr {
	old, err := f.Stat(ctx, path)
	if err != nil || !old.Mode.IsRegular() {
		old = module.FileInfo{Mode: 0o644}
	}
	if attr.Mode == 0 {
		attr.Mode = old.Mode.Perm()
	}
	if attr.Owner == "" {
		attr.Owner = old.Owner
	}
	if attr.Group == "" {
		attr.Group = old.Group
	}
	return attr
}

func (f osFiles) Mkdir(ctx context.Context, path string, attr module.Attr) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return f.SetAttr(ctx, path, attr)
}

func (osFiles) SetAttr(ctx context.Context, path string, attr module.Attr) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if attr.Owner != "" || attr.Group != "" {
		if err := chown(path, attr); err != nil {
			return err
		}
	}
	if attr.Mode != 0 {
		return os.Chmod(path, attr.Mode)
	}
	return nil
}

func chown(path string, attr module.Attr) error {
	uid, gid := -1, -1
	if attr.Owner != "" {
		id := attr.Owner
		if u, err := user.Lookup(attr.Owner); err == nil {
			id = u.Uid
		}
		n, err := strconv.Atoi(id)
		if err != nil {
			return user.UnknownUserError(attr.Owner)
		}
		uid = n
	}
	if attr.Group != "" {
		id := attr.Group
		if g, err := user.LookupGroup(attr.Group); err == nil {
			id = g.Gid
		}
		n, err := strconv.Atoi(id)
		if err != nil {
			return user.UnknownGroupError(attr.Group)
		}
		gid = n
	}
	return os.Lchown(path, uid, gid)
}

func (osFiles) Symlink(ctx context.Context, target, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return os.Symlink(target, path)
}

func (osFiles) Remove(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

func (osFiles) Rename(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (osFiles) List(ctx context.Context, path string) ([]module.FileInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var infos []module.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, describe(filepath.Join(path, entry.Name()), info))
	}
	return infos, nil
}

var _ module.Files = osFiles{}
