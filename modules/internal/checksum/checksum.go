// Package checksum records the state of a file beside it when kinit made it, so that a
// later run can verify it by size and time alone.
package checksum

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// Suffixes of the names beside a file.
const (
	Suffix     = ".kinit-sum" // the record
	PartSuffix = ".part"      // the file while it is made
)

// Record is the recorded state.
type Record struct {
	Algorithm string // the meaning of Hex: a checksum of the file, or a fingerprint of its sources
	Hex       string
	Size      int64 // bytes of the file
	MTime     time.Time
}

// Read reads the record of a file. A missing or foreign one is zero.
func Read(ctx context.Context, h module.Host, file string) (Record, error) {
	text, err := content.ReadAll(ctx, h, file+Suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, nil
	}
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 4 {
		return Record{}, err
	}
	size, sizeErr := strconv.ParseInt(fields[2], 10, 64)
	nano, timeErr := strconv.ParseInt(fields[3], 10, 64)
	if sizeErr != nil || timeErr != nil {
		return Record{}, nil
	}
	return Record{fields[0], fields[1], size, time.Unix(0, nano)}, nil
}

// Write records the state of the part that will become the file. It is written before the
// part is renamed: if the rename fails, the record does no harm because the existing file
// has another size or time.
func Write(ctx context.Context, h module.Host, file string, part Part, algorithm, hex string) error {
	info, err := h.Files().Stat(ctx, part.Path)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%s %s %d %d\n", algorithm, hex, info.Size, info.MTime.UnixNano())
	return h.Files().Write(ctx, file+Suffix, strings.NewReader(line), module.Attr{Mode: 0o644})
}

// Fits reports whether the file has not changed since it was recorded. Some connections
// support only whole seconds; then the seconds decide.
func (r Record) Fits(info module.FileInfo) bool {
	if r.Hex == "" || r.Size != info.Size {
		return false
	}
	if r.MTime.Nanosecond() == 0 || info.MTime.Nanosecond() == 0 {
		return r.MTime.Unix() == info.MTime.Unix()
	}
	return r.MTime.Equal(info.MTime)
}

// PlanAbsent returns the step that removes a file with its part and record. exists is about the
// file, and leftover about the others without it.
func PlanAbsent(h module.Host, file string, exists, ours, leftover bool) ([]module.Step, error) {
	switch {
	case exists && !ours:
		return nil, ownership.Foreign(h, file, ownership.Remove)
	case exists || leftover:
		return module.OneStep("remove "+file, func(ctx context.Context, h module.Host) error { return Remove(ctx, h, file) }), nil
	}
	return nil, nil
}

// Remove removes the file with its part and record, and their marks.
func Remove(ctx context.Context, h module.Host, file string) error {
	for _, suffix := range []string{PartSuffix, "", Suffix} {
		if err := hostfile.Delete(ctx, h, file+suffix); err != nil {
			return err
		}
	}
	return nil
}

// Leftover reports whether there is a part or a record, even without the file.
func Leftover(ctx context.Context, h module.Host, file string) (bool, error) {
	for _, suffix := range []string{PartSuffix, Suffix} {
		if _, there, err := hostfile.Look(ctx, h, file+suffix); err != nil || there {
			return there, err
		}
	}
	return false, ctx.Err()
}
