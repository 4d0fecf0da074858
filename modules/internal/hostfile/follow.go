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
