package windows

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/module"
)

// SetAccess does what Attr can mean on Windows: the owner, and for a folder that only
// its owner may enter, that others may not. Without either it does nothing. The path is
// clean.
func (x Exec) SetAccess(ctx context.Context, name string, attr module.Attr, folder bool) error {
	if err := CheckAttr("chmod", name, attr); err != nil {
		return err
	}
	if !asks(attr, folder) {
		return nil
	}
	return x.call(ctx, "access", name, map[string]any{"path": name, "owner": attr.Owner, "private": folder && private(attr)}, nil)
}

// asks reports whether there is anything to set.
func asks(attr module.Attr, folder bool) bool { return attr.Owner != "" || folder && private(attr) }

// private reports whether a mode gives nothing to others than the owner.
func private(attr module.Attr) bool { return attr.Mode != 0 && attr.Mode&0o077 == 0 }

// CheckAttr says what of an Attr cannot be had on Windows.
func CheckAttr(op, name string, attr module.Attr) error {
	if attr.Group != "" {
		return pathError(op, name, errors.New("files on Windows have no group to set"))
	}
	if strings.ContainsAny(attr.Owner, "\"\r\n") {
		return pathError(op, name, errors.New("the name of the owner has characters that no name has"))
	}
	return nil
}

// Symlink makes path a link to target, which must be absolute and be there, replacing an
// older link.
func (x Exec) Symlink(ctx context.Context, target, name string) error {
	name, err := Clean("symlink", name)
	if err != nil {
		return err
	}
	if target, err = Clean("symlink", target); err != nil {
		return err
	}
	return x.call(ctx, "symlink", name, map[string]string{"path": name, "target": target}, nil)
}

// Near is a path of Windows, or of OpenSSH's SFTP server for it, as kinit writes it.
func Near(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if len(name) > 2 && name[0] == '/' && name[2] == ':' {
		return name[1:]
	}
	return name
}
