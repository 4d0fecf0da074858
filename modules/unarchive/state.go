package unarchive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// manifest records what one archive left in a folder.
type manifest struct {
	Task     string       `json:"task,omitempty"` // the task that unpacked it
	Name     string       `json:"name,omitempty"` // of the archive
	SHA256   string       `json:"sha256"`         // of the archive
	Strip    int          `json:"strip,omitempty"`
	Include  []string     `json:"include,omitempty"`
	Exclude  []string     `json:"exclude,omitempty"`
	Size     int64        `json:"size,omitempty"` // of the archive on the host, bytes
	MTime    time.Time    `json:"mtime,omitzero"` // of the archive on the host
	NewDest  bool         `json:"new_dest"`       // the folder was made for it
	Unpacked []tree.Entry `json:"unpacked"`       // in the state after unpacking
}

// state is the current state of the folder.
type state struct {
	exists   bool // the folder
	info     module.FileInfo
	ours     bool // there is a mark, or nothing on the host has an owner
	created  bool // the path in creates exists
	unpacked bool // there is a manifest of the task's archive
	manifest manifest
	old      string              // the name of a manifest that the task's own one replaces, written by an earlier version of kinit
	going    map[string]manifest // what an absent task removes, by the names of the manifests
	others   map[string]manifest // what other archives left in the folder
	sum      string              // the archive's checksum
	here     []tree.Entry        // the content of the folder
	archive  module.FileInfo
}

func (t *Task) read(ctx context.Context, h module.Host) (s state, err error) {
	if t.Creates != "" {
		if s.created, err = hostfile.Exists(ctx, h, t.Creates); err != nil {
			return s, err
		}
	}
	if err := t.readFolder(ctx, h, &s); err != nil {
		return s, err
	}
	if t.Absent() {
		return s, ctx.Err()
	}
	s.sum, err = t.checksum(ctx, h, &s)
	t.sum = s.sum
	if err == nil && !s.unpacked {
		t.adopt(&s)
	}
	return s, err
}

func (t *Task) readFolder(ctx context.Context, h module.Host, s *state) error {
	var err error
	s.info, s.exists, err = hostfile.Look(ctx, h, t.Dest)
	switch {
	case err != nil || !s.exists:
		return err
	case !s.info.Mode.IsDir():
		return fmt.Errorf("%s is no folder, want one or nothing there", t.Dest)
	}
	if s.ours, err = ownership.Ours(ctx, h, t.Dest); err != nil {
		return err
	}
	if s.others, err = manifests(ctx, h, t.Dest); err != nil {
		return err
	}
	t.pick(s)
	if s.created && !t.Absent() {
		return nil
	}
	s.here, err = tree.List(ctx, h, t.Dest, ".kinit-unarchive*")
	return err
}

// checksum returns the archive's checksum. An archive on the host is hashed only if its
// size or time differs from the manifest.
func (t *Task) checksum(ctx context.Context, h module.Host, s *state) (string, error) {
	pinned := strings.ToLower(t.SHA256)
	switch {
	case t.Source != "":
		source, err := content.FromFile(t.files, t.Source)
		if err == nil && pinned != "" && source.SHA256 != pinned {
			err = t.mismatch(source.SHA256)
		}
		return source.SHA256, err
	case pinned != "":
		return pinned, nil
	}
	info, err := h.Files().Stat(ctx, t.Archive)
	if err != nil {
		return "", fmt.Errorf("archive: %w", err)
	}
	s.archive = info
	if s.unpacked && info.Size == s.manifest.Size && info.MTime.Unix() == s.manifest.MTime.Unix() {
		return s.manifest.SHA256, nil
	}
	return content.Sum(ctx, h, "sha256", t.Archive)
}

func (t *Task) mismatch(sum string) error {
	return fmt.Errorf("sha256 of %s is %s, want %s: it is another archive, or was damaged on the way",
		t.name(), sum, strings.ToLower(t.SHA256))
}
