// Package repository writes the files of a package repository, and keeps them only
// if the package manager can read the repository.
package repository

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
)

// undoTime limits the restoration of the files after the task's time is
// over.
const undoTime = 10 * time.Second

// Repository is the wanted repository.
type Repository struct {
	Name string // for messages
	// Files are the wanted files, in the order of their dependencies.
	Files []content.File
	// Refresh reads the package lists of only this repository; nil reads none.
	Refresh func(ctx context.Context, h module.Host) error
}

// File is a file of a repository, readable by all.
func File(path, text string) content.File {
	return content.File{
		Path: path, Source: content.FromText([]byte(text)), Want: fileattr.Want{Mode: "0644"},
		Advice: "choose another name, or move it away",
	}
}

// Key is the file of a public key.
func Key(path, armour string) content.File { return File(path, strings.TrimSpace(armour)+"\n") }

// CheckKey returns the mistake in a public key, if there is one: it must be in ASCII armour, RFC
// 4880, section 6.2.
func CheckKey(text string) error {
	const begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
	whole := strings.TrimSpace(text)
	if text != "" && (!strings.HasPrefix(whole, begin) || !strings.HasSuffix(whole, end)) {
		return fmt.Errorf("key is no public key in ASCII armour, want %q and so on", begin)
	}
	return nil
}

func (r Repository) steps(ctx context.Context, h module.Host) ([]module.Step, error) {
	return module.PlanAll(ctx, h, lists.Map(r.Files, func(f content.File) module.Planner { return f.Plan })...)
}

// Plan compares the files with the wanted ones.
func (r Repository) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	steps, err := r.steps(ctx, h)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	text := "write package repository " + r.Name
	if r.Refresh != nil {
		text += " and read its package lists"
	}
	for _, step := range steps {
		text += "\n" + step.String()
	}
	return module.OneStep(text, r.write), nil
}

// write writes the files and reads the lists. If that fails, it restores the files:
// otherwise the next run would find them right and not read the lists.
func (r Repository) write(ctx context.Context, h module.Host) error {
	before, err := r.remember(ctx, h)
	if err != nil {
		return err
	}
	for _, file := range r.Files {
		if err := hostfile.Parents(ctx, h, file.Path); err != nil {
			return err
		}
	}
	steps, err := r.steps(ctx, h)
	if err != nil {
		return err
	}
	if err := module.DoAll(ctx, h, steps); err != nil || len(steps) == 0 || r.Refresh == nil {
		return err
	}
	if err = r.Refresh(ctx, h); err == nil {
		return nil
	}
	later, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	return errors.Join(fmt.Errorf("read the package lists of %s, the files are as before: %w", r.Name, err), before.restore(later, h))
}

// memory is the former texts of files by path; files that did not exist have none.
type memory map[string]*string

func (r Repository) remember(ctx context.Context, h module.Host) (memory, error) {
	before := memory{}
	for _, file := range r.Files {
		text, err := hostfile.Text(ctx, h, file.Path)
		if err != nil {
			return nil, err
		}
		before[file.Path] = text
	}
	return before, nil
}

func (m memory) restore(ctx context.Context, h module.Host) error {
	var all error
	for name, text := range m {
		if text != nil {
			all = errors.Join(all, hostfile.Write(ctx, h, name, *text, module.Attr{}))
			continue
		}
		all = errors.Join(all, hostfile.Drop(ctx, h, name), hostfile.Prune(ctx, h, path.Dir(name)))
	}
	return all
}

// PlanAbsent removes the files, and the folders that kinit made for them.
func (r Repository) PlanAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	var plans []module.Planner
	for _, file := range slices.Backward(r.Files) {
		plans = append(plans, module.Around(file.PlanAbsent, func(ctx context.Context, h module.Host, step module.Step) error {
			if err := step.Do(ctx, h); err != nil {
				return err
			}
			return hostfile.Prune(ctx, h, path.Dir(file.Path))
		}))
	}
	return module.PlanAll(ctx, h, plans...)
}
