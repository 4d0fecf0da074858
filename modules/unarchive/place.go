package unarchive

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/tree"
)

// placeEach moves the unpacked entries into the folder, one after the other.
func (t *Task) placeEach(ctx context.Context, h module.Host, parts string, kept []tree.Entry) error {
	unpacked, err := tree.List(ctx, h, parts) // with the owners that were given
	if err != nil {
		return err
	}
	drop := byPath(kept)
	var changes, attributes []tree.Change
	for _, e := range unpacked {
		placed := stripped([]tree.Entry{e}, t.Strip)
		if _, is := drop[e.Path]; is || len(placed) == 0 {
			continue
		}
		name := placed[0].Path
		if e.Type == "d" {
			changes = append(changes, tree.Folder(name))
			attributes = append(attributes, tree.Attributes(name, e))
			continue
		}
		changes = append(changes, tree.Place(name, e.Path))
	}
	slices.Reverse(attributes) // a folder changes its owner after its content
	if err := tree.Apply(ctx, h, t.Dest, parts, append(changes, attributes...)); err != nil {
		return fmt.Errorf("put what was unpacked in place: %w", err)
	}
	return nil
}
