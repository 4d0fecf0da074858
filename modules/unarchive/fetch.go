package unarchive

import (
	"context"
	"path"

	"kinit/engine/module"
	"kinit/modules/copyfile"
	"kinit/modules/download"
)

// fetch brings the archive to the host, where it is not there yet, and returns its
// path.
func (t *Task) fetch(ctx context.Context, h module.Host) (string, error) {
	if t.Archive != "" {
		return t.Archive, t.verify(ctx, h, t.Archive)
	}
	return t.fetched(), bring(ctx, h, t.carrier("present"))
}

// discard removes the archive that was brought to the host.
func (t *Task) discard(ctx context.Context, h module.Host) error {
	if t.Archive != "" {
		return nil
	}
	return bring(ctx, h, t.carrier("absent"))
}

func (t *Task) fetched() string { return path.Join(t.Dest, fetchedName) }

// carrier is the task of another module that brings the archive, and checks it.
func (t *Task) carrier(state string) module.Task {
	if t.URL != "" {
		return &download.Task{URL: t.URL, SHA256: t.SHA256, Dest: t.fetched(), State: state}
	}
	task := &copyfile.Task{Source: t.Source, Dest: t.fetched(), State: state}
	if state == "absent" {
		task.Source = ""
	}
	task.ReadFrom(t.files)
	return task
}

// bring does the steps of a task.
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
