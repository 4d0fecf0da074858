package hostfile

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"kinit/engine/module"
)

// mostLinks is how many links of a path are followed, as in Linux (man 7 path_resolution).
const mostLinks = 40

// othersMayWrite are the bits of a mode by which others than the owner change a file.
const othersMayWrite fs.FileMode = 0o022

// Rooted follows a path as Follow does, and refuses a file that others than root can change or
// replace: what it says would be done with root's rights.
func Rooted(ctx context.Context, h module.Host, name string) (string, module.FileInfo, error) {
	at, info, err := Follow(ctx, h, name)
	if err != nil {
		return "", info, err
	}
	folder, err := h.Files().Folder(ctx, at)
	if err != nil {
		return "", info, err
	}
	if info.UID != 0 || info.Mode.Perm()&othersMayWrite != 0 || !folder.Closed {
		return "", info, fmt.Errorf("users other than root can change it, so that it is not read: want owner root, a mode such as 0644, "+
			"and a folder that only root can change; it has owner %s and mode %04o", info.Owner, info.Mode.Perm())
	}
	return at, info, nil
}

// Regular follows a path as Follow does, to a regular file.
func Regular(ctx context.Context, h module.Host, name string) (string, module.FileInfo, error) {
	at, info, err := Follow(ctx, h, name)
	if err == nil && !info.Mode.IsRegular() {
		err = fmt.Errorf("%s is no regular file, want one file", name)
	}
	return at, info, err
}

// Follow describes the file to which a path leads, through links, and returns its path. It does
// not follow a link that another user can change: that user could have a file of root's read.
func Follow(ctx context.Context, h module.Host, name string) (string, module.FileInfo, error) {
	at := name
	for range mostLinks {
		info, err := h.Files().Stat(ctx, at)
		if err != nil || info.Mode&fs.ModeSymlink == 0 {
			return at, info, err
		}
		folder, err := h.Files().Folder(ctx, at)
		if err != nil {
			return "", info, err
		}
		if !folder.Closed {
			return "", info, fmt.Errorf("%s is a link in a folder that other users can change, and is not followed: give the path of the file itself", at)
		}
		at = info.Target
		if !path.IsAbs(at) {
			at = path.Join(folder.Path, at)
		}
	}
	return "", module.FileInfo{}, fmt.Errorf("%s leads through more than %d links, or in a circle", name, mostLinks)
}
