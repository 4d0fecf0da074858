package archive

import (
	"context"
	"fmt"
	"path"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/tree"
)

// enter begins a program in a folder, unless a link of another user led there.
const enter = `cd -P -- "$1" && [ "$(pwd -P)" = "$1" ] || { echo "$1 was replaced by another user" >&2; exit 1; }
shift
exec "$@"`

// shared tells whether another user can change the folder, the way to it or a folder in
// it, and where it is.
func (t *Task) shared(ctx context.Context, h module.Host, entries []tree.Entry) (bool, string, error) {
	info, err := h.Files().Stat(ctx, t.Source)
	if err != nil {
		return false, "", fmt.Errorf("source: %w", err)
	}
	folder, err := h.Files().Folder(ctx, path.Join(t.Source, "x"))
	return !folder.Closed || tree.Shared(entries, info.UID), folder.Path, err
}

// walker packs a folder that others can change meanwhile. They could put a link in the
// place of a folder, through which a program that is given names would pack what they may
// not read. So tar goes through the folders itself, which it does by their handles.
func (t *Task) walker(part, folder string) (packer, error) {
	if t.format() == "zip" {
		return packer{}, fmt.Errorf("another user can change %s, and zip would follow their links: use tar.gz", t.Source)
	}
	argv := []string{"sh", "-c", enter, "sh", folder, "tar", "--create", "--file=" + part, "--format=gnu", "--numeric-owner", "--sort=name",
		"--anchored", "--wildcards", "--wildcards-match-slash"}
	for _, pattern := range t.Exclude {
		argv = append(argv, "--exclude=./"+strings.TrimPrefix(pattern, "/"))
	}
	for _, f := range formats() {
		if f.format == t.format() && f.compress != "" {
			argv = append(argv, "--use-compress-program="+f.compress)
			break
		}
	}
	return packer{command: module.Command{Argv: append(argv, ".")}}, nil
}
