package unarchive

import (
	"context"
	"errors"
	"fmt"
	"path"

	"kinit/engine/module"
	"kinit/modules/copy"
	"kinit/modules/download"
	"kinit/modules/internal/checksum"
	"kinit/modules/internal/content"
)

// fetch brings the archive to the host, if it is not there yet, and returns its
// path.
func (t *Task) fetch(ctx context.Context, h module.Host, w workshop) (string, error) {
	if t.Archive == "" {
		return w.archive, bring(ctx, h, t.carrier("present", w))
	}
	if t.SHA256 == "" {
		return t.Archive, nil
	}
	folder, err := h.Files().Folder(ctx, t.Archive)
	if err != nil || folder.Closed {
		return t.Archive, errors.Join(err, t.verify(ctx, h, t.Archive))
	}
	// Others could replace the archive after it is verified.
	if _, err := h.Run(ctx, module.Command{Argv: []string{"cp", "--no-dereference", "--reflink=auto", "--", t.Archive, w.archive}}); err != nil {
		return "", fmt.Errorf("archive: %w", err)
	}
	return w.archive, t.verify(ctx, h, w.archive)
}

// discard removes the archive that was brought to the host.
func (t *Task) discard(ctx context.Context, h module.Host, w workshop) error {
	if t.Archive != "" {
		return h.Files().Remove(ctx, w.archive)
	}
	return bring(ctx, h, t.carrier("absent", w))
}

// workshop is where an archive is unpacked: a folder that no other user can change.
type workshop struct {
	archive string // the archive, where it was brought to the host
	parts   string // its content, until it is complete
	part    checksum.Part
}

// open returns the place: in dest itself, or in a private folder if others can change
// dest.
func (t *Task) open(ctx context.Context, h module.Host) (workshop, error) {
	part, err := checksum.NewPart(ctx, h, path.Join(t.Dest, t.hidden(partsEnd)))
	w := workshop{archive: path.Join(t.Dest, t.hidden("")), parts: path.Join(t.Dest, t.hidden(partsEnd)), part: part}
	if err == nil && !part.Beside() {
		w.archive, w.parts = path.Join(path.Dir(part.Path), t.hidden("")), part.Path
	}
	return w, err
}

// carrier returns the task of another module that brings the archive and checks it.
func (t *Task) carrier(state string, w workshop) module.Task {
	presence := module.Presence{State: state}
	if t.URL != "" {
		return &download.Task{URL: t.URL, SHA256: t.SHA256, Dest: w.archive, Presence: presence}
	}
	task := &copyfile.Task{Given: content.Given{Source: t.Source, Dest: w.archive, Presence: presence}}
	if state == "absent" {
		task.Source = ""
	}
	task.ReadFrom(t.files)
	return task
}

func bring(ctx context.Context, h module.Host, task module.Task) error {
	steps, err := task.Plan(ctx, h)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if err := step.Do(ctx, h); err != nil {
			return err
		}
	}
	return nil
}
