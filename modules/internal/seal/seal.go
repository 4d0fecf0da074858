// Package seal records the state of a file beside it when kinit made it, so that a
// later run can verify it by size and time alone.
package seal

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

// Suffixes of the names beside a file.
const (
	Suffix     = ".kinit-sum" // the seal
	PartSuffix = ".part"      // the file while it is made
)

// Seal is the recorded state.
type Seal struct {
	Algorithm string // the meaning of Hex: a checksum of the file, or a fingerprint of its sources
	Hex       string
	Size      int64 // bytes of the file
	MTime     time.Time
}

// Read reads the seal of a file. A missing or foreign one is zero.
func Read(ctx context.Context, h module.Host, file string) (Seal, error) {
	text, err := content.ReadAll(ctx, h, file+Suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return Seal{}, nil
	}
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 4 {
		return Seal{}, err
	}
	size, sizeErr := strconv.ParseInt(fields[2], 10, 64)
	nano, timeErr := strconv.ParseInt(fields[3], 10, 64)
	if sizeErr != nil || timeErr != nil {
		return Seal{}, nil
	}
	return Seal{fields[0], fields[1], size, time.Unix(0, nano)}, nil
}

// Write records the state of the part that will become the file. It is written before the
// part is renamed: if the rename fails, the seal does no harm because the existing file
// has another size or time.
func Write(ctx context.Context, h module.Host, file string, part Part, algorithm, hex string) error {
	info, err := h.Files().Stat(ctx, part.Path)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%s %s %d %d\n", algorithm, hex, info.Size, info.MTime.UnixNano())
	return h.Files().Write(ctx, file+Suffix, strings.NewReader(line), module.Attr{Mode: 0o644})
}

// Fits reports whether the file has not changed since it was sealed. Some connections
// support only whole seconds; then the seconds decide.
func (s Seal) Fits(info module.FileInfo) bool {
	if s.Hex == "" || s.Size != info.Size {
		return false
	}
	if s.MTime.Nanosecond() == 0 || info.MTime.Nanosecond() == 0 {
		return s.MTime.Unix() == info.MTime.Unix()
	}
	return s.MTime.Equal(info.MTime)
}

// Remove removes the file with its part and seal, and their marks.
func Remove(ctx context.Context, h module.Host, file string) error {
	for _, suffix := range []string{PartSuffix, "", Suffix} {
		if err := h.Files().Remove(ctx, file+suffix); err != nil {
			return err
		}
		if err := claim.Release(ctx, h, file+suffix); err != nil {
			return err
		}
	}
	return nil
}

// Leftover reports whether there is a part or a seal, even without the file.
func Leftover(ctx context.Context, h module.Host, file string) (bool, error) {
	for _, suffix := range []string{PartSuffix, Suffix} {
		_, err := h.Files().Stat(ctx, file+suffix)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, ctx.Err()
}
