package hostfile

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
)

// ErrChanged means that a file has changed since it was read.
var ErrChanged = errors.New("the file was changed meanwhile")

// mostTries is how often an edit is repeated because another task has changed the
// file in between.
const mostTries = 50

// Retry makes an edit, again as long as its error is ErrChanged. The name is that of what is edited.
func Retry(name string, edit func() error) error {
	for range mostTries {
		if err := edit(); !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return fmt.Errorf("%s was changed by others %d times while it was edited", name, mostTries)
}

// swapScript replaces $1 by $2, both in the folder $4, or removes $1 if $2 is
// empty, if $1 still has the checksum $3; a missing file has none. The lock is
// that of the folder, so that no lock file remains. It works from within the folder and
// follows no link, so that another user cannot redirect it. The new file keeps what shell.Keep
// keeps, and has the mode $5.
//
//go:embed swap.sh
var swapScript string

// changedCode is swapScript's exit code if the file has changed: EX_TEMPFAIL
// of sysexits.h.
const changedCode = 75

// Swap writes a file atomically if it has not changed since it was read; else it returns
// ErrChanged. Nil before means that there was no file, nil after removes it. Its folder must
// exist.
func Swap(ctx context.Context, h module.Host, name string, before, after *string, attr module.Attr) error {
	sum, temp := "", ""
	if before != nil {
		sum = Sum(*before)
	}
	mode := ""
	if after != nil {
		if err := swaps(ctx, h, name, before, *after); err != nil {
			return err
		}
		temp = module.TemporaryName(name)
		if before != nil && attr.Mode != 0 {
			mode = fmt.Sprintf("%o", uint32(attr.Mode.Perm()))
			attr.Mode = 0o600 // until it has the access control list of the file before
		}
		if err := Write(ctx, h, temp, *after, attr); err != nil {
			return err
		}
	}
	folder, err := h.Files().Folder(ctx, name)
	if err == nil {
		argv := []string{"sh", "-c", shell.Keep + swapScript, "sh", path.Base(name), strings.TrimPrefix(temp, path.Dir(name)+"/"), sum, folder.Path, mode}
		_, err = h.Run(ctx, module.Command{Argv: argv})
	}
	if err != nil && temp != "" {
		if left := Discard(ctx, h, temp); left != nil {
			return errors.Join(err, left)
		}
	}
	if module.Exited(err, changedCode) {
		return ErrChanged
	}
	return err
}

// swaps records the checksum of what a swap writes into a file of the owner's.
func swaps(ctx context.Context, h module.Host, name string, before *string, after string) error {
	if before == nil {
		return Rewrites(ctx, h, name, Sum(after))
	}
	return Edits(ctx, h, name, *before, after)
}
