package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"kinit/engine/module"
	"kinit/engine/textdiff"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// backupSuffix is the suffix of the backup of the file from before kinit.
const backupSuffix = ".kinit-backup"

// File is a file with its wanted content.
type File struct {
	Path     string
	Source   Source
	Want     fileattr.Want
	Backup   bool     // save the file from before kinit beside the file
	Validate []string // a command that checks the new content; %s is its path
	Secret   bool     // never show the content
	Advice   string   // what to do about a foreign file; by default to set backup
	Edited   *string  // the text that the content is an edit of; nil for a whole file

	absent bool
}

// Check returns the mistake in the arguments that all files share.
func (f File) Check() error {
	if err := module.CheckPath("dest", f.Path); err != nil {
		return err
	}
	if len(f.Validate) > 0 && !strings.Contains(strings.Join(f.Validate, "\n"), "%s") {
		return errors.New("validate names no file, want %s where the file's path belongs")
	}
	return f.Want.Validate()
}

func (f File) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := f.read(ctx, h)
	if err != nil {
		return nil, err
	}
	return f.decide(h, s)
}

// decide compares without looking at the host.
func (f File) decide(h module.Host, s state) ([]module.Step, error) {
	changes := f.Want.Diff(s.info)
	switch {
	case !s.exists:
		return module.OneStep("create "+f.Path+f.Want.Words(), f.write), nil
	case s.same:
		return f.Want.Plan(f.Path, s.info), nil
	case !s.ours && !f.Backup:
		return nil, ownership.NotOwned(h, module.Mark{ID: f.Path}, f.Path+" exists with other content and", cmp.Or(f.Advice, "set backup = true to keep what is there and have cleanup put it back, or move it away"))
	case !s.info.Mode.IsRegular():
		return module.OneStep("replace link "+f.Path+f.Want.Words(), f.write), nil
	}
	text := strings.Join(append([]string{"change " + f.Path}, changes...), ", ")
	return module.OneStep(text+f.diff(h, s), f.write), nil
}

// diff returns the difference for the text of a step, with a leading line end.
func (f File) diff(h module.Host, s state) string {
	want, err := fileattr.ParseMode(f.Want.Mode)
	if err != nil || f.Secret || f.Source.Text == nil || private(want) || private(s.info.Mode) {
		return ""
	}
	return Below(h, Diff(f.Path, s.text, f.Source.Text))
}

// Below returns a diff for the text of a step, without secrets and with a leading line end.
func Below(h module.Host, diff string) string {
	if diff == "" {
		return ""
	}
	return "\n" + h.Redact(diff)
}

// PlanAbsent returns the changes that remove the file, or restore the file from
// before it.
func (f File) PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	f.absent = true
	s, err := f.read(ctx, h)
	if err != nil || !s.exists {
		return nil, err
	}
	_, backup, err := hostfile.Look(ctx, h, f.Path+backupSuffix)
	if err != nil {
		return nil, err
	}
	return f.decideAbsent(h, s, backup)
}

// decideAbsent compares without reading the host. Only a mark proves that the
// file replaced another one: a backup alone can be older than a restore.
func (f File) decideAbsent(h module.Host, s state, backup bool) ([]module.Step, error) {
	switch {
	case !s.ours && f.Backup:
		return nil, nil
	case !s.ours:
		return nil, ownership.Foreign(h, f.Path, ownership.Remove)
	case s.mark.Prior != "" && backup:
		return module.OneStep("restore "+f.Path+" from "+f.Path+backupSuffix, f.restore), nil
	case s.mark.Prior != "":
		return module.OneStep("release "+f.Path+", which is restored already", f.restore), nil
	}
	return module.OneStep("remove "+f.Path, f.remove), nil
}

// Attributes is embedded in the tasks that set the content of a file of a Linux host.
type Attributes struct {
	fileattr.Want
	// Backup saves the file from before kinit as <path>.kinit-backup. On a host that belongs
	// to a cluster, cleanup and the removal of the file restore it. If the file was only edited,
	// cleanup undoes the cluster's own edits and keeps all foreign ones.
	Backup bool `hcl:"backup,optional"`
	// Accept is a command that checks the new content, as in ["visudo", "-cf", "%s"]; %s is
	// the path of a temporary file. If it fails, the file is not changed.
	Accept []string `hcl:"validate,optional"`
}

// File returns the file with these attributes, without its content.
func (a Attributes) File(path string, secret bool) File {
	return File{Path: path, Want: a.Want, Backup: a.Backup, Validate: a.Accept, Secret: secret}
}

// Whole returns the file with a content. A secret one is for its owner alone.
func (a Attributes) Whole(path string, source Source, secret bool) File {
	f := a.File(path, secret)
	f.Source = source
	if secret && f.Want.Mode == "" {
		f.Want.Mode = "0600"
	}
	return f
}

// DiffBytes is the largest text that is shown as a diff.
const DiffBytes = 64 << 10

// Diff returns a unified diff of two texts, or "" if one is not a text or longer
// than 64 KiB.
func Diff(path string, before, after []byte) string {
	if !isText(before) || !isText(after) {
		return ""
	}
	return textdiff.Unified(path, before, after)
}

func isText(data []byte) bool {
	return len(data) <= DiffBytes && utf8.Valid(data) && !bytes.ContainsRune(data, 0)
}

// private reports whether users other than the owner cannot read a file of that mode;
// its content is then not shown. Mode 0 means unknown and is not private.
func private(mode fs.FileMode) bool {
	return mode != 0 && mode.Perm()&0o044 == 0
}
