package systemdunit

import (
	"context"
	"path"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// administrators is the folder of the administrator's units; man systemd.unit.
const administrators = "/etc/systemd/system"

func unitFile(mark module.Mark) string { return path.Join(administrators, mark.ID) }

// undoUnit stops a unit before it removes its file: systemd cannot stop it without
// the file.
func undoUnit(ctx context.Context, h module.Host, mark module.Mark) error {
	file := unitFile(mark)
	there, err := hostfile.Exists(ctx, h, file)
	if err != nil {
		return err
	}
	if there {
		if _, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "disable", "--now", "--", mark.ID}}); err != nil {
			return err
		}
	}
	if err := h.Files().Remove(ctx, file); err != nil {
		return err
	}
	_, err = h.Run(ctx, module.Command{Argv: []string{"systemctl", "daemon-reload"}})
	return err
}
