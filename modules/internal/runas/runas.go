// Package runas runs programs that obey files of another user with that user's rights.
//
// What a user's files make such a program do, the user could have done alone. With the
// rights of root it would be the user who is root.
package runas

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"kinit/engine/module"
)

// User is whose rights a program gets. The zero User is the one who is logged in.
type User struct {
	UID, GID uint32
	Other    bool   // not the one who is logged in
	Name     string // for messages
}

// script becomes the user $1 of the group $2, with the home and the further groups that
// the host's accounts say, and runs the rest. A user who is not root becomes nobody else.
const script = `uid=$1 gid=$2; shift 2; cd /
HOME=$(getent passwd "$uid" | cut -d: -f6) groups=--init-groups
[ -n "$HOME" ] || HOME=/nonexistent groups=--clear-groups
export HOME
exec setpriv --reuid="$uid" --regid="$gid" "$groups" -- "$@"`

// Argv is the command that runs another one as the user.
func (u User) Argv(argv []string) []string {
	if !u.Other {
		return argv
	}
	return append([]string{"sh", "-c", script, "sh", id(u.UID), id(u.GID)}, argv...)
}

// Attr is the attributes of a file that is the user's.
func (u User) Attr(mode fs.FileMode) module.Attr {
	if !u.Other {
		return module.Attr{Mode: mode}
	}
	return module.Attr{Mode: mode, Owner: id(u.UID), Group: id(u.GID)}
}

func id(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// ErrMixed says that several users can change what a program obeys, one of them root's.
var ErrMixed = errors.New("it belongs to root, and another user can change the way to it")

// Of is the user of a folder: whoever is logged in when nobody else can change it, else
// its owner. Where there is no such folder, it is that of the nearest one above.
func Of(ctx context.Context, h module.Host, folder string) (User, error) {
	for {
		user, err := of(ctx, h, folder)
		if !errors.Is(err, fs.ErrNotExist) || folder == "/" {
			return user, err
		}
		folder = path.Dir(folder)
	}
}

func of(ctx context.Context, h module.Host, folder string) (User, error) {
	if folder == "/" {
		return User{}, nil
	}
	info, err := h.Files().Stat(ctx, folder)
	if err != nil {
		return User{}, err
	}
	inside, err := h.Files().Folder(ctx, path.Join(folder, "x"))
	if err != nil || inside.Closed {
		return User{}, err
	}
	if info.UID == 0 {
		return User{}, fmt.Errorf("%s: %w: give it to that user, or close the folders on the way to others", folder, ErrMixed)
	}
	return User{UID: info.UID, GID: info.GID, Other: true, Name: info.Owner}, nil
}
