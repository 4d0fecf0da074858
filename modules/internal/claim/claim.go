// Package claim asks whom a thing on a host belongs to.
//
// A module may replace or remove what its cluster made. What was there before,
// or belongs to another cluster, is left alone.
package claim

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
)

// Of returns the owner's mark of a thing and whether there is one. Without kinds,
// a mark of any kind counts: a path has one owner, whichever module made it.
func Of(ctx context.Context, h module.Host, id string, kinds ...string) (module.Mark, bool, error) {
	marks, err := h.Marks(ctx)
	if err != nil {
		return module.Mark{}, false, fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	for _, m := range marks {
		if m.ID == id && (len(kinds) == 0 || slices.Contains(kinds, m.Kind)) {
			return m, true, nil
		}
	}
	return module.Mark{}, false, nil
}

// Free returns nil when the thing may be replaced or removed: the owner has a
// mark of it, or nothing on the host has an owner. Otherwise the error says that
// the thing is not the owner's, and the advice what to do.
func Free(ctx context.Context, h module.Host, id, advice string, kinds ...string) error {
	if h.Owner() == "" {
		return nil
	}
	_, ours, err := Of(ctx, h, id, kinds...)
	if err != nil || ours {
		return err
	}
	return fmt.Errorf("%s exists and is not owned by cluster %s: %s", id, h.Owner(), advice)
}

// Release removes every mark of a thing that is gone, of one of the kinds or of
// any. A host without an owner has none.
func Release(ctx context.Context, h module.Host, id string, kinds ...string) error {
	if h.Owner() == "" {
		return nil
	}
	marks, err := h.Marks(ctx)
	if err != nil {
		return fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	for _, m := range marks {
		if m.ID != id || len(kinds) > 0 && !slices.Contains(kinds, m.Kind) {
			continue
		}
		if err := h.Disown(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
