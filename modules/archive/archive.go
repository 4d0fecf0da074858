// Package archive is the module "archive": a tar or zip file, on a host, of a folder
// of that host.
package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// Task is an archive of what is in a folder of the host.
//
// It is made anew when the folder has changed: when a name, type, mode, owner,
// group, size, time or link in it is another than when the archive was made, which
// <dest>.kinit-sum remembers. A file whose content changes while its size and time
// stay the same is not noticed. Entries are sorted, owners are numbers, and no time
// of its own goes in, so that the same folder gives the same bytes from the same
// programs. Sockets, pipes and devices are left out.
//
// The host needs GNU find and GNU tar with the compressor of the format, or zip.
//
// Outputs:
//   - path: the archive
//   - size: its bytes; 0 for an absent one
//
// Errors:
//   - source is no folder, or dest is in it
//   - dest exists, is not what source gives, and the cluster does not own it
//   - format is zip and another user can change source: zip would follow their links
//   - a file of source vanished or cannot be read while it is packed
//   - a program that is needed is not installed
type Task struct {
	// Source is the absolute path of the folder on the host. Needed unless state is
	// "absent". The archive has its content, not the folder itself.
	Source string `hcl:"source,optional"`
	// Dest is the absolute path of the archive on the host. Its folder must exist.
	Dest string `hcl:"dest"`
	// Format is "tar", "tar.gz", "tar.xz", "tar.zst" or "zip". Default: what dest
	// ends with; ".tgz" and ".txz" are known too.
	Format string `hcl:"format,optional"`
	// Exclude are patterns of the shell for paths below source, such as "*.log" or
	// "cache"; * matches slashes too. A folder that matches is left out with all in it.
	Exclude []string `hcl:"exclude,optional"`
	// Mode is the permission bits, such as "0600". Default: as they are, "0644" for a
	// new file.
	Mode string `hcl:"mode,optional"`
	// Owner is a user name or number. Default: as it is.
	Owner string `hcl:"owner,optional"`
	// Group is a group name or number. Default: as it is.
	Group string `hcl:"group,optional"`
	// State is "present" or "absent".
	State string `hcl:"state,optional"`
}

// Kind is the module "archive".
func Kind() module.Kind {
	return module.Kind{Name: "archive", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	if err := fileattr.CheckPath("dest", t.Dest); err != nil {
		return err
	}
	if err := t.want().Validate(); err != nil || t.State == "absent" {
		return err
	}
	if err := fileattr.CheckPath("source", t.Source); err != nil {
		return err
	}
	if strings.HasPrefix(t.Dest, t.Source+"/") {
		return fmt.Errorf("dest %s is in source %s, want it elsewhere: the archive would be in itself", t.Dest, t.Source)
	}
	if slices.Contains(t.Exclude, "") {
		return fmt.Errorf("exclude has an empty pattern, want paths below source such as \"*.log\"")
	}
	_, err := t.packer("")
	return err
}

func (t *Task) want() fileattr.Want {
	return fileattr.Want{Mode: t.Mode, Owner: t.Owner, Group: t.Group}
}

// Plan compares the folder with what the archive was made of.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.decideAbsent(h, s)
	}
	return t.decide(h, s)
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "size": cty.Number}
}

// Outputs looks at the archive.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	size := int64(0)
	if t.State == "present" {
		info, err := h.Files().Stat(ctx, t.Dest)
		if err != nil {
			return nil, err
		}
		size = info.Size
	}
	return map[string]cty.Value{"path": cty.StringVal(t.Dest), "size": cty.NumberIntVal(size)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
