package download

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/pathmark"
)

// state is the current state of the destination.
type state struct {
	exists   bool
	info     module.FileInfo
	right    bool // the checksum is the expected one
	leftover bool // a part or a recorded checksum without the file
	ours     bool // there is a mark, or nothing on the host has an owner
}

// read reads the file and computes its checksum if size or time differ from the record.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	s.info, s.exists, err = hostfile.Look(ctx, h, t.Dest)
	switch {
	case err != nil:
		return s, err
	case !s.exists && t.Absent():
		s.leftover, err = checksum.Leftover(ctx, h, t.Dest)
		return s, err
	case !s.exists:
		return s, t.wanted(ctx, h)
	case !s.info.Mode.IsRegular():
		return s, fmt.Errorf("%s is no regular file, want a file or nothing there", t.Dest)
	}
	if !t.Absent() {
		if s.right, err = t.isRight(ctx, h, s.info); err != nil || s.right {
			return s, err
		}
	}
	s.ours, err = ownership.Ours(ctx, h, t.Dest)
	return s, err
}

// isRight compares the file's checksum with the expected one.
func (t *Task) isRight(ctx context.Context, h module.Host, info module.FileInfo) (bool, error) {
	seen, err := checksum.Read(ctx, h, t.Dest)
	if err != nil {
		return false, err
	}
	if t.Pin && seen.Fits(info) {
		t.sum = sum{seen.Algorithm, seen.Hex}
		return true, ctx.Err()
	}
	if err := t.wanted(ctx, h); err != nil || t.Unverified {
		return t.Unverified, err
	}
	if seen.Algorithm == t.sum.algorithm && seen.Fits(info) {
		return seen.Hex == t.sum.hex, nil
	}
	hex, err := content.Sum(ctx, h, t.sum.algorithm, t.Dest)
	return hex == t.sum.hex, err
}

// wanted returns the checksum that the file should have; the host reads a published
// one.
func (t *Task) wanted(ctx context.Context, h module.Host) error {
	switch {
	case t.SHA256 != "":
		t.sum = sum{"sha256", strings.ToLower(t.SHA256)}
	case t.SHA512 != "":
		t.sum = sum{"sha512", strings.ToLower(t.SHA512)}
	case t.SHA256URL != "":
		return t.look(ctx, h, "sha256", t.SHA256URL)
	case t.SHA512URL != "":
		return t.look(ctx, h, "sha512", t.SHA512URL)
	}
	return ctx.Err()
}

func (t *Task) look(ctx context.Context, h module.Host, algorithm, at string) error {
	hex, err := t.published(ctx, h, algorithm, at)
	if err != nil {
		return fmt.Errorf("read the checksum at %s: %w", h.Redact(at), err)
	}
	t.sum = sum{algorithm, hex}
	return nil
}

// edited reports whether somebody has changed a downloaded file since.
func edited(ctx context.Context, h module.Host, mark module.Mark) (bool, error) {
	known, err := checksum.Read(ctx, h, mark.ID)
	if err != nil {
		return false, err
	}
	if known.Hex == "" { // not verified
		return pathmark.Edited(module.MarkedPath)(ctx, h, mark)
	}
	info, there, err := hostfile.Look(ctx, h, mark.ID)
	switch {
	case err != nil || !there || info.Mode.IsDir() || known.Fits(info):
		return false, err
	case !info.Mode.IsRegular():
		return true, nil
	}
	hex, err := content.Sum(ctx, h, known.Algorithm, mark.ID)
	return hex != known.Hex, err
}
