package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/content"
	"kinit/modules/internal/fingerprint"
)

// state is how the unit is now.
type state struct {
	shown
	file   *string // the unit file in /etc/systemd/system, nil when there is none
	ours   bool    // the unit file has a mark, or nothing on the host has an owner
	before *prior  // how a service of the distribution was, from its mark
	stored string  // the fingerprint of the last start by kinit, empty when not known
}

// shown is what systemctl show tells.
type shown struct{ load, activeState, fileState, reload string }

// prior is how a service was before kinit changed it: what a mark of the kind
// "service" keeps.
type prior struct {
	Enabled bool `json:"enabled"`
	Active  bool `json:"active"`
	Masked  bool `json:"masked,omitempty"`
}

// active tells whether the unit runs. One that is being reloaded does.
func (s shown) active() bool { return s.activeState == "active" || s.activeState == "reloading" }

// up tells whether the unit runs or is starting, with what was there when it began.
func (s shown) up() bool { return s.active() || s.activeState == "activating" }

// enabled tells whether the unit is to start with the system.
func (s shown) enabled() bool { return s.fileState == "enabled" }

// enables tells whether there is anything to enable: a static or generated unit
// is started by others.
func (s shown) enables() bool {
	switch s.fileState {
	case "static", "generated", "transient", "alias", "indirect":
		return false
	}
	return true
}

func (s shown) masked() bool { return strings.HasPrefix(s.fileState, "masked") }

// prior is what a mark keeps of how the service is now.
func (s shown) prior() (string, error) {
	text, err := json.Marshal(prior{Enabled: s.enabled(), Active: s.up(), Masked: s.masked()})
	return string(text), err
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.shown, err = t.show(ctx, h); err != nil {
		return s, err
	}
	if t.Unit != nil || t.State == "absent" {
		if err := t.readUnit(ctx, h, &s); err != nil {
			return s, err
		}
	}
	if t.Unit != nil || len(t.RestartOn) > 0 || t.State == "absent" {
		s.stored, err = readText(ctx, h, t.fingerprintPath(h))
	}
	if err != nil || t.State != "absent" {
		return s, err
	}
	s.before, err = t.readBefore(ctx, h)
	return s, err
}

// show asks systemd about the unit; one that it does not know is not-found.
func (t *Task) show(ctx context.Context, h module.Host) (shown, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "show",
		"--property=LoadState,ActiveState,UnitFileState,NeedDaemonReload", "--", t.unit()}})
	if err != nil {
		return shown{}, err
	}
	return parseShow(out.Stdout), nil
}

func parseShow(text string) shown {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return shown{values["LoadState"], values["ActiveState"], values["UnitFileState"], values["NeedDaemonReload"]}
}

func (t *Task) readUnit(ctx context.Context, h module.Host, s *state) error {
	info, err := h.Files().Stat(ctx, t.path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode.IsRegular() {
		return nil // a link is how systemctl masks a unit or makes an alias
	}
	if err != nil {
		return err
	}
	text, err := content.ReadAll(ctx, h, t.path())
	if err != nil {
		return err
	}
	have := string(text)
	s.file, s.ours = &have, h.Owner() == ""
	if s.ours || t.Unit != nil && have == *t.Unit {
		return nil
	}
	_, s.ours, err = claim.Of(ctx, h, t.unit(), "unit")
	return err
}

// readBefore reads how a service of the distribution was, nil when kinit did not
// change it.
func (t *Task) readBefore(ctx context.Context, h module.Host) (*prior, error) {
	if h.Owner() == "" {
		return nil, nil
	}
	mark, marked, err := claim.Of(ctx, h, t.unit(), "service")
	if err != nil || !marked {
		return nil, err
	}
	before := &prior{}
	if err := json.Unmarshal([]byte(mark.Prior), before); err != nil {
		return nil, fmt.Errorf("the mark of service %s does not say how it was: %w", t.unit(), err)
	}
	return before, nil
}

// fingerprintPath is the file that remembers what the service was started with.
// It is beside the manifests and not in /run, so that a reboot, which starts the
// service with the files that are there, asks for no restart.
func (t *Task) fingerprintPath(h module.Host) string {
	owner := h.Owner()
	if owner == "" {
		owner = "host"
	}
	return "/var/lib/kinit/" + owner + "." + t.unit() + ".fingerprint"
}

// fingerprint is what the service should have been started with, in a form to
// compare; empty when nothing is asked for.
func (t *Task) fingerprint() string {
	if t.Unit == nil && len(t.RestartOn) == 0 {
		return ""
	}
	return fingerprint.Of(append([]string{text(t.Unit)}, t.RestartOn...)...)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// readText reads a small file; a missing one is empty.
func readText(ctx context.Context, h module.Host, path string) (string, error) {
	data, err := content.ReadAll(ctx, h, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}
