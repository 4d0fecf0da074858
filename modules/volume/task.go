// Package volume is the module "libvirt_volume": a qcow2 image in a folder of the
// host, empty or on top of a base image.
//
// Images are plain files, made by qemu-img, and no volumes of a libvirt storage
// pool: those have no place for a mark either, their pools must be defined and
// refreshed, and domains need only the path.
package volume

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/size"
)

// Task is a qcow2 disk image, empty or on top of a base image. An image that the
// cluster did not make is never touched.
//
// Outputs:
//   - path: the image
//   - size_bytes: what the guest sees, in bytes; 0 for an absent one
//
// Errors:
//   - the base image does not exist, or is larger than size
//   - an image is there with another format or base, or larger than size: remove it to
//     make it anew
//   - the cluster does not own the image
//   - the domain runs and the image is to grow
type Task struct {
	// Name is the file's name without ".qcow2": letters, digits, '.', '-' and '_'.
	Name string `hcl:"name"`
	// State is "present" or "absent". Default "present".
	State string `hcl:"state,optional"`
	// Dir is the absolute path of the folder, which must exist. Default
	// "/var/lib/libvirt/images".
	Dir string `hcl:"dir,optional"`
	// Backing is the absolute path of a base image of any format that qemu-img
	// knows. It must stay as it is as long as the volume exists. Default: none,
	// the volume is empty.
	Backing string `hcl:"backing,optional"`
	// Size is what the guest sees, such as "25GiB". A volume whose domain is
	// stopped can grow; it never shrinks. Default: that of the base image; needed
	// without one.
	Size string `hcl:"size,optional"`
}

// Kind is the module "libvirt_volume".
func Kind() module.Kind {
	return module.Kind{Name: "libvirt_volume", New: func() module.Task {
		return &Task{State: "present", Dir: "/var/lib/libvirt/images"}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(t.Name) {
		return fmt.Errorf("name %q: expected letters, digits, '.', '-' and '_'", t.Name)
	}
	if t.State != "present" && t.State != "absent" {
		return fmt.Errorf("state %q: expected \"present\" or \"absent\"", t.State)
	}
	if !path.IsAbs(t.Dir) {
		return fmt.Errorf("dir %q: expected an absolute path", t.Dir)
	}
	if t.Backing != "" && !path.IsAbs(t.Backing) {
		return fmt.Errorf("backing %q: expected an absolute path", t.Backing)
	}
	if t.Size == "" && t.Backing == "" && t.State == "present" {
		return errors.New("size is empty: expected a size such as \"25GiB\", or a backing image")
	}
	_, err := t.bytes()
	return err
}

func (t *Task) path() string { return path.Join(t.Dir, t.Name+".qcow2") }

// bytes is the wanted size, 0 for that of the base image.
func (t *Task) bytes() (int64, error) {
	if t.Size == "" {
		return 0, nil
	}
	n, err := size.Parse(t.Size)
	if err != nil {
		return 0, fmt.Errorf("size: %w", err)
	}
	return n, nil
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"path": cty.String, "size_bytes": cty.Number}
}

// Outputs reads the values.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	have, err := inspect(ctx, h, t.path())
	if err != nil {
		return nil, err
	}
	return map[string]cty.Value{
		"path":       cty.StringVal(t.path()),
		"size_bytes": cty.NumberIntVal(have.Size),
	}, nil
}

var _ module.Outputter = (*Task)(nil)
var _ module.Validator = (*Task)(nil)
