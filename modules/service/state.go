package service

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/unitfile"
)

// state is the current state of the unit.
type state struct {
	shown
	file   *string // the unit file in /etc/systemd/system, nil when there is none
	link   string  // the target of a link in its place: systemctl links, masks and makes aliases so
	ours   bool    // the unit file has a mark, or nothing on the host has an owner
	before *prior  // the former state of a distribution's service, nil if kinit did not change it
	mark   module.Mark
	stored string // the fingerprint of kinit's last start, empty if unknown
}

// shown is the output of systemctl show.
type shown struct {
	load, activeState, fileState, reload string

	// of a service; empty for other units
	kind     string // Type
	sub      string
	result   string // of the last run
	status   string // the exit code of the last run
	restarts string // how often systemd has restarted it since it was started
	limit    string // the time limit of a start
}

// once reports whether the unit is a service that does its work, ends, and does not count as active then.
func (s shown) once() bool {
	return s.kind == "oneshot" && s.activeState == "inactive" && s.result == "success"
}

// active reports whether the unit runs, or runs while it reloads.
func (s shown) active() bool { return s.activeState == "active" || s.activeState == "reloading" }

// up reports whether the unit runs or is starting, with the files from when it began.
func (s shown) up() bool { return s.active() || s.activeState == "activating" }

func (s shown) enabled() bool { return s.fileState == "enabled" }

// enables reports whether the unit can be enabled: other units start a static or
// generated unit.
func (s shown) enables() bool {
	return !slices.Contains([]string{"static", "generated", "transient", "alias", "indirect"}, s.fileState)
}

func (s shown) masked() bool { return strings.HasPrefix(s.fileState, "masked") }

// prior returns the data that a mark keeps of the service's current state.
func (s shown) prior() prior {
	return prior{Enabled: s.enabled(), Active: s.up(), Masked: s.masked()}
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.shown, err = show(ctx, h, t.unit()); err != nil {
		return s, err
	}
	if t.Unit != nil || t.State == "absent" {
		if err := t.readUnit(ctx, h, &s); err != nil {
			return s, err
		}
	}
	if t.Unit != nil || len(t.RestartOn) > 0 || t.State == "absent" {
		s.stored, err = t.readStored(ctx, h)
	}
	if err != nil || t.State != "absent" {
		return s, err
	}
	marked := false
	if s.mark, marked, err = ownership.Of(ctx, h, t.unit(), "service"); err == nil && marked {
		s.before, err = priorOf(s.mark)
	}
	return s, err
}

// show reads the unit from systemd; an unknown unit is not-found. systemd answers for the
// instances of a template only.
func show(ctx context.Context, h module.Host, unit string) (shown, error) {
	if unitfile.IsTemplate(unit) {
		return shown{load: "loaded", activeState: "inactive"}, ctx.Err()
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "show",
		"--property=LoadState,ActiveState,UnitFileState,NeedDaemonReload,Type,SubState,Result,ExecMainStatus,NRestarts,TimeoutStartUSec", "--", unit}})
	if err != nil {
		return shown{}, err
	}
	values := map[string]string{}
	for line := range strings.Lines(out.Stdout) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return shown{
		load: values["LoadState"], activeState: values["ActiveState"], fileState: values["UnitFileState"], reload: values["NeedDaemonReload"],
		kind: values["Type"], sub: values["SubState"], result: values["Result"], status: values["ExecMainStatus"],
		restarts: values["NRestarts"], limit: values["TimeoutStartUSec"],
	}, nil
}

func (t *Task) readUnit(ctx context.Context, h module.Host, s *state) error {
	info, err := h.Files().Stat(ctx, t.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode.IsRegular() {
		s.link = info.Target
		s.ours, err = ownership.Ours(ctx, h, t.unit(), "unit")
		return err
	}
	if s.file, err = hostfile.Text(ctx, h, t.path()); err != nil || s.file == nil {
		return err
	}
	if s.ours = h.Owner() == ""; s.ours || t.Unit != nil && *s.file == *t.Unit {
		return nil
	}
	_, s.ours, err = ownership.Of(ctx, h, t.unit(), "unit")
	return err
}
