package ospkg

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/packages"
)

// stamp has the time of the last refresh of the package lists by kinit. The files of the lists
// have the times of their servers, and lists that have not changed keep theirs.
const stamp = module.StateFolder + "/package-lists"

func (t *Task) planLists(ctx context.Context, h module.Host) ([]module.Step, error) {
	manager, err := packages.Of(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.ListAge != "" {
		if old, err := t.old(ctx, h); err != nil || !old {
			return nil, err
		}
	}
	return module.OneStep("refresh the package lists", func(ctx context.Context, h module.Host) error {
		if err := manager.Change(ctx, h, packages.Change{Refresh: true}); err != nil || t.ListAge == "" {
			return err
		}
		return note(ctx, h)
	}), nil
}

// old reports whether the package lists are older than they may be, or of unknown age.
func (t *Task) old(ctx context.Context, h module.Host) (bool, error) {
	text, there, err := hostfile.Read(ctx, h, stamp)
	if err != nil || !there {
		return true, err
	}
	made, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return true, nil // no number is there
	}
	now, err := clock(ctx, h)
	age := time.Duration(now-made) * time.Second
	return age > t.ListAge.Time() || age < 0, err
}

// clock returns the host's time, in seconds: the times of two machines differ.
func clock(ctx context.Context, h module.Host) (int64, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"date", "+%s"}})
	if err != nil {
		return 0, err
	}
	now, err := strconv.ParseInt(strings.TrimSpace(out.Stdout), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("date printed %q, want seconds", out.Stdout)
	}
	return now, nil
}

// note records that the package lists are fresh.
func note(ctx context.Context, h module.Host) error {
	now, err := clock(ctx, h)
	if err != nil {
		return err
	}
	if err := h.Files().Mkdir(ctx, module.StateFolder, module.Attr{}); err != nil {
		return err
	}
	return hostfile.Put(ctx, h, stamp, strconv.FormatInt(now, 10)+"\n", module.Attr{Mode: 0o644})
}
