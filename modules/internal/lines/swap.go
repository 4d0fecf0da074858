package lines

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// errChanged says that the file is no longer as it was read.
var errChanged = errors.New("the file was changed meanwhile")

// swapScript puts $2 in the place of $1, or removes $1 where $2 is empty, if $1
// still has the checksum $3; one that is not there has none. The lock is that of
// the folder, so that nothing is left over.
const swapScript = `exec 9<"$(dirname -- "$1")" && flock 9 || exit 1
sum=
if [ -e "$1" ]; then sum=$(sha256sum <"$1") && sum=${sum%% *} || exit 1; fi
[ "$sum" = "$3" ] || exit 75
if [ -z "$2" ]; then exec rm -f -- "$1"; fi
exec mv -f -- "$2" "$1"`

// changedCode is what swapScript answers when the file has changed: EX_TEMPFAIL
// of sysexits.h.
const changedCode = 75

// cleanUp is how long removing a temporary file may take after the task's time is
// over.
const cleanUp = 10 * time.Second

// swap writes the lines in one go if the file is still as it was read. A file
// without lines is removed.
func (f File) swap(ctx context.Context, h module.Host, before state, lines []string) error {
	if slices.Equal(before.lines, lines) {
		return ctx.Err()
	}
	temp := ""
	if len(lines) > 0 {
		temp = path.Join(path.Dir(f.Path), ".kinit-"+rand.Text())
		if err := hostfile.Write(ctx, h, temp, text(lines), f.attr(before)); err != nil {
			return err
		}
	}
	sum, err := f.sum(ctx, h, before)
	if err == nil {
		_, err = h.Run(ctx, module.Command{Argv: []string{"sh", "-c", swapScript, "sh", f.Path, temp, sum}})
	}
	if err == nil || temp == "" {
		return asChanged(err)
	}
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUp)
	defer cancel()
	if left := h.Files().Remove(clean, temp); left != nil {
		return errors.Join(err, left)
	}
	return asChanged(err)
}

func asChanged(err error) error {
	var exit *module.ExitError
	if errors.As(err, &exit) && exit.Code == changedCode {
		return errChanged
	}
	return err
}

// sum is the checksum of the file that was read. The lines do not say whether the
// last one had an end, so that one without is looked up.
func (f File) sum(ctx context.Context, h module.Host, before state) (string, error) {
	if !before.there {
		return "", nil
	}
	have, _, err := hostfile.Read(ctx, h, f.Path)
	if err != nil {
		return "", err
	}
	if !slices.Equal(split(have), before.lines) {
		return "", errChanged
	}
	sum := sha256.Sum256([]byte(have))
	return hex.EncodeToString(sum[:]), nil
}

// attr keeps the mode and owner of a file that is there.
func (f File) attr(before state) module.Attr {
	if !before.there {
		return f.Attr
	}
	return module.Attr{
		Mode:  before.info.Mode.Perm(),
		Owner: fmt.Sprint(before.info.UID), Group: fmt.Sprint(before.info.GID),
	}
}

// Undo removes a line by its mark, for clean-up, and brings back what it replaced.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	name, line, found := strings.Cut(mark.ID, ": ")
	if !found {
		return errors.New("the mark does not name a file and a line")
	}
	steps, err := File{Path: name}.PlanAbsent(ctx, h, "", func(have []string) []string {
		return without(have, []string{line})
	})
	for _, step := range steps {
		err = errors.Join(err, step.Do(ctx, h))
	}
	return err
}
