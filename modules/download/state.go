package download

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/content"
)

// state is what is at the destination now.
type state struct {
	exists   bool
	info     module.FileInfo
	right    bool // the checksum is the one that is wanted
	leftover bool // a part or a remembered checksum without the file
	ours     bool // there is a mark, or nothing on the host has an owner
}

// read looks at the file and, where size and time are not the remembered ones,
// computes its checksum.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	info, err := h.Files().Stat(ctx, t.Dest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t.readMissing(ctx, h)
	case err != nil:
		return s, err
	case !info.Mode.IsRegular():
		return s, fmt.Errorf("%s is no regular file, want a file or nothing there", t.Dest)
	}
	s = state{exists: true, info: info, ours: h.Owner() == ""}
	if t.State == "present" {
		if s.right, err = t.isRight(ctx, h, info); err != nil || s.right {
			return s, err
		}
	}
	if !s.ours {
		_, s.ours, err = claim.Of(ctx, h, t.Dest)
	}
	return s, err
}

// readMissing looks, for an absent file, at what an interrupted task left.
func (t *Task) readMissing(ctx context.Context, h module.Host) (state, error) {
	var s state
	if t.State == "present" {
		err := t.wanted(ctx, h)
		return s, err
	}
	for _, suffix := range []string{partSuffix, sumSuffix} {
		_, err := h.Files().Stat(ctx, t.Dest+suffix)
		if err == nil {
			s.leftover = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	return s, ctx.Err()
}

// isRight compares the file's checksum with the one that is wanted.
func (t *Task) isRight(ctx context.Context, h module.Host, info module.FileInfo) (bool, error) {
	seen, err := readRemembered(ctx, h, t.Dest+sumSuffix)
	if err != nil {
		return false, err
	}
	if t.Pin && seen.hex != "" && seen.size == info.Size && sameTime(seen.mtime, info.MTime) {
		t.sum = seen.sum
		return true, ctx.Err()
	}
	if err := t.wanted(ctx, h); err != nil || t.Unverified {
		return t.Unverified, err
	}
	if seen.algorithm == t.sum.algorithm && seen.size == info.Size && sameTime(seen.mtime, info.MTime) {
		return seen.hex == t.sum.hex, nil
	}
	hex, err := content.Sum(ctx, h, t.sum.algorithm, t.Dest)
	return hex == t.sum.hex, err
}

// wanted finds the checksum the file should have; a published one is read by the
// host.
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

// look finds the checksum where it is published.
func (t *Task) look(ctx context.Context, h module.Host, algorithm, at string) error {
	hex, err := t.published(ctx, h, algorithm, at)
	if err != nil {
		return fmt.Errorf("read the checksum at %s: %w", h.Redact(at), err)
	}
	t.sum = sum{algorithm, hex}
	return nil
}

// remembered is what <dest>.kinit-sum says: "<algorithm> <hex> <bytes> <nanoseconds>".
type remembered struct {
	sum
	size  int64
	mtime time.Time
}

// readRemembered reads what was verified. A missing or foreign file says nothing.
func readRemembered(ctx context.Context, h module.Host, path string) (remembered, error) {
	text, err := content.ReadAll(ctx, h, path)
	if errors.Is(err, fs.ErrNotExist) {
		return remembered{}, nil
	}
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 4 {
		return remembered{}, err
	}
	size, sizeErr := strconv.ParseInt(fields[2], 10, 64)
	nano, timeErr := strconv.ParseInt(fields[3], 10, 64)
	if sizeErr != nil || timeErr != nil {
		return remembered{}, nil
	}
	return remembered{sum{fields[0], fields[1]}, size, time.Unix(0, nano)}, nil
}

func (r remembered) line() string {
	return fmt.Sprintf("%s %s %d %d\n", r.algorithm, r.hex, r.size, r.mtime.UnixNano())
}

// sameTime compares modification times. Some connections know whole seconds
// only; then the seconds decide.
func sameTime(a, b time.Time) bool {
	if a.Nanosecond() == 0 || b.Nanosecond() == 0 {
		return a.Unix() == b.Unix()
	}
	return a.Equal(b)
}
