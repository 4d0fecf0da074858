// Package mount is the module "mount": a file system that is mounted, now and after a boot.
package mount

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
)

// Task is a mount point. An entry in /etc/fstab and a mounted file system
// are separate: persistent and mounted request them, and one that is not requested does not
// change.
//
// Of the options of a mounted file system, ro, nosuid, nodev, noexec, noatime,
// nodiratime and their opposites are compared, and a difference causes a remount;
// others take effect at the next mount. The source of a mounted file system is not
// compared, because one device has many names, but its type is. An automount point
// (x-systemd.automount) counts as mounted.
//
// Mounts, fstab entries and folders that kinit makes are marked;
// cleanup unmounts and removes them. Files in a file system in memory, such as tmpfs, are lost when it is
// unmounted, so a sweep without all does that only if --remove names the path. This module does not manage swap.
//
// Errors:
//   - mount or umount fails; the error has its message
//   - a file system of another type is mounted there
//   - a mounted file system should be absent and the cluster does not own it
//   - fstype is "swap": use a command task with swapon
type Task struct {
	// Path is the absolute path of the mount point. Missing folders are made.
	Path string `hcl:"path" path:"clean"`
	// Source is the mounted source, as in fstab: a device, "UUID=…", "server:/export",
	// or the name of a file system without device.
	Source string `hcl:"source,optional" nonempty:"want what to mount, such as \"/dev/vdb1\" or \"UUID=…\""`
	// FSType is the type, such as "ext4", "nfs" or "tmpfs".
	FSType string `hcl:"fstype,optional" default:"auto"`
	// Options are the options of mount. Default ["defaults"].
	Options []string `hcl:"options,optional"`
	// Dump is the fifth field of fstab. Default 0.
	Dump int `hcl:"dump,optional"`
	// Pass is the sixth field of fstab: the order of checks at boot, 0 for
	// never. Default 0.
	Pass int `hcl:"pass,optional"`
	// Persistent keeps the mount in /etc/fstab.
	Persistent bool `hcl:"persistent,optional" default:"true"`
	// Mounted mounts it now.
	Mounted bool `hcl:"mounted,optional" default:"true"`
	module.Presence
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "mount", Marks: []module.MarkKind{
		module.NewMarkKind(Mark, "mount", Undo, module.MarkTraits{Data: inMemory}),
	}})
}

func (t *Task) Validate() error {
	switch {
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

// bind reports whether the task is a bind mount, whose type is that of its source.
func (t *Task) bind() bool {
	return slices.Contains(t.Options, "bind") || slices.Contains(t.Options, "rbind")
}
