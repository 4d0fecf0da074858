// Package mount is the module "mount": a file system that is mounted, and mounted
// again after a boot.
package mount

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
)

// Task is a mount point. That it stands in /etc/fstab and that it is mounted now
// are two facts, which persistent and mounted ask for; a fact that is not asked for
// is left as it is.
//
// Of the options of a mounted file system, ro, nosuid, nodev, noexec, noatime,
// nodiratime and their opposites are compared, and a difference leads to a remount;
// others take effect at the next mount. The source of a mounted file system is not
// compared, as one device has many names, but its type is.
//
// What kinit mounts, adds to fstab, and the folders it makes for that, are marked;
// cleanup unmounts and removes them. Swap is not a matter of this module.
//
// Errors:
//   - mount or umount fails; its message is told
//   - a file system of another type is mounted there
//   - one is to be absent that is mounted and the cluster does not own
//   - fstype is "swap": use a command task with swapon
type Task struct {
	// Path is the absolute path of the mount point. Missing folders are made.
	Path string `hcl:"path"`
	// Source is what is mounted, as in fstab: a device, "UUID=…", "server:/export",
	// or the name of a file system without device.
	Source string `hcl:"source,optional"`
	// FSType is the type, such as "ext4", "nfs" or "tmpfs". Default "auto".
	FSType string `hcl:"fstype,optional"`
	// Options are the options of mount. Default ["defaults"].
	Options []string `hcl:"options,optional"`
	// Dump is the fifth field of fstab. Default 0.
	Dump int `hcl:"dump,optional"`
	// Pass is the sixth field of fstab: in which turn it is checked at boot, 0 for
	// never. Default 0.
	Pass int `hcl:"pass,optional"`
	// Persistent keeps the mount in /etc/fstab. Default true.
	Persistent bool `hcl:"persistent,optional"`
	// Mounted mounts it now. Default true.
	Mounted bool `hcl:"mounted,optional"`
	// State is "present" or "absent", for both facts. Default "present".
	State string `hcl:"state,optional"`
}

// Kind is the module "mount".
func Kind() module.Kind {
	return module.Kind{Name: "mount", New: func() module.Task {
		return &Task{FSType: "auto", Persistent: true, Mounted: true, State: "present"}
	}}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if err := fileattr.CheckPath("path", t.Path); err != nil {
		return err
	}
	if err := fileattr.CheckState(t.State, "present", "absent"); err != nil {
		return err
	}
	switch {
	case t.Source == "" && t.State == "present":
		return errors.New("source is empty, want what to mount, such as \"/dev/vdb1\" or \"UUID=…\"")
	case strings.ContainsAny(t.Source+t.Path, "\r\n"):
		return errors.New("source or path has a line break, want one line")
	case strings.HasPrefix(t.Source, "-"):
		return fmt.Errorf("source is %q, want what to mount, such as \"/dev/vdb1\"", t.Source)
	case t.FSType == "swap":
		return errors.New("fstype is \"swap\", which is not mounted: use a command task with swapon")
	case t.FSType == "" || strings.ContainsAny(t.FSType, " \t\r\n,"):
		return fmt.Errorf("fstype is %q, want one such as \"ext4\"", t.FSType)
	case t.Dump < 0 || t.Pass < 0:
		return errors.New("dump or pass is negative, want 0 or more")
	case !t.Persistent && !t.Mounted:
		return errors.New("nothing is asked for, want persistent or mounted")
	}
	for _, option := range t.Options {
		if option == "" || strings.ContainsAny(option, " \t\r\n,") {
			return fmt.Errorf("options has %q, want each option of its own, without blanks and commas", option)
		}
	}
	return nil
}

// options are those of the arguments, as mount takes them.
func (t *Task) options() string {
	if len(t.Options) == 0 {
		return "defaults"
	}
	return strings.Join(t.Options, ",")
}

// bind tells whether a folder is mounted once more, which has its own type.
func (t *Task) bind() bool {
	return slices.Contains(t.Options, "bind") || slices.Contains(t.Options, "rbind")
}

var _ module.Validator = (*Task)(nil)
