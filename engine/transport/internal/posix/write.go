package posix

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
)

// newFile is the default mode of a new file, as with a umask of 022.
const newFile fs.FileMode = 0o644

// ownersOnly is the mode of a new file until it has the access control list of an older one.
const ownersOnly fs.FileMode = 0o600

// othersRead is the permission bits by which users other than the owner read a file.
const othersRead fs.FileMode = 0o044

// tidyTime is how long the removal of a temporary file may take after the
// write's own context has ended.
const tidyTime = 5 * time.Second

// Write replaces a file's content atomically: random name in the same folder, owner and
// mode by the handle, content, fsync, rename. A link of that name is replaced, not
// followed. Values that attr does not set are taken from the older file, and so are its access
// control list, extended attributes, SELinux context and capabilities. It is an error if these
// cannot be set.
func (f *Files) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	p, err := f.find(ctx, "write", name, false)
	if err == nil && p.open != "" {
		p.info, p.there, err = f.seen(ctx, p.name)
	}
	if err != nil {
		return err
	}
	if p.there && p.info.Mode.IsDir() {
		return failed("write", p.asked, "it is a folder")
	}
	wanted, err := f.wanted(ctx, p, attr)
	if err != nil {
		return err
	}
	mode := octalOrNone(attr.Mode)
	if p.open != "" || f.exposed(p, wanted) {
		return f.writeByScript(ctx, p, content, wanted, mode)
	}
	return f.replace(ctx, p, content, wanted, mode)
}

// exposed reports whether others could open a new file, which they may not read, before it
// has its mode.
func (f *Files) exposed(p location, wanted NewFile) bool {
	return f.shared() && !f.fs.Private() && !p.private && wanted.Mode&othersRead != othersRead
}

// seen describes a path that other users may change at any time.
func (f *Files) seen(ctx context.Context, name string) (module.FileInfo, bool, error) {
	info, err := f.fs.Stat(ctx, name, false)
	if errors.Is(err, fs.ErrNotExist) {
		return info, false, nil
	}
	return info, err == nil, err
}

// wanted returns the properties of the new file.
func (f *Files) wanted(ctx context.Context, p location, attr module.Attr) (NewFile, error) {
	wanted := NewFile{Mode: permissions(attr.Mode), UID: -1, GID: -1}
	if p.there && p.info.Mode.IsRegular() {
		if wanted.Mode == 0 {
			wanted.Mode = permissions(p.info.Mode)
		}
		if f.users.path != "" {
			wanted.UID, wanted.GID = int64(p.info.UID), int64(p.info.GID)
		}
	}
	if wanted.Mode == 0 {
		wanted.Mode = newFile
	}
	return wanted, f.resolve(ctx, attr, &wanted.UID, &wanted.GID)
}

// resolve sets the numbers of the names in attr.
func (f *Files) resolve(ctx context.Context, attr module.Attr, uid, gid *int64) error {
	if attr.Owner != "" {
		id, err := f.users.id(ctx, f.fs, attr.Owner)
		if err != nil {
			return err
		}
		*uid = int64(id)
	}
	if attr.Group != "" {
		id, err := f.groups.id(ctx, f.fs, attr.Group)
		if err != nil {
			return err
		}
		*gid = int64(id)
	}
	return nil
}

// replace writes a file in a folder that others cannot change. It keeps the access control list and the
// extended attributes of an older file; until then, the new one is its owner's alone, because the bits
// of the group are the list's mask.
func (f *Files) replace(ctx context.Context, p location, content io.Reader, wanted NewFile, mode string) error {
	temporary := module.TemporaryName(p.name)
	keeps := f.exec != nil && p.there && p.info.Mode.IsRegular()
	if keeps {
		wanted.Mode = ownersOnly
	}
	err := f.fs.Create(ctx, temporary, wanted, content)
	if err == nil && keeps {
		err = f.script(ctx, "write", p.name, "keep", transport.Process{}, p.dir(), p.base(), path.Base(temporary), mode)
	}
	if err == nil {
		err = f.fs.Rename(ctx, temporary, p.name)
	}
	if err != nil {
		f.tidy(ctx, temporary)
		return named(err, p.name)
	}
	return nil
}

// named replaces the name of the temporary file in an error by that of the file.
func named(err error, name string) error {
	if about, ok := errors.AsType[*fs.PathError](err); ok && module.IsTemporaryName(path.Base(about.Path), name) {
		return &fs.PathError{Op: about.Op, Path: name, Err: about.Err}
	}
	return err
}

// largestMemory is how much of the content, in bytes, is read before it is sent. Shorter
// content is sent with the script, in one round trip.
const largestMemory = 24 << 10

// writeByScript first writes the file in a private folder beside the place, which others
// cannot reach. A random text after the content shows that it arrived completely.
func (f *Files) writeByScript(ctx context.Context, p location, content io.Reader, wanted NewFile, mode string) error {
	end := rand.Text()
	first, err := io.ReadAll(io.LimitReader(content, largestMemory))
	if err != nil {
		return err
	}
	input := io.Reader(bytes.NewReader(append(first, end...)))
	if len(first) == largestMemory {
		input = io.MultiReader(bytes.NewReader(first[:largestMemory]), Reader(ctx, content), strings.NewReader(end))
	}
	return f.script(ctx, "write", p.name, "write", transport.Process{Stdin: input},
		p.dir(), p.base(), stageName(p), owners(wanted.UID, wanted.GID), octal(wanted.Mode), end, mode)
}

// stageName returns the name of a private folder beside a place.
func stageName(p location) string { return path.Base(module.TemporaryName(p.name)) }

// owners returns an owner and a group for chown.
func owners(uid, gid int64) string {
	switch {
	case uid < 0 && gid < 0:
		return ""
	case uid < 0:
		return ":" + strconv.FormatInt(gid, 10)
	case gid < 0:
		return strconv.FormatInt(uid, 10)
	}
	return fmt.Sprintf("%d:%d", uid, gid)
}

// specials are the permission bits that Go has elsewhere than chmod.
var specials = []struct{ is, bit fs.FileMode }{
	{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000},
}

// octal returns a mode for chmod.
func octal(mode fs.FileMode) string {
	bits := mode.Perm()
	for _, special := range specials {
		if mode&special.is != 0 {
			bits |= special.bit
		}
	}
	return fmt.Sprintf("%04o", uint32(bits))
}

// tidy removes the remains of a failed write, without a fence. Its own error would hide the
// first one.
func (f *Files) tidy(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_ = f.fs.Through("").Remove(ctx, name)
}

// permissions keeps the permission bits of a mode. The octal 04000, 02000 and
// 01000, as chmod takes them, become Go's bits.
func permissions(mode fs.FileMode) fs.FileMode {
	bits := mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	for _, special := range specials {
		if mode&special.bit != 0 {
			bits |= special.is
		}
	}
	return bits
}
