// Package hostfile reads and writes the small files that modules make on a host
// and manages the owner's marks of them.
//
// It does not decide whether a file should change; modules do.
package hostfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// The kinds of the marks that this package makes.
const (
	FileKind      = "file"      // the ID is the path
	DirectoryKind = "directory" // the ID is the path; removed only when empty
)

// Read returns a file's content and whether the file exists.
func Read(ctx context.Context, h module.Host, name string) (string, bool, error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	content, err := module.ReadFile(ctx, h.Files(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", name, err)
	}
	return string(content), true, nil
}

// Text returns a file's content, nil for one that does not exist.
func Text(ctx context.Context, h module.Host, name string) (*string, error) {
	text, there, err := Read(ctx, h, name)
	if err != nil || !there {
		return nil, err
	}
	return &text, nil
}

// Need returns the content of a file that must exist.
func Need(ctx context.Context, h module.Host, name string) ([]byte, error) {
	text, there, err := Read(ctx, h, name)
	if err == nil && !there {
		err = Missing(h, name)
	}
	return []byte(text), err
}

// Missing returns the error for a required file that does not exist.
func Missing(h module.Host, name string) error {
	return fmt.Errorf("%s does not exist on %s: download or copy it first", name, h.Name())
}

// Look describes what is at a path, without following a link, and reports whether there is anything.
func Look(ctx context.Context, h module.Host, name string) (module.FileInfo, bool, error) {
	info, err := h.Files().Stat(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return module.FileInfo{}, false, nil
	}
	return info, err == nil, err
}

// Exists reports whether the path exists.
func Exists(ctx context.Context, h module.Host, name string) (bool, error) {
	_, there, err := Look(ctx, h, name)
	if err != nil {
		err = fmt.Errorf("stat %s: %w", name, err)
	}
	return there, err
}

// Put writes a file. It first marks the file and the folders above it, as far as they are
// new, as the owner's.
func Put(ctx context.Context, h module.Host, name, content string, attr module.Attr) error {
	if err := Parents(ctx, h, name); err != nil {
		return err
	}
	there, err := Exists(ctx, h, name)
	if err != nil {
		return err
	}
	if there {
		err = Rewrites(ctx, h, name, Sum(content))
	} else {
		err = h.Own(ctx, module.Mark{Kind: FileKind, ID: name, Sums: Sum(content)})
	}
	if err != nil {
		return err
	}
	return Write(ctx, h, name, content, attr)
}

// Sum returns the checksum of a content as marks have it.
func Sum(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

// LinkSum returns the checksum of a link.
func LinkSum(target string) string { return Sum("link to " + target) }

// Rewrites records, before kinit replaces the whole content of a file, the checksum of the new one, if the owner has a mark of
// the file.
func Rewrites(ctx context.Context, h module.Host, name, sum string) error {
	return sums(ctx, h, name, sum, func(module.Mark) bool { return true })
}

// Edits records, before kinit changes a part of a file, the checksum of the new content, if the owner has a mark of the file and
// nobody else has changed the file since kinit wrote it.
func Edits(ctx context.Context, h module.Host, name, before, after string) error {
	return sums(ctx, h, name, Sum(after), func(m module.Mark) bool { return m.Wrote(Sum(before)) })
}

func sums(ctx context.Context, h module.Host, name, sum string, known func(module.Mark) bool) error {
	if h.Owner() == "" {
		return nil
	}
	mark, marked, err := ownership.Of(ctx, h, name, FileKind)
	if err != nil || !marked || !known(mark) {
		return err
	}
	return h.Own(ctx, module.Mark{Kind: mark.Kind, ID: mark.ID, Sums: sum})
}

// Write writes a file in an existing folder, without a mark.
func Write(ctx context.Context, h module.Host, name, content string, attr module.Attr) error {
	if err := h.Files().Write(ctx, name, strings.NewReader(content), attr); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// Parents makes the missing folders above a path, each marked as the owner's.
func Parents(ctx context.Context, h module.Host, name string) error {
	missing, err := MissingFolders(ctx, h, path.Dir(name))
	if err != nil {
		return err
	}
	for _, dir := range missing {
		if err := h.Own(ctx, module.Mark{Kind: DirectoryKind, ID: dir}); err != nil {
			return err
		}
		if err := h.Files().Mkdir(ctx, dir, module.Attr{Mode: 0o755}); err != nil {
			return fmt.Errorf("make folder %s: %w", dir, err)
		}
	}
	return nil
}

// MissingFolders lists the folders of a path, itself included, that do not exist, the topmost first.
func MissingFolders(ctx context.Context, h module.Host, dir string) ([]string, error) {
	var missing []string
	for ; dir != "/" && dir != "."; dir = path.Dir(dir) {
		_, there, err := Look(ctx, h, dir)
		if err != nil || there {
			return missing, err
		}
		missing = append([]string{dir}, missing...)
	}
	return missing, nil
}

// Drop removes a file and then its mark.
func Drop(ctx context.Context, h module.Host, name string) error {
	if err := h.Files().Remove(ctx, name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return h.Disown(ctx, module.Mark{Kind: FileKind, ID: name})
}

// Delete removes a path and every mark of it.
func Delete(ctx context.Context, h module.Host, name string) error {
	if err := h.Files().Remove(ctx, name); err != nil {
		return err
	}
	return ownership.Release(ctx, h, name)
}

// cleanUp limits Discard.
const cleanUp = 10 * time.Second

// Discard removes what must not remain at a path, even if the time of the task is over.
func Discard(ctx context.Context, h module.Host, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUp)
	defer cancel()
	return h.Files().Remove(ctx, name)
}

// PlanDrop returns a step for each existing file that is to be removed. A file that is not
// the owner's is an error with the advice. A folder is an error too: it is never removed with all in it.
func PlanDrop(ctx context.Context, h module.Host, advice string, names ...string) ([]module.Step, error) {
	var steps []module.Step
	for _, name := range names {
		info, there, err := Look(ctx, h, name)
		if err != nil {
			return nil, fmt.Errorf("stat %s: %w", name, err)
		}
		if !there {
			continue
		}
		if info.Mode.IsDir() {
			return nil, fmt.Errorf("%s is a folder, want a file or nothing there", name)
		}
		if err := ownership.Free(ctx, h, name, advice); err != nil {
			return nil, err
		}
		steps = append(steps, module.NewStep("remove "+name, func(ctx context.Context, h module.Host) error {
			return Drop(ctx, h, name)
		}))
	}
	return steps, nil
}

// DropTemporaries removes temporary files that killed runs have left.
func DropTemporaries(ctx context.Context, h module.Host, name string) error {
	infos, err := h.Files().List(ctx, path.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for temporary files of %s: %w", name, err)
	}
	for _, info := range infos {
		if !module.IsTemporaryName(info.Name, name) {
			continue
		}
		if err := h.Files().Remove(ctx, path.Join(path.Dir(name), info.Name)); err != nil {
			return fmt.Errorf("remove a temporary file of %s: %w", name, err)
		}
	}
	return nil
}

// Prune removes a folder, and then those above it, as long as each has the owner's
// mark and nothing in it.
func Prune(ctx context.Context, h module.Host, dir string) error {
	for ; dir != "/"; dir = path.Dir(dir) {
		_, marked, err := ownership.Of(ctx, h, dir, DirectoryKind)
		if err != nil || !marked {
			return err
		}
		left, err := h.Files().List(ctx, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(left) > 0 {
			return nil
		}
		if err := Delete(ctx, h, dir); err != nil {
			return err
		}
	}
	return nil
}
