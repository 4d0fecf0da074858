package download

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/seal"
)

// decide compares without looking at the host.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !s.exists:
		return module.OneStep("download "+t.shownURL(h)+" to "+t.Dest+t.Want.Words(), t.fetch), nil
	case !s.right && !s.ours:
		return nil, fmt.Errorf("%s exists with another checksum and is not owned by cluster %s: move it away", t.Dest, h.Owner())
	case !s.right:
		return module.OneStep("download "+t.shownURL(h)+" to "+t.Dest+", whose checksum differs", t.fetch), nil
	}
	if changes := t.Want.Diff(s.info); len(changes) > 0 {
		return module.OneStep("set "+t.Dest+": "+strings.Join(changes, ", "), t.setAttr), nil
	}
	return nil, nil
}

func (t *Task) decideAbsent(h module.Host, s state) ([]module.Step, error) {
	if s.exists && !s.ours {
		return nil, fmt.Errorf("%s exists and is not owned by cluster %s: remove it yourself if nothing needs it", t.Dest, h.Owner())
	}
	if s.exists || s.leftover {
		return module.OneStep("remove "+t.Dest, t.remove), nil
	}
	return nil, nil
}

func (t *Task) setAttr(ctx context.Context, h module.Host) error {
	attr, err := t.Want.Attr()
	if err != nil {
		return err
	}
	return h.Files().SetAttr(ctx, t.Dest, attr)
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return seal.Remove(ctx, h, t.Dest)
}
