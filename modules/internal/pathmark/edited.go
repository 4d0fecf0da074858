package pathmark

import (
	"context"
	"io/fs"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
)

// readHere is the size up to which a file is read over the connection; a larger one is hashed by a process on the host.
const readHere = 1 << 20

// Edited returns a function for MarkTraits.Data, which reports whether somebody has changed the file of a mark since kinit wrote
// it, as far as the mark says what kinit wrote. What has taken the place of the file counts as a change, except a folder:
// that is never removed.
func Edited(file func(mark module.Mark) string) func(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	return func(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
		if mark.Sums == "" {
			return false, ctx.Err()
		}
		info, there, err := hostfile.Look(ctx, h, file(mark))
		if err != nil || !there || info.Mode.IsDir() {
			return false, err
		}
		sum, err := sumOf(ctx, h, file(mark), info)
		return !mark.Wrote(sum), err
	}
}

// sumOf returns the checksum of a file or a link, and "" for anything else.
func sumOf(ctx context.Context, h module.Host, name string, info module.FileInfo) (string, error) {
	switch {
	case info.Mode&fs.ModeSymlink != 0:
		return hostfile.LinkSum(info.Target), nil
	case !info.Mode.IsRegular():
		return "", nil
	case info.Size > readHere:
		return content.Sum(ctx, h, "sha256", name)
	}
	text, err := content.ReadAll(ctx, h, name)
	return hostfile.Sum(string(text)), err
}
