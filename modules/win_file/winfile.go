// Package winfile is the module "win_file": a folder, a file or an absent path of a Windows
// host. The modules "win_copy" and "win_template" manage content.
package winfile

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

// Task is a folder, a file or an absent path of a Windows host. A missing
// folder is made with its parents, a missing file is made empty.
//
// An absent folder is removed with all its content. Files of Windows hosts are not marked:
// they are deleted with the host's disk.
//
// Errors:
//   - path is a file where a folder is requested, or the other way round
//   - the folder of a file is missing
//   - there is no account with the name of owner
type Task struct {
	// Path is the path with slashes, such as "C:/etc/app".
	Path string `hcl:"path"`
	// State is what the path should be.
	State string `hcl:"state,optional" enum:"directory,file,absent" default:"directory"`
	// Owner is the account that owns it, by name or SID. Names such as
	// "Administrators" differ between languages of Windows. Default: unchanged.
	Owner string `hcl:"owner,optional"`
	// Private limits access to the system and administrators, and ignores inherited access
	// rights; new files in a private folder are private too. Default
	// false, which does not change the access.
	Private bool `hcl:"private,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_file", OS: []module.OS{module.Windows}, Elsewhere: "file or directory"})
}

func (t *Task) want() winacl.Want { return winacl.Want{Owner: t.Owner, Private: t.Private} }

func (t *Task) Validate() error {
	if t.State == "absent" && t.want() != (winacl.Want{}) {
		return errors.New("owner and private are of what is there, want neither with state = \"absent\"")
	}
	return winpath.Check("path", t.Path)
}

// state is the current state of the path.
type state struct {
	File, Folder bool
	Access       winacl.Access
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := powershell.Read[state](ctx, h, winacl.Functions+readScript, t.want().Args(t.Path))
	if err != nil {
		return nil, err
	}
	return t.decide(s)
}

func (t *Task) decide(s state) ([]module.Step, error) {
	there := s.File || s.Folder
	changes := t.want().Diff(s.Access)
	switch {
	case t.State == "directory" && s.File:
		return nil, fmt.Errorf("%s is a file, want a folder or nothing there", t.Path)
	case t.State == "file" && s.Folder:
		return nil, fmt.Errorf("%s is a folder, want a file or nothing there", t.Path)
	case t.State == "absent" && !there, there && t.State != "absent" && len(changes) == 0:
		return nil, nil
	case t.State == "absent" && s.Folder:
		return module.OneStep("remove folder "+t.Path, t.remove), nil
	case t.State == "absent":
		return module.OneStep("remove "+t.Path, t.remove), nil
	case there:
		return module.OneStep("set "+t.Path+": "+strings.Join(changes, ", "), t.set), nil
	case t.State == "directory":
		return module.OneStep("create folder "+t.Path+t.want().Words(), t.create), nil
	}
	return module.OneStep("create "+t.Path+t.want().Words(), t.create), nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error { return h.Files().Remove(ctx, t.Path) }

func (t *Task) set(ctx context.Context, h module.Host) error { return t.want().Set(ctx, h, t.Path) }

// create makes the missing path. A file that was made meanwhile keeps its content.
func (t *Task) create(ctx context.Context, h module.Host) error {
	_, err := h.Files().Stat(ctx, t.Path)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case t.State == "directory":
		err = h.Files().Mkdir(ctx, t.Path, module.Attr{})
	default:
		err = h.Files().Write(ctx, t.Path, strings.NewReader(""), module.Attr{})
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder of %s is missing, make it with a win_file task before: %w", t.Path, err)
	}
	if err != nil {
		return err
	}
	return t.set(ctx, h)
}

type Outputs struct {
	Path string `cty:"path" arg:"path,content"` // the path
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Path: t.Path}, nil
}
