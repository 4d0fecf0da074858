package systemdunit

import (
	"context"
	"path"

	"kinit/engine/module"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/hostfile"
)

// planDropIn plans the file, then the unit: a drop-in alone needs only
// a restart of a running unit.
func (t *Task) planDropIn(ctx context.Context, h module.Host, text string) ([]module.Step, error) {
	file := content.File{Path: t.path(), Source: content.FromText([]byte(text)), Want: fileattr.Want{Mode: "0644"},
		Advice: "choose another drop_in, or move it away"}
	steps, err := t.reloaded(file.Plan)(ctx, h)
	if err != nil {
		return nil, err
	}
	unit := t.service()
	unit.RestartOn = append([]string{t.DropIn, text}, t.RestartOn...)
	unit.ForDropIn(t.DropIn, len(steps) == 0)
	restart, err := unit.Plan(ctx, h)
	return append(steps, restart...), err
}

// reloaded makes the folder for each change of the drop-in, and makes systemd read it. A
// folder that kinit made is removed when it is empty.
func (t *Task) reloaded(plan module.Planner) module.Planner {
	return module.Around(plan, func(ctx context.Context, h module.Host, step module.Step) error {
		if t.State != "absent" {
			if err := hostfile.Parents(ctx, h, t.path()); err != nil {
				return err
			}
		}
		if err := step.Do(ctx, h); err != nil {
			return err
		}
		if t.State == "absent" {
			if err := hostfile.Prune(ctx, h, path.Dir(t.path())); err != nil {
				return err
			}
		}
		return module.Exec(ctx, h, "systemctl", "daemon-reload")
	})
}
