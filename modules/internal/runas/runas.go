// Package runas runs programs that obey files of another user with that user's rights.
//
// Those files can make the program do only what the user could do anyway. With the
// rights of root, the user would gain root's rights.
package runas

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"kinit/engine/module"
)

// User is the user that a program runs as. The zero User is the login.
type User struct {
	UID, GID uint32
	Other    bool   // not the login
	Name     string // for messages
}

// script becomes the user $1 of the group $2, with the home and the further groups from
// the host's accounts, and runs the rest. A user who is not root cannot become another.
//
//go:embed become.sh
var script string

// Argv returns the command that runs another one as the user.
func (u User) Argv(argv []string) []string {
	if !u.Other {
		return argv
	}
	return append([]string{"sh", "-c", script, "sh", fmt.Sprint(u.UID), fmt.Sprint(u.GID)}, argv...)
}

// Attr returns the attributes of a file that belongs to the user.
func (u User) Attr(mode fs.FileMode) module.Attr {
	if !u.Other {
		return module.Attr{Mode: mode}
	}
	return module.Attr{Mode: mode, Owner: fmt.Sprint(u.UID), Group: fmt.Sprint(u.GID)}
}

// ErrMixed means that several users, one of them root, can change files that a program obeys.
var ErrMixed = errors.New("it belongs to root, and another user can change the way to it")

// Of returns the user for a folder: the login if no other user can change it, else
// its owner. For a missing folder, the nearest existing one above it counts.
func Of(ctx context.Context, h module.Host, folder string) (User, error) {
	for ; folder != "/"; folder = path.Dir(folder) {
		info, err := h.Files().Stat(ctx, folder)
		inside := module.Folder{}
		if err == nil {
			inside, err = h.Files().Folder(ctx, path.Join(folder, "x"))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil || inside.Closed:
			return User{}, err
		case info.UID == 0:
			return User{}, fmt.Errorf("%s: %w: give it to that user, or close the folders on the way to others", folder, ErrMixed)
		}
		return User{UID: info.UID, GID: info.GID, Other: true, Name: info.Owner}, nil
	}
	return User{}, nil
}

// othersMayWrite is the permission bits that let users other than the owner change a file.
const othersMayWrite fs.FileMode = 0o022

// Closed reports whether only the owner of a file's folder can change the file. A missing file is as its folder.
func Closed(ctx context.Context, h module.Host, file string) (bool, error) {
	inside, err := h.Files().Folder(ctx, file)
	if err != nil {
		return false, err
	}
	dir, err := h.Files().Stat(ctx, path.Dir(file))
	if err != nil {
		return false, err
	}
	info, err := h.Files().Stat(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = dir, nil
	}
	return err == nil && inside.Closed && info.UID == dir.UID && info.Mode&othersMayWrite == 0, err
}
