package archive

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// format is a format of archives: an ending of names, its own name, and the compressor for tar.
// --no-name and a single thread keep times and the number of processors out of the bytes.
type format struct{ end, name, compressor string }

var formats = []format{
	{".tar.gz", "tar.gz", "gzip --no-name"}, {".tgz", "tar.gz", "gzip --no-name"},
	{".tar.xz", "tar.xz", "xz --threads=1"}, {".txz", "tar.xz", "xz --threads=1"},
	{".tar.zst", "tar.zst", "zstd --quiet"},
	{".tar", "tar", ""}, {".zip", "zip", ""},
}

// format returns the requested format, or else that of dest's ending. If neither is known, its name is empty.
func (t *Task) format() format {
	i := slices.IndexFunc(formats, func(f format) bool {
		return t.Format == f.name || t.Format == "" && strings.HasSuffix(t.Dest, f.end)
	})
	if i < 0 {
		return format{}
	}
	return formats[i]
}

// compress returns tar's option for the compressor.
func (f format) compress() []string {
	if f.compressor == "" {
		return nil
	}
	return []string{"--use-compress-program=" + f.compressor}
}

// packer is a program that reads a list of names and packs them.
type packer struct {
	command  module.Command // without the list
	nameEnds string         // terminates each name of the list
}

func (t *Task) packer(part string) (packer, error) {
	f := t.format()
	switch f.name {
	case "":
		return packer{}, fmt.Errorf("format is %q and dest %q, want tar, tar.gz, tar.xz, tar.zst or zip", t.Format, path.Base(t.Dest))
	case "zip":
		return packer{module.Command{
			// -y keeps links, -X leaves out data that depends on the time of reading. The
			// times in a zip file are local ones, so the zone must be fixed.
			Argv: []string{"zip", "-q", "-X", "-y", "-@", part}, Dir: t.Source, Env: map[string]string{"TZ": "UTC"},
		}, "\n"}, nil
	}
	argv := []string{"tar", "--create", "--file=" + part, "--directory=" + t.Source, "--format=gnu",
		"--numeric-owner", "--no-recursion", "--null", "--verbatim-files-from", "--files-from=-"}
	return packer{module.Command{Argv: append(argv, f.compress()...)}, "\x00"}, nil
}

// create packs into the part and puts it in place.
func (t *Task) create(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if s.right {
		return t.Want.Set(ctx, h, t.Dest)
	}
	if s.exists && !s.ours {
		return ownership.Foreign(h, t.Dest, "it came up after the plan")
	}
	part, err := checksum.NewPart(ctx, h, t.Dest)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"", checksum.Suffix, checksum.PartSuffix} {
		if err := h.Own(ctx, module.Mark{Kind: "file", ID: t.Dest + suffix}); err != nil {
			return err
		}
	}
	if err = t.pack(ctx, h, s.entries, part); err == nil {
		err = t.place(ctx, h, s, part)
	}
	return errors.Join(err, part.Close(ctx, h))
}

// pack writes a part. It removes a part of an earlier try first, because zip would add to it.
func (t *Task) pack(ctx context.Context, h module.Host, entries []tree.Entry, part checksum.Part) error {
	p, err := t.packer(part.Path)
	if err != nil {
		return err
	}
	shared, folder, err := t.shared(ctx, h, entries)
	if err != nil {
		return err
	}
	if shared {
		if p, err = t.walker(part.Path, folder); err != nil {
			return err
		}
	}
	if p.nameEnds == "\n" && strings.Contains(tree.Names(entries, ""), "\n") {
		return fmt.Errorf("a name in %s has a line end in it, which zip cannot read: use tar.gz", t.Source)
	}
	if err := h.Files().Remove(ctx, part.Path); err != nil {
		return err
	}
	h.Report(event.Progress{Text: fmt.Sprintf("pack %s of %s", count(entries), t.Source)})
	if !shared {
		p.command.Stdin = strings.NewReader(tree.Names(entries, p.nameEnds))
	}
	_, err = h.Run(ctx, p.command)
	if err != nil { // an incomplete archive is of no use
		err = errors.Join(err, part.Drop(ctx, h))
	}
	if module.Exited(err, 127) {
		return fmt.Errorf("%s is not installed: install it with a package task before: %w", p.command.Argv[0], err)
	}
	return err
}

// place sets the part's mode and owner, seals it and moves it into place.
func (t *Task) place(ctx context.Context, h module.Host, s state, part checksum.Part) error {
	if err := t.Want.Or(s.info).Set(ctx, h, part.Path); err != nil {
		return err
	}
	if err := checksum.Write(ctx, h, t.Dest, part, t.algorithm(), tree.Fingerprint(s.entries)); err != nil {
		return err
	}
	if err := h.Files().Rename(ctx, part.Path, t.Dest); err != nil {
		return err
	}
	return ownership.Release(ctx, h, t.Dest+checksum.PartSuffix)
}

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
	if t.format().name == "zip" {
		return packer{}, fmt.Errorf("another user can change %s, and zip would follow their links: use tar.gz", t.Source)
	}
	argv := []string{"sh", "-c", enter, "sh", folder, "tar", "--create", "--file=" + part, "--format=gnu", "--numeric-owner", "--sort=name",
		"--anchored", "--wildcards", "--wildcards-match-slash"}
	for _, pattern := range t.Exclude {
		argv = append(argv, "--exclude=./"+strings.TrimPrefix(pattern, "/"))
	}
	return packer{command: module.Command{Argv: append(append(argv, t.format().compress()...), ".")}}, nil
}
