package archive

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/tree"
)

// enter starts a program in a folder, unless another user's link leads there.
const enter = `cd -P -- "$1" && [ "$(pwd -P)" = "$1" ] || { echo "$1 was replaced by another user" >&2; exit 1; }
shift
exec "$@"`

// shared reports whether another user can change the folder, a folder above it or a folder
// in it, and returns the path of that folder.
func (t *Task) shared(ctx context.Context, h module.Host, entries []tree.Entry) (bool, string, error) {
	info, err := h.Files().Stat(ctx, t.Source)
	if err != nil {
		return false, "", fmt.Errorf("source: %w", err)
	}
	folder, err := h.Files().Folder(ctx, path.Join(t.Source, "x"))
	return !folder.Closed || tree.Shared(entries, info.UID), folder.Path, err
}

// walker packs a folder that others can change meanwhile. They could replace a folder by a
// link, so that a program that is given names would pack files that they must not read.
// tar therefore walks the folders itself, by file descriptors.
func (t *Task) walker(part, folder string) (packer, error) {
	if t.format() == "zip" {
		return packer{}, fmt.Errorf("another user can change %s, and zip would follow their links: use tar.gz", t.Source)
	}
	argv := []string{"sh", "-c", enter, "sh", folder, "tar", "--create", "--file=" + part, "--format=gnu", "--numeric-owner", "--sort=name",
		"--anchored", "--wildcards", "--wildcards-match-slash"}
	for _, pattern := range t.Exclude {
		argv = append(argv, "--exclude=./"+strings.TrimPrefix(pattern, "/"))
	}
	for _, f := range formats {
		if f.format == t.format() && f.compress != "" {
			argv = append(argv, "--use-compress-program="+f.compress)
			break
		}
	}
	return packer{command: module.Command{Argv: append(argv, ".")}}, nil
}
