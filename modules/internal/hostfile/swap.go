package hostfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"kinit/engine/module"
)

// ErrChanged says that a file is no longer as it was read.
var ErrChanged = errors.New("the file was changed meanwhile")

// MostTries is how often an edit is made anew because another task has changed the
// file in between.
const MostTries = 50

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

// Swap writes a file in one go if it is still as it was read; else it is ErrChanged.
// Nil before means that there was no file, nil after removes it. Its folder must be
// there.
func Swap(ctx context.Context, h module.Host, name string, before, after *string, attr module.Attr) error {
	sum, temp := "", ""
	if before != nil {
		digest := sha256.Sum256([]byte(*before))
		sum = hex.EncodeToString(digest[:])
	}
	if after != nil {
		temp = module.TemporaryName(name)
		if err := Write(ctx, h, temp, *after, attr); err != nil {
			return err
		}
	}
	_, err := h.Run(ctx, module.Command{Argv: []string{"sh", "-c", swapScript, "sh", name, temp, sum}})
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
		return ErrChanged
	}
	return err
}
