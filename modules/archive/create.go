package archive

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/seal"
	"kinit/modules/internal/tree"
)

// formats are the name endings of each format and its options for tar. --no-name and a
// single thread keep times and the number of processors out of the bytes.
var formats = []struct{ end, format, compress string }{
	{".tar.gz", "tar.gz", "gzip --no-name"}, {".tgz", "tar.gz", "gzip --no-name"},
	{".tar.xz", "tar.xz", "xz --threads=1"}, {".txz", "tar.xz", "xz --threads=1"},
	{".tar.zst", "tar.zst", "zstd --quiet"},
	{".tar", "tar", ""}, {".zip", "zip", ""},
}

// format returns the requested format, or the format of dest's ending.
func (t *Task) format() string {
	for _, f := range formats {
		if t.Format == f.format || t.Format == "" && strings.HasSuffix(t.Dest, f.end) {
			return f.format
		}
	}
	return ""
}

// packer is a program that reads a list of names and packs them.
type packer struct {
	command  module.Command // without the list
	nameEnds string         // terminates each name of the list
}

// packer returns the program for the format.
func (t *Task) packer(part string) (packer, error) {
	format := t.format()
	if format == "zip" {
		return packer{module.Command{
			// -y keeps links, -X leaves out data that depends on the time of reading. The
			// times in a zip file are local ones, so the zone must be fixed.
			Argv: []string{"zip", "-q", "-X", "-y", "-@", part}, Dir: t.Source, Env: map[string]string{"TZ": "UTC"},
		}, "\n"}, nil
	}
	for _, f := range formats {
		if f.format != format {
			continue
		}
		argv := []string{"tar", "--create", "--file=" + part, "--directory=" + t.Source, "--format=gnu",
			"--numeric-owner", "--no-recursion", "--null", "--verbatim-files-from", "--files-from=-"}
		if f.compress != "" {
			argv = append(argv, "--use-compress-program="+f.compress)
		}
		return packer{module.Command{Argv: argv}, "\x00"}, nil
	}
	return packer{}, fmt.Errorf("format is %q and dest %q, want tar, tar.gz, tar.xz, tar.zst or zip", t.Format, path.Base(t.Dest))
}

// create packs into the part and puts it in place.
func (t *Task) create(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if s.right {
		return t.setAttr(ctx, h)
	}
	if s.exists && !s.ours {
		return fmt.Errorf("%s exists and is not owned by cluster %s: it came up after the plan", t.Dest, h.Owner())
	}
	part, err := seal.NewPart(ctx, h, t.Dest)
	if err != nil {
		return err
	}
	for _, suffix := range []string{"", seal.Suffix, seal.PartSuffix} {
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
func (t *Task) pack(ctx context.Context, h module.Host, entries []tree.Entry, part seal.Part) error {
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
	if exit := (*module.ExitError)(nil); errors.As(err, &exit) && exit.Code == 127 {
		return fmt.Errorf("%s is not installed: install it with a package task before: %w", p.command.Argv[0], err)
	}
	return err
}

// place sets the part's mode and owner, seals it and moves it into place.
func (t *Task) place(ctx context.Context, h module.Host, s state, part seal.Part) error {
	attr, err := t.Want.Or(s.info).Attr()
	if err != nil {
		return err
	}
	if err := h.Files().SetAttr(ctx, part.Path, attr); err != nil {
		return err
	}
	if err := seal.Write(ctx, h, t.Dest, part, t.algorithm(), tree.Fingerprint(s.entries)); err != nil {
		return err
	}
	if err := h.Files().Rename(ctx, part.Path, t.Dest); err != nil {
		return err
	}
	return claim.Release(ctx, h, t.Dest+seal.PartSuffix)
}

func (t *Task) setAttr(ctx context.Context, h module.Host) error {
	attr, err := t.Want.Attr()
	if err != nil {
		return err
	}
	return h.Files().SetAttr(ctx, t.Dest, attr)
}
