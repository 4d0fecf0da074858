// Package volume is the module "libvirt_volume": a qcow2 image in a folder of the
// host, empty or on top of a base image.
//
// Images are plain files that qemu-img makes, not volumes of a libvirt storage
// pool: those cannot store a mark either, their pools must be defined and
// refreshed, and domains need only the path.
package volume

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"

	"kinit/engine/module"
	"kinit/engine/size"
	"kinit/modules/internal/pathmark"
	"kinit/modules/internal/virt"
)

// Task is a qcow2 disk image, empty or on top of a base image. An image that the
// cluster did not make is never touched.
//
// Errors:
//   - the base image does not exist, or is larger than size
//   - an existing image has another format or base, or is larger than size: remove it to
//     recreate it
//   - the cluster does not own the image
//   - the image must grow while its domain runs
type Task struct {
	// Name is the file's name without ".qcow2": letters, digits, '.', '-' and '_'.
	Name string `hcl:"name"`
	module.Presence
	// Dir is the absolute path of the folder, which must exist.
	Dir string `hcl:"dir,optional" default:"/var/lib/libvirt/images"`
	// Backing is the absolute path of a base image in any format that qemu-img
	// supports. It must not change while the volume exists. Default: none,
	// the volume is empty.
	Backing string `hcl:"backing,optional"`
	// Size is the disk's size for the guest, such as "25GiB". A volume whose domain is
	// stopped can grow; it never shrinks. Default: the size of the base image; needed
	// without one.
	Size string `hcl:"size,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "libvirt_volume", Marks: []module.MarkKind{
		module.NewMarkKind(virt.VolumeKind, "volume", pathmark.Remove, module.MarkTraits{LastResort: true, Data: func(context.Context, module.Host, module.Mark) (bool, error) { return true, nil }}),
	}})
}

var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (t *Task) Validate() error {
	if !volumeName.MatchString(t.Name) {
		return fmt.Errorf("name %q: expected letters, digits, '.', '-' and '_'", t.Name)
	}
	if !path.IsAbs(t.Dir) {
		return fmt.Errorf("dir %q: expected an absolute path", t.Dir)
	}
	if t.Backing != "" && !path.IsAbs(t.Backing) {
		return fmt.Errorf("backing %q: expected an absolute path", t.Backing)
	}
	if t.Size == "" && t.Backing == "" && !t.Absent() {
		return errors.New("size is empty: expected a size such as \"25GiB\", or a backing image")
	}
	_, err := t.bytes()
	return err
}

func (t *Task) path() string { return path.Join(t.Dir, t.Name+".qcow2") }

// sector is what the size of an image is a multiple of; QEMU rounds up to it.
const sector = 512

// bytes returns the wanted size, 0 for the size of the base image.
func (t *Task) bytes() (int64, error) {
	if t.Size == "" {
		return 0, nil
	}
	n, err := size.Parse(t.Size)
	if err != nil {
		return 0, fmt.Errorf("size: %w", err)
	}
	return (n + sector - 1) / sector * sector, nil
}

type Outputs struct {
	Path      string `cty:"path"`       // the image
	SizeBytes int64  `cty:"size_bytes"` // the disk's size for the guest, in bytes; 0 for an absent one
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := inspect(ctx, h, t.path())
	if err != nil {
		return Outputs{}, err
	}
	return Outputs{Path: t.path(), SizeBytes: have.Size}, nil
}
