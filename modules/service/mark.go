package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kinit/engine/module"
)

// former is the state of a service before kinit changed it: the data in the marks of the
// module service.
type former struct {
	Enabled bool `json:"enabled"`
	Active  bool `json:"active"`
	Masked  bool `json:"masked"`
}

// undoService restores the former state of a service. If its package is gone, it does
// nothing.
func undoService(ctx context.Context, h module.Host, mark module.Mark) error {
	var was former
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil {
		return fmt.Errorf("the mark does not say how it was: %w", err)
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "show", "--property=LoadState", "--value", "--", mark.ID}})
	if err != nil || strings.TrimSpace(out.Stdout) == "not-found" {
		return err
	}
	for _, verb := range was.verbs() {
		if _, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", verb, "--", mark.ID}}); err != nil {
			return err
		}
	}
	return nil
}

// verbs returns the systemctl commands that restore that state.
func (p former) verbs() []string {
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
