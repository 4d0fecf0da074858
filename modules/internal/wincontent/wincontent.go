// Package wincontent sets a file's content on a Windows host, for the
// modules win_copy and win_template.
//
// It compares by size and checksum, which the host computes. It sets no marks: a
// Windows host is a guest, and its disk is deleted with it.
package wincontent

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winacl"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed put.ps1
var putScript string

// pathNotFound is the HRESULT of ERROR_PATH_NOT_FOUND.
const pathNotFound = 0x80070003

// File is a file with its wanted content.
type File struct {
	Path   string
	Source content.Source
	Want   winacl.Want
	Secret bool // never show the content
}

// New returns a file with its wanted content. A secret one is private.
func New(path string, source content.Source, want winacl.Want, secret bool) File {
	want.Private = want.Private || secret
	return File{Path: path, Source: source, Want: want, Secret: secret}
}

// state is the current state of the path.
type state struct {
	File, Folder bool
	Size         int64
	SHA256       string
	Access       winacl.Access
}

// Check returns the mistake in the common arguments of all files.
func (f File) Check() error { return winpath.Check("dest", f.Path) }

func (f File) read(ctx context.Context, h module.Host) (state, error) {
	args := f.Want.Args(f.Path)
	args["size"] = f.Source.Size
	s, err := powershell.Read[state](ctx, h, winacl.Functions+readScript, args)
	if err == nil && s.Folder {
		err = fmt.Errorf("%s is a folder, want a file or nothing there", f.Path)
	}
	return s, err
}

// same reports whether the content is the wanted one.
func (f File) same(s state) bool { return s.Size == f.Source.Size && s.SHA256 == f.Source.SHA256 }

// Plan returns the changes that create or update the file.
func (f File) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := f.read(ctx, h)
	if err != nil {
		return nil, err
	}
	text := f.decide(s)
	if text == "" {
		return nil, nil
	}
	if s.File && !f.same(s) {
		text += f.diff(ctx, h, s)
	}
	return module.OneStep(text, f.write), nil
}

// decide describes the change without reading the host; "" for none.
func (f File) decide(s state) string {
	changes := f.Want.Diff(s.Access)
	switch {
	case !s.File:
		return "create " + f.Path + f.Want.Words()
	case !f.same(s):
		return strings.Join(append([]string{"change " + f.Path}, changes...), ", ")
	case len(changes) > 0:
		return "set " + f.Path + ": " + strings.Join(changes, ", ")
	}
	return ""
}

// diff returns the difference for the text of a step, with a leading line end.
func (f File) diff(ctx context.Context, h module.Host, s state) string {
	if f.Secret || f.Want.Private || s.Access.Private || f.Source.Text == nil || s.Size > content.DiffBytes {
		return ""
	}
	before, err := content.ReadAll(ctx, h, f.Path)
	if err != nil {
		return ""
	}
	return content.Below(h, content.Diff(f.Path, before, f.Source.Text))
}

// write writes the content. It reads the host again: the plan can be old.
func (f File) write(ctx context.Context, h module.Host) error {
	s, err := f.read(ctx, h)
	if err != nil {
		return err
	}
	if !s.File || !f.same(s) {
		if err := f.put(ctx, h); err != nil {
			return err
		}
	}
	return f.Want.Set(ctx, h, f.Path)
}

// put sends the content and verifies what was received.
func (f File) put(ctx context.Context, h module.Host) error {
	r, err := f.Source.Reader(ctx, h, f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.Want.Private {
		args := f.Want.Args(f.Path)
		args["temporary"], args["size"], args["sha256"] = winpath.Temporary(f.Path), f.Source.Size, f.Source.SHA256
		err = powershell.Send(ctx, h, putScript, args, r, nil)
	} else {
		err = h.Files().Write(ctx, f.Path, r, module.Attr{})
	}
	if errors.Is(err, fs.ErrNotExist) || powershell.Code(err) == pathNotFound {
		return fmt.Errorf("the folder of %s is missing, make it with a win_file task before: %w", f.Path, err)
	}
	if err != nil {
		return err
	}
	s, err := f.read(ctx, h)
	if err == nil && !f.same(s) {
		err = fmt.Errorf("%s has %d bytes with sha256 %q, want %d with %s: the transfer was damaged, or something else writes it",
			f.Path, s.Size, s.SHA256, f.Source.Size, f.Source.SHA256)
	}
	return err
}

// PlanAbsent returns the change that removes the file.
func (f File) PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := f.read(ctx, h)
	if err != nil || !s.File {
		return nil, err
	}
	return module.OneStep("remove "+f.Path, func(ctx context.Context, h module.Host) error {
		return h.Files().Remove(ctx, f.Path)
	}), nil
}
