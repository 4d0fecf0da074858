package sweep

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/pathmark"
)

// forgetAll returns the last step of a complete removal: it removes the manifest itself,
// with the marks of remaining objects, or the empty folder that an interrupted removal left.
// It is nil while there are marks that no module undoes.
func (t *Task) forgetAll(h module.Host, s state, doomed []module.Mark) module.Step {
	if s.empty && len(s.marks) == 0 {
		return module.NewStep("remove the empty folder of manifests", func(ctx context.Context, h module.Host) error {
			return manifest.Remove(ctx, h, false)
		})
	}
	if !t.All || len(s.foreign) > 0 || !s.manifest && len(s.marks) == 0 {
		return nil
	}
	var kept []module.Mark
	for _, mark := range s.marks {
		switch {
		case slices.Contains(doomed, mark):
		case t.stays(mark):
			kept = append(kept, mark)
		default:
			return nil
		}
	}
	own := manifest.Of(h.Owner())
	stays := s.others.Below(own) != "" || pathmark.Below(kept, own)
	return module.NewStep("remove the manifest of cluster "+h.Owner()+stayText(kept), func(ctx context.Context, h module.Host) error {
		for _, mark := range kept {
			if err := h.Disown(ctx, mark); err != nil {
				return err
			}
		}
		return manifest.Remove(ctx, h, stays)
	})
}

func stayText(kept []module.Mark) string {
	if len(kept) == 0 {
		return ""
	}
	names := lists.Map(kept, func(mark module.Mark) string { return mark.Kind + " " + mark.ID })
	return "; these stay: " + strings.Join(names, ", ")
}
