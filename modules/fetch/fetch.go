// Package fetch is the module "fetch": a file of a host, copied to the machine that kinit runs
// on.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
)

// Task is a file of the host that is copied to the machine kinit runs on.
//
// The copy there is no object of a cluster: cleanup leaves it. Hosts need a file each, as with
// dest = "fetched/${host.name}/token".
//
// Errors:
//   - the file is missing on the host, and optional is not set
//   - source is no regular file, or dest is a folder, a link, a device or a pipe
//   - dest has the host's name in it, and that leads to another folder, as "../web" does
//   - the file changes while it is copied
//   - kinit may not write dest
type Task struct {
	// Source is the absolute path of the file on the host. Links are followed.
	Source string `hcl:"source" path:"clean"`
	// Dest is the file on the machine kinit runs on: an absolute path, one that begins with
	// "~/", or one relative to path.cwd: the folder in which kinit was started, of a job that of its
	// file. Missing folders are made.
	Dest string `hcl:"dest" nonempty:"want the file on the machine that kinit runs on"`
	// Mode is the permission bits of dest.
	Mode string `hcl:"mode,optional" default:"0600"`
	// Optional makes it no error if the file is missing on the host.
	Optional bool `hcl:"optional,optional"`

	cwd, home string // of this machine, as From sets them
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "fetch"})
}

func (t *Task) Validate() error {
	if strings.HasSuffix(t.Dest, "/") {
		return fmt.Errorf("dest is %q, want the path of a file, such as \"%s${host.name}/%s\"", t.Dest, t.Dest, filepath.Base(t.Source))
	}
	if strings.HasPrefix(t.Dest, "~") && !strings.HasPrefix(t.Dest, "~/") {
		return fmt.Errorf("dest is %q, want \"~/\" for your home folder", t.Dest)
	}
	_, err := fileattr.ParseMode(t.Mode)
	return err
}

func (t *Task) dest() (string, error) {
	if strings.HasPrefix(t.Dest, "~/") && t.home == "" {
		return "", errors.New("dest: your home folder is not known: set HOME, or give an absolute path")
	}
	dest := shell.ExpandHome(t.Dest, t.home)
	if filepath.IsAbs(dest) || t.cwd == "" {
		return filepath.Abs(dest)
	}
	return filepath.Join(t.cwd, dest), nil
}

// From implements module.Here.
func (t *Task) From(cwd, home string) { t.cwd, t.home = cwd, home }

// source describes the file on the host; an optional one that is missing has no name.
func (t *Task) source(ctx context.Context, h module.Host) (string, module.FileInfo, error) {
	at, info, err := hostfile.Regular(ctx, h, t.Source)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Optional:
		return "", info, nil
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s does not exist on %s: set optional = true if it may be missing", t.Source, h.Name())
	}
	return at, info, err
}

// checkName refuses a host's name, which an inventory can have from others, that leads out of the
// folder that the playbook means.
func (t *Task) checkName(name string) error {
	elements := strings.Split(name, "/")
	leads := strings.HasPrefix(name, "/") || slices.Contains(elements, "..")
	if leads && strings.Contains(t.Dest, name) {
		return fmt.Errorf("dest has the name of the host %q, which leads to another folder: name the host otherwise in the inventory, or use another dest", name)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if err := t.checkName(h.Name()); err != nil {
		return nil, err
	}
	at, info, err := t.source(ctx, h)
	if err != nil || at == "" {
		return nil, err
	}
	dest, err := t.dest()
	if err != nil {
		return nil, err
	}
	here, there, err := t.local(ctx, dest)
	if err != nil {
		return nil, err
	}
	mode, _ := fileattr.ParseMode(t.Mode) // Validate reports errors
	is, err := same(ctx, h, at, info, dest, here, there)
	switch {
	case err != nil:
		return nil, err
	case !is:
		return module.OneStep(fmt.Sprintf("fetch %s to %s", t.Source, t.Dest), t.fetch), nil
	case here.Mode.Perm() != mode:
		return module.OneStep(fmt.Sprintf("set %s: mode %04o to %04o", t.Dest, here.Mode.Perm(), mode), func(ctx context.Context, _ module.Host) error {
			return setMode(ctx, dest, mode)
		}), nil
	}
	return nil, nil
}

// local describes the copy, if there is one.
func (t *Task) local(ctx context.Context, dest string) (info module.FileInfo, there bool, err error) {
	err = onThisMachine(ctx, func(files module.Files) error {
		info, err = files.Stat(ctx, dest)
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return info, false, nil
	case err == nil && info.Mode.IsDir():
		return info, false, fmt.Errorf("dest is %s, which is a folder here, want a file or nothing there", t.Dest)
	case err == nil && !info.Mode.IsRegular():
		return info, false, fmt.Errorf("dest is %s, which is a link, a device or a pipe here: name a regular file", t.Dest)
	}
	return info, err == nil, err
}

type Outputs struct {
	Path   string `cty:"path"`   // the absolute path of the copy
	SHA256 string `cty:"sha256"` // its checksum, in hex; empty if there is none
	Size   int64  `cty:"size"`   // its bytes
}

func (t *Task) Outputs(ctx context.Context, _ module.Host) (Outputs, error) {
	dest, err := t.dest()
	if err != nil {
		return Outputs{}, err
	}
	sum, size, err := sumHere(ctx, dest)
	if errors.Is(err, fs.ErrNotExist) {
		return Outputs{Path: dest}, nil
	}
	return Outputs{Path: dest, SHA256: sum, Size: size}, err
}
