// Package archive is the module "archive": it packs a folder of a host into a tar or zip
// file on that host.
package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/fileattr"
)

// Task is an archive of the content of a folder on the host.
//
// It is recreated when a name, type, mode, owner, group, size, time or link in the folder
// differs from the record in <dest>.kinit-sum. A file whose content changes while its size
// and time remain the same is not noticed. Entries are sorted, owners are numbers, and the
// archive contains no time of its creation, so that the same folder and the same programs
// give the same bytes. Sockets, pipes and devices are left out.
//
// The host needs GNU find and GNU tar with the compressor of the format, or zip.
//
// Errors:
//   - source is not a folder, or dest is in it
//   - dest exists with other content, and the cluster does not own it
//   - format is zip and another user can change source: zip would follow their links
//   - a file of source vanished or cannot be read while it is packed
//   - a required program is not installed
type Task struct {
	// Source is the absolute path of the folder on the host. Needed unless state is
	// "absent". The archive contains the folder's content, not the folder itself.
	Source string `hcl:"source,optional" path:"clean"`
	// Dest is the absolute path of the archive on the host. Its folder must exist.
	Dest string `hcl:"dest" path:"clean"`
	// Format is "tar", "tar.gz", "tar.xz", "tar.zst" or "zip". Default: by the ending of
	// dest; ".tgz" and ".txz" are also known.
	Format string `hcl:"format,optional"`
	// Exclude are shell patterns for paths below source, such as "*.log" or "cache"; * also
	// matches slashes. A matching folder is left out with all its content.
	Exclude []string `hcl:"exclude,optional"`
	fileattr.Want
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "archive"})
}

func (t *Task) Validate() error {
	if err := t.Want.Validate(); err != nil || t.Absent() {
		return err
	}
	if t.Source == "" {
		return errors.New("source is empty, want an absolute path")
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

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return checksum.PlanAbsent(h, t.Dest, s.exists, s.ours, s.leftover)
	}
	return t.decide(h, s)
}

type Outputs struct {
	Path string `cty:"path" arg:"dest,content"` // the archive
	Size int64  `cty:"size"`                    // its bytes; 0 for an absent one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	size := int64(0)
	if !t.Absent() {
		info, err := h.Files().Stat(ctx, t.Dest)
		if err != nil {
			return Outputs{}, err
		}
		size = info.Size
	}
	return Outputs{Path: t.Dest, Size: size}, nil
}
