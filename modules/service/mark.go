package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/unitfile"
)

// prior is the state of a service before kinit changed it: the data of a mark of the kind
// "service".
type prior struct {
	Enabled bool `json:"enabled"`
	Active  bool `json:"active"`
	Masked  bool `json:"masked,omitempty"`
}

func (p *prior) words() string {
	words := []string{"disabled", "stopped"}
	if p.Enabled {
		words[0] = "enabled"
	}
	if p.Active {
		words[1] = "started"
	}
	if p.Masked {
		words[0] = "masked"
	}
	return strings.Join(words, ", ")
}

// verbs returns the systemctl commands that restore that state.
func (p *prior) verbs() []string {
	if p.Masked {
		return []string{"stop", "mask"}
	}
	verbs := []string{"unmask", "disable", "stop"}
	if p.Enabled {
		verbs[1] = "enable"
	}
	if p.Active {
		verbs[2] = "start"
	}
	return verbs
}

func priorOf(mark module.Mark) (*prior, error) {
	was := &prior{}
	if err := json.Unmarshal([]byte(mark.Prior), was); err != nil {
		return nil, fmt.Errorf("the mark of service %s does not say how it was: %w", mark.ID, err)
	}
	return was, nil
}

// undoService restores the former state of a service. If its package is gone, it does
// nothing.
func undoService(ctx context.Context, h module.Host, mark module.Mark) error {
	was, err := priorOf(mark)
	if err != nil {
		return err
	}
	now, err := show(ctx, h, mark.ID)
	if err != nil || now.load == "not-found" {
		return err
	}
	for _, verb := range was.verbs() {
		if err := systemctl(ctx, h, mark.ID, verb); err != nil {
			return err
		}
	}
	return nil
}

// FileOf returns the file of a unit by its mark.
func FileOf(mark module.Mark) string { return unitfile.Folder + mark.ID }

// UndoUnit stops a unit before it removes its file: systemd cannot stop it without
// the file. A template does not run, so it is not stopped.
func UndoUnit(ctx context.Context, h module.Host, mark module.Mark) error {
	there, err := hostfile.Exists(ctx, h, FileOf(mark))
	if err != nil {
		return err
	}
	if there {
		verb := []string{"disable", "--now"}
		if unitfile.IsTemplate(mark.ID) {
			verb = verb[:1]
		}
		if err := systemctl(ctx, h, mark.ID, verb...); err != nil {
			return err
		}
	}
	if err := h.Files().Remove(ctx, FileOf(mark)); err != nil {
		return err
	}
	return reload(ctx, h)
}
