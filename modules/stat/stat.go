// Package stat is the module "stat": what a path of a host is.
package stat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// Task reads what a path of the host is, and changes nothing. A missing path is no error.
//
// Errors:
//   - follow is set, and the path leads in a circle or through a link that other users can
//     change
//   - the program that computes checksum is not installed
type Task struct {
	// Path is the absolute path.
	Path string `hcl:"path" path:"clean"`
	// Follow describes what a link leads to in place of the link. A link to nothing then does
	// not exist.
	Follow bool `hcl:"follow,optional"`
	// Checksum is the algorithm of the checksum to compute of a regular file. Default: none is
	// computed.
	Checksum string `hcl:"checksum,optional" enum:"sha256,sha512,sha1,md5"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "stat", Reads: true})
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

type Outputs struct {
	Exists   bool   `cty:"exists"`   // whether there is something at the path
	Path     string `cty:"path"`     // the path, or with follow the one it leads to
	Type     string `cty:"type"`     // "file", "directory", "link", "other", or empty if nothing exists
	Mode     string `cty:"mode"`     // the permission bits, such as "0644"; with the set-user-ID bit "4755"
	Owner    string `cty:"owner"`    // the user's name, or the number as text without a name
	Group    string `cty:"group"`    // the group's name, or the number as text without a name
	UID      int64  `cty:"uid"`      // the user's number
	GID      int64  `cty:"gid"`      // the group's number
	Size     int64  `cty:"size"`     // bytes
	MTime    string `cty:"mtime"`    // when it was last changed, in UTC, such as "2026-01-31T12:00:00Z"; empty if nothing exists
	Checksum string `cty:"checksum"` // of a regular file, in hex; empty without the argument
	Target   string `cty:"target"`   // what a link has in it; empty for others
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	at, info, err := t.Path, module.FileInfo{}, error(nil)
	if t.Follow {
		at, info, err = hostfile.Follow(ctx, h, t.Path)
	} else {
		info, err = h.Files().Stat(ctx, t.Path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Outputs{Path: t.Path}, nil
	}
	if err != nil {
		return Outputs{}, err
	}
	out := describe(info)
	out.Path = at
	if t.Checksum != "" && info.Mode.IsRegular() {
		out.Checksum, err = content.Sum(ctx, h, t.Checksum, at)
	}
	return out, err
}

// describe needs no host.
func describe(info module.FileInfo) Outputs {
	return Outputs{
		Exists: true, Type: kind(info.Mode), Mode: fmt.Sprintf("%04o", bits(info.Mode)),
		Owner: info.Owner, Group: info.Group, UID: int64(info.UID), GID: int64(info.GID),
		Size: info.Size, MTime: info.MTime.UTC().Format(time.RFC3339), Target: info.Target,
	}
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

// bits returns the mode as chmod writes it (man 7 inode).
func bits(mode fs.FileMode) uint32 {
	n := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			n |= bit
		}
	}
	return n
}
