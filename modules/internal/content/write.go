package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"kinit/engine/event"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// write marks the file, makes the backup, and writes the content. It
// reads the host again: the plan can be old, or an earlier try ended half way.
func (f File) write(ctx context.Context, h module.Host) error {
	s, err := f.read(ctx, h)
	if err != nil {
		return err
	}
	if s.same {
		return f.Want.Set(ctx, h, f.Path)
	}
	if err := f.claim(ctx, h, s); err != nil {
		return err
	}
	if err := f.backup(ctx, h, s); err != nil {
		return fmt.Errorf("keep %s as %s: %w", f.Path, f.Path+backupSuffix, err)
	}
	earlier, err := f.track(ctx, h, s)
	if err != nil {
		return err
	}
	if len(f.Validate) == 0 {
		err = f.put(ctx, h, f.Path)
	} else {
		err = f.putValidated(ctx, h, s)
	}
	if err != nil {
		return err
	}
	return forget(ctx, h, earlier)
}

// claim records the mark before the file is made or replaced. An existing mark
// remains, with one more checksum: it records the earlier state.
func (f File) claim(ctx context.Context, h module.Host, s state) error {
	_, marked, err := ownership.Of(ctx, h, f.Path)
	switch {
	case err != nil || h.Owner() == "":
		return err
	case marked && s.exists && f.Edited != nil:
		return hostfile.Edits(ctx, h, f.Path, *f.Edited, string(f.Source.Text))
	case marked:
		return hostfile.Rewrites(ctx, h, f.Path, f.Source.SHA256)
	case !s.exists:
		return h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: f.Path, Sums: f.Source.SHA256})
	case f.Backup:
		return h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: f.Path, Prior: f.Path + backupSuffix, Sums: f.replaces()})
	}
	return ownership.Foreign(h, f.Path, "it came up after the plan")
}

// replaces returns the checksum of the new content of a foreign file, or "" if the file is only edited: its edits have marks of
// their own.
func (f File) replaces() string {
	if f.Edited != nil {
		return ""
	}
	return f.Source.SHA256
}

// backup saves the file from before kinit: only once, and not a file that kinit
// itself made.
func (f File) backup(ctx context.Context, h module.Host, s state) error {
	made := s.mark.ID != "" && s.mark.Prior == ""
	if !f.Backup || !s.exists || made {
		return nil
	}
	_, there, err := hostfile.Look(ctx, h, f.Path+backupSuffix)
	if err != nil || there {
		return err
	}
	if !s.info.Mode.IsRegular() {
		return h.Files().Rename(ctx, f.Path, f.Path+backupSuffix)
	}
	r, err := h.Files().Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	attr := module.Attr{Mode: s.info.Mode.Perm(), Owner: s.info.Owner, Group: s.info.Group}
	return h.Files().Write(ctx, f.Path+backupSuffix, r, attr)
}

func (f File) put(ctx context.Context, h module.Host, path string) error {
	attr, err := f.Want.Attr()
	if err != nil {
		return err
	}
	r, err := f.Source.Reader(ctx, h, f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	err = h.Files().Write(ctx, path, r, attr)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder of %s is missing, make it with a directory task before: %w", f.Path, err)
	}
	return err
}

// putValidated writes the content to a temporary file, runs the command on it and
// moves it into place.
func (f File) putValidated(ctx context.Context, h module.Host, s state) error {
	temp := module.TemporaryName(f.Path)
	f.Want = f.Want.Or(s.info)
	if err := f.put(ctx, h, temp); err != nil {
		return err
	}
	if err := f.accept(ctx, h, temp); err != nil {
		return errors.Join(err, hostfile.Discard(ctx, h, temp))
	}
	return h.Files().Rename(ctx, temp, f.Path)
}

func (f File) accept(ctx context.Context, h module.Host, temp string) error {
	argv := lists.Map(f.Validate, func(arg string) string { return strings.ReplaceAll(arg, "%s", temp) })
	_, err := h.Run(ctx, module.Command{Argv: argv})
	if exit, ok := errors.AsType[*module.ExitError](err); ok && f.Secret {
		return fmt.Errorf("new content of %s is rejected by %s, the file is as before: it ended with code %d; the content is secret, so what it said is not shown",
			f.Path, cmdtext.Show(h, f.Validate), exit.Code)
	}
	if err != nil {
		return fmt.Errorf("new content of %s is rejected by %s, the file is as before: %w",
			f.Path, cmdtext.Show(h, f.Validate), err)
	}
	return nil
}

// restore restores the file from before kinit. After an interrupted restore
// only the mark is left.
func (f File) restore(ctx context.Context, h module.Host) error {
	err := h.Files().Rename(ctx, f.Path+backupSuffix, f.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	edits, err := editsOf(ctx, h, f.Path)
	if err != nil {
		return err
	}
	if err := forget(ctx, h, edits); err != nil {
		return err
	}
	return ownership.Release(ctx, h, f.Path)
}

func (f File) remove(ctx context.Context, h module.Host) error {
	return hostfile.Delete(ctx, h, f.Path)
}

// reportBytes is the size from which sending a file shows progress, and the interval
// between two reports.
const reportBytes = 1 << 20

// Reader returns a reader of the content that reports progress if the content is large.
func (s Source) Reader(ctx context.Context, h module.Host, path string) (io.ReadCloser, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if s.Size <= reportBytes {
		return r, nil
	}
	return &counter{ReadCloser: r, report: func(done int64) {
		h.Report(event.Progress{Text: "send " + path, Done: done, Total: s.Size})
	}}, nil
}

// counter is a reader that reports its progress at an interval of bytes.
type counter struct {
	io.ReadCloser
	report       func(done int64)
	done, before int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.done += int64(n)
	if c.done-c.before >= reportBytes || err == io.EOF {
		c.before = c.done
		c.report(c.done)
	}
	return n, err
}
