package nfttable

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/nft"
	"kinit/modules/internal/ownership"
)

// state is what is on the host.
type state struct {
	exists   bool
	live     string // the kernel's table, as nft prints it without counters
	file     string // the kept table, "" when there is none
	unitFile string // the unit's text, "" when there is none
	unit     unit
}

// unit is what systemd knows of the unit.
type unit struct{ loaded, enabled, active bool }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	var err error
	if s.exists, err = nft.Exists(ctx, h, t.Family, t.Name); err != nil {
		return s, err
	}
	if s.exists {
		if s.live, err = nft.Run(ctx, h, "", "--stateless", "list", "table", t.Family, t.Name); err != nil {
			return s, err
		}
	}
	if !t.Persist {
		return s, nil
	}
	if s.file, _, err = hostfile.Read(ctx, h, t.file()); err != nil {
		return s, err
	}
	if s.unitFile, _, err = hostfile.Read(ctx, h, t.unitFile()); err != nil {
		return s, err
	}
	s.unit, err = t.readUnit(ctx, h)
	return s, err
}

func (t *Task) readUnit(ctx context.Context, h module.Host) (unit, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{
		"systemctl", "show", "--property=LoadState,UnitFileState,ActiveState", "--", t.unit(),
	}})
	if err != nil {
		return unit{}, fmt.Errorf("read the state of %s: %w", t.unit(), err)
	}
	var u unit
	for line := range strings.Lines(out.Stdout) {
		switch strings.TrimSpace(line) {
		case "LoadState=loaded":
			u.loaded = true
		case "UnitFileState=enabled":
			u.enabled = true
		case "ActiveState=active":
			u.active = true
		}
	}
	return u, nil
}

// mayReplace returns an error if the table exists and is not the owner's: its
// comment names the owner, and on kernels without comments the mark does.
func (t *Task) mayReplace(ctx context.Context, h module.Host, s state) error {
	if !s.exists || strings.Contains(s.live, "\n\tcomment \""+comment(ownership.Signature(h))+"\"\n") {
		return nil
	}
	if other := nft.Owner(s.live); other != "" {
		return fmt.Errorf("%s exists and is not owned by cluster %s but by %s: remove it or use another name",
			t.title(), h.Owner(), ownership.Short(other, ownership.Signature(h)))
	}
	_, marked, err := ownership.Of(ctx, h, t.mark().ID, nft.TableMark)
	if err != nil || marked {
		return err
	}
	if h.Owner() == "" {
		return fmt.Errorf("%s exists and was not made by kinit: remove it or use another name", t.title())
	}
	return ownership.Foreign(h, t.title(), "remove it or use another name")
}
