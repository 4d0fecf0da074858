// Package seal remembers beside a file what it was when kinit made it, so that a
// later run needs no more than a look at size and time to know that it still is.
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

// Seal is what was remembered.
type Seal struct {
	Algorithm string // what Hex is: a checksum of the file, or a fingerprint of what it was made of
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

// Write remembers what the part is that will be the file. Written before the part
// is renamed, it is no trouble when that does not come about: the file that is
// there then has another size or time.
func Write(ctx context.Context, h module.Host, file string, part Part, algorithm, hex string) error {
	info, err := h.Files().Stat(ctx, part.Path)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%s %s %d %d\n", algorithm, hex, info.Size, info.MTime.UnixNano())
	return h.Files().Write(ctx, file+Suffix, strings.NewReader(line), module.Attr{Mode: 0o644})
}

// Fits tells whether the file is as it was when it was sealed. Some connections
// know whole seconds only; then the seconds decide.
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

// Leftover tells whether there is a part or a seal, be it without the file.
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
