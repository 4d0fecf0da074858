package mount

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/lines"
	"kinit/modules/internal/ownership"
)

// Mark is the kind of the mark of a mount by kinit; the ID is the path.
const Mark = "mount"

// fstab is the list of what is mounted at boot.
const fstab = "/etc/fstab"

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	var kept []module.Step
	var err error
	if t.Persistent {
		if kept, err = t.planKept(ctx, h); err != nil {
			return nil, err
		}
	}
	if !t.Mounted {
		return kept, ctx.Err()
	}
	now, there, err := mounted(ctx, h, t.Path)
	switch {
	case err != nil:
		return nil, err
	case !t.Absent():
		live, err := t.decide(now, there)
		return append(kept, live...), err
	case !there:
		return kept, nil
	}
	if err := ownership.Free(ctx, h, t.Path, "unmount it yourself if nothing needs it", Mark); err != nil {
		return nil, fmt.Errorf("mount %w", err)
	}
	return append(module.OneStep("unmount "+t.Path, t.unmount), kept...), nil
}

func (t *Task) planKept(ctx context.Context, h module.Host) ([]module.Step, error) {
	file := lines.File{Path: fstab, Attr: module.Attr{Mode: 0o644}, Replaces: true, Show: true}
	plan := func(ctx context.Context, h module.Host) ([]module.Step, error) {
		if t.Absent() {
			return file.PlanAbsent(ctx, h, "remove "+t.Path+" from "+fstab, func(have []string) []string {
				return slices.DeleteFunc(have, t.is)
			})
		}
		return file.Plan(ctx, h, "keep "+t.Path+" in "+fstab, t.withLine)
	}
	return module.Around(plan, func(ctx context.Context, h module.Host, step module.Step) error {
		if err := step.Do(ctx, h); err != nil {
			return err
		}
		return reload(ctx, h)
	})(ctx, h)
}

// reload makes systemd regenerate its mount units, if it runs.
func reload(ctx context.Context, h module.Host) error {
	there, err := hostfile.Exists(ctx, h, "/run/systemd/system")
	if err != nil || !there {
		return err
	}
	return module.Exec(ctx, h, "systemctl", "daemon-reload")
}

// is reports whether a line of fstab is for the mount point.
func (t *Task) is(line string) bool {
	f := strings.Fields(line)
	return len(f) >= 2 && !strings.HasPrefix(f[0], "#") && path.Clean(unescape(f[1])) == t.Path
}

// withLine returns the lines of fstab with the task's line, at the place of the first that
// it replaces: their order is the order of mounting.
func (t *Task) withLine(have []string) []string {
	fields := []string{escape(t.Source), escape(t.Path), t.FSType, escape(t.options()), fmt.Sprint(t.Dump), fmt.Sprint(t.Pass)}
	line := strings.Join(fields, " ")
	var out []string
	for _, one := range have {
		switch {
		case !t.is(one):
			out = append(out, one)
		case slices.Equal(strings.Fields(one), fields) && line != "":
			out, line = append(out, one), ""
		case line != "":
			out, line = append(out, line), ""
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// decide compares the mounted file system with the arguments.
func (t *Task) decide(now point, there bool) ([]module.Step, error) {
	switch {
	case !there:
		return module.OneStep(fmt.Sprintf("mount %s at %s", t.Source, t.Path), t.mount), nil
	case now.fstype == automount && t.FSType != automount: // mounted at the first access
		return nil, nil
	case !t.fits(now.fstype):
		return nil, fmt.Errorf("%s has %s of type %s mounted, want type %s: unmount it first, or choose another path",
			t.Path, now.source, now.fstype, t.FSType)
	}
	changes := differs(now.flags, t.Options)
	if len(changes) == 0 {
		return nil, nil
	}
	return module.OneStep(fmt.Sprintf("remount %s: %s", t.Path, strings.Join(changes, ", ")), t.remount), nil
}

// automount is the type of a mount point at which systemd mounts at the first access, and of what remains
// there below the file system.
const automount = "autofs"

// fits compares types. The kernel says "nfs4" for "nfs", and "fuse.x" for "fuse" and "x". Of some file
// systems, such as "ntfs-3g", it says no more than "fuse" or "fuseblk".
func (t *Task) fits(fstype string) bool {
	switch {
	case t.FSType == "auto" || t.FSType == "none" || t.bind():
		return true
	case fstype == "fuse" || fstype == "fuseblk":
		return true
	}
	return strings.HasPrefix(fstype, t.FSType) || strings.HasPrefix(strings.TrimPrefix(fstype, "fuse."), t.FSType)
}

// mount makes the folder and mounts, if another task has not done so since.
func (t *Task) mount(ctx context.Context, h module.Host) error {
	if _, there, err := mounted(ctx, h, t.Path); err != nil || there {
		return err
	}
	// Parents makes the folders above a path, so a name below the mount point is added.
	if err := hostfile.Parents(ctx, h, path.Join(t.Path, "x")); err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: Mark, ID: t.Path}); err != nil {
		return err
	}
	return module.Exec(ctx, h, "mount", "-t", t.FSType, "-o", t.options(), "--", t.Source, t.Path)
}

func (t *Task) remount(ctx context.Context, h module.Host) error {
	how := "remount,"
	if t.bind() {
		how = "remount,bind,"
	}
	return module.Exec(ctx, h, "mount", "-o", how+t.options(), "--", t.Path)
}

// unmount unmounts and removes the folders that kinit made, if they are empty.
func (t *Task) unmount(ctx context.Context, h module.Host) error {
	if err := ownership.Undo(ctx, h, module.Mark{Kind: Mark, ID: t.Path}, Undo); err != nil {
		return err
	}
	return hostfile.Prune(ctx, h, t.Path)
}

// Undo unmounts by a mark, the automount point below too: it would mount again. If nothing is mounted, it
// does nothing.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	_, there, err := mounted(ctx, h, mark.ID)
	if err != nil || !there {
		return err
	}
	if err := umount(ctx, h, mark.ID); err != nil {
		return err
	}
	below, _, err := mounted(ctx, h, mark.ID)
	if err != nil || below.fstype != automount {
		return err
	}
	return umount(ctx, h, mark.ID)
}

// inMemory reports whether unmounting loses files: the file system is in memory alone, and not empty.
func inMemory(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	now, there, err := mounted(ctx, h, mark.ID)
	if err != nil || !there || now.fstype != "tmpfs" && now.fstype != "ramfs" {
		return false, err
	}
	infos, err := h.Files().List(ctx, mark.ID)
	return len(infos) > 0, err
}

func umount(ctx context.Context, h module.Host, path string) error {
	return module.Exec(ctx, h, "umount", "--", path)
}
