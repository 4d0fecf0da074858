package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/httpclient"
	"kinit/modules/internal/ownership"
)

// fetch downloads into the part, verifies it and puts it in place.
func (t *Task) fetch(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil {
		return err
	}
	if s.right {
		return t.Want.Set(ctx, h, t.Dest)
	}
	part, err := checksum.NewPart(ctx, h, t.Dest)
	if err != nil {
		return err
	}
	if err := t.own(ctx, h, s, part); err != nil {
		return errors.Join(err, part.Close(ctx, h))
	}
	err = t.fetchPart(ctx, h, part)
	if err == nil {
		err = t.place(ctx, h, s, part)
	}
	if err := errors.Join(err, part.Close(ctx, h)); err != nil {
		return err
	}
	return ownership.Release(ctx, h, t.Dest+checksum.PartSuffix)
}

// own marks the file, its part and its checksum before they are made.
func (t *Task) own(ctx context.Context, h module.Host, s state, part checksum.Part) error {
	if s.exists && !s.ours {
		return ownership.Foreign(h, t.Dest, "it came up after the plan")
	}
	for _, suffix := range []string{"", checksum.Suffix, checksum.PartSuffix} {
		if suffix == checksum.PartSuffix && !part.Beside() {
			continue
		}
		m := module.Mark{Kind: "download", ID: t.Dest + suffix, Keep: t.Keep && suffix != checksum.PartSuffix}
		if err := h.Own(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// fetchPart leaves a verified part. It continues a part of an earlier try. If that fails,
// the part was complete, or of another version and the download starts over, once. A part
// that did not fit on the disk is removed.
func (t *Task) fetchPart(ctx context.Context, h module.Host, p checksum.Part) error {
	part := p.Path
	_, resumed, err := hostfile.Look(ctx, h, part)
	if err != nil {
		return err
	}
	err = t.transfer(ctx, h, part)
	if unwritable(err) {
		return errors.Join(err, p.Drop(ctx, h))
	}
	if resumed && refused(err) && !t.Unverified {
		err = nil
	}
	if err == nil {
		err = t.verify(ctx, h, part)
	}
	if !resumed || !isMismatch(err) && !refused(err) {
		return err
	}
	if err := h.Files().Remove(ctx, part); err != nil {
		return err
	}
	if err := t.transfer(ctx, h, part); err != nil {
		if unwritable(err) {
			err = errors.Join(err, p.Drop(ctx, h))
		}
		return err
	}
	return t.verify(ctx, h, part)
}

// mismatch is a wrong checksum.
type mismatch struct{ url, algorithm, want, got string }

func (m *mismatch) Error() string {
	return fmt.Sprintf("%s of %s is %s, want %s: the file at the source is another one, or the transfer was damaged",
		m.algorithm, m.url, m.got, m.want)
}

func isMismatch(err error) bool {
	_, is := errors.AsType[*mismatch](err)
	return is
}

// verify compares the part's checksum and removes a wrong part.
func (t *Task) verify(ctx context.Context, h module.Host, part string) error {
	if t.Unverified {
		return nil
	}
	h.Report(event.Progress{Text: "verify " + t.Dest})
	hex, err := content.Sum(ctx, h, t.sum.algorithm, part)
	if err != nil {
		return fmt.Errorf("verify %s: %w", part, err)
	}
	if hex == t.sum.hex {
		return nil
	}
	wrong := &mismatch{url: httpclient.Shown(h, t.URL), algorithm: t.sum.algorithm, want: t.sum.hex, got: hex}
	return errors.Join(wrong, h.Files().Remove(ctx, part))
}

// place sets the part's mode and owner, records its checksum and moves it into place. The
// record comes first: if the move fails, it does no harm because the file at dest has
// another size or time.
func (t *Task) place(ctx context.Context, h module.Host, s state, part checksum.Part) error {
	want := t.Want.Or(s.info)
	want.Mode = cmp.Or(want.Mode, "0644")
	if err := want.Set(ctx, h, part.Path); err != nil {
		return err
	}
	if err := t.remember(ctx, h, part); err != nil {
		return err
	}
	return h.Files().Rename(ctx, part.Path, t.Dest)
}

func (t *Task) remember(ctx context.Context, h module.Host, part checksum.Part) error {
	if t.Unverified {
		hex, err := content.Sum(ctx, h, "sha256", part.Path)
		if err != nil {
			return err
		}
		return h.Own(ctx, module.Mark{Kind: "download", ID: t.Dest, Keep: t.Keep, Sums: hex})
	}
	return checksum.Write(ctx, h, t.Dest, part, t.sum.algorithm, t.sum.hex)
}
