// Package wincontent brings a file's content about on a Windows host: it is what the
// modules win_copy and win_template have in common.
//
// It compares by size and checksum, which the host computes. Nothing is marked: a
// Windows host is a guest, whose disk goes with it.
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

// File is a file with the content it should have.
type File struct {
	Path   string
	Source content.Source
	Want   winacl.Want
	Secret bool // never show the content
}

// state is what is at the path now.
type state struct {
	File, Folder bool
	Size         int64
	SHA256       string
	Access       winacl.Access
}

// Check returns the mistake in the arguments that all files have.
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

// same tells whether the content is as it should be.
func (f File) same(s state) bool { return s.Size == f.Source.Size && s.SHA256 == f.Source.SHA256 }

// Plan returns what would change to bring the file about.
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
	return []module.Step{module.NewStep(text, f.write)}, nil
}

// decide says what would change, from data alone; "" for nothing.
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

// diff is the difference to show below a step, from its line end on.
func (f File) diff(ctx context.Context, h module.Host, s state) string {
	if f.Secret || f.Want.Private || s.Access.Private || f.Source.Text == nil || s.Size > content.DiffBytes {
		return ""
	}
	before, err := content.ReadAll(ctx, h, f.Path)
	if err != nil {
		return ""
	}
	shown := h.Redact(content.Diff(f.Path, before, f.Source.Text))
	if shown == "" {
		return ""
	}
	return "\n" + shown
}

// write puts the content in place. It reads the host again: the plan may be old.
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

// put sends the content and compares what has arrived.
func (f File) put(ctx context.Context, h module.Host) error {
	r, err := f.Source.Reader(h, f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.Want.Private {
		err = powershell.Send(ctx, h, putScript, f.Want.Args(f.Path), r, nil)
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

// PlanAbsent returns what would change to have the file gone.
func (f File) PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := f.read(ctx, h)
	if err != nil || !s.File {
		return nil, err
	}
	return []module.Step{module.NewStep("remove "+f.Path, func(ctx context.Context, h module.Host) error {
		return h.Files().Remove(ctx, f.Path)
	})}, nil
}
