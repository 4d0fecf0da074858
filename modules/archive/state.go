package archive

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// state is the current state of the folder and of the destination.
type state struct {
	entries  []tree.Entry
	exists   bool // the archive
	info     module.FileInfo
	right    bool // it matches the folder
	leftover bool // a part or a checksum record without the archive
	ours     bool // there is a mark, or nothing on the host has an owner
}

func (t *Task) read(ctx context.Context, h module.Host) (s state, err error) {
	if !t.Absent() {
		if s.entries, err = t.readSource(ctx, h); err != nil {
			return s, err
		}
	}
	s.info, s.exists, err = hostfile.Look(ctx, h, t.Dest)
	switch {
	case err != nil:
		return s, err
	case !s.exists:
		s.leftover, err = checksum.Leftover(ctx, h, t.Dest)
		return s, err
	case !s.info.Mode.IsRegular():
		return s, fmt.Errorf("%s is no regular file, want an archive or nothing there", t.Dest)
	}
	made, err := checksum.Read(ctx, h, t.Dest)
	if err != nil {
		return s, err
	}
	s.right = made.Fits(s.info) && made.Algorithm == t.algorithm() && made.Hex == tree.Fingerprint(s.entries)
	s.ours, err = ownership.Ours(ctx, h, t.Dest)
	return s, err
}

func (t *Task) readSource(ctx context.Context, h module.Host) ([]tree.Entry, error) {
	info, err := h.Files().Stat(ctx, t.Source)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if !info.Mode.IsDir() {
		return nil, fmt.Errorf("source %s is no folder, want one to pack", t.Source)
	}
	return tree.List(ctx, h, t.Source, t.Exclude...)
}

// algorithm names how the archive is made from the folder.
func (t *Task) algorithm() string { return "tree/" + t.format().name }

// decide compares without looking at the host.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !s.exists:
		return module.OneStep(fmt.Sprintf("create archive %s of %s, %s%s", t.Dest, t.Source, count(s.entries), t.Want.Words()), t.create), nil
	case !s.right && !s.ours:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.Dest}, t.Dest+" exists, is not what "+t.Source+" gives, and", "move it away")
	case !s.right:
		return module.OneStep(fmt.Sprintf("recreate archive %s of %s, %s", t.Dest, t.Source, count(s.entries)), t.create), nil
	}
	return t.Want.Plan(t.Dest, s.info), nil
}

func count(entries []tree.Entry) string {
	if len(entries) == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", len(entries))
}
