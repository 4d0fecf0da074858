package podmansweep

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/manifest"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/podman"
)

// images lists the marked images. If another cluster has marked an image, or a remaining
// container was made from it, only the mark is removed, or handed over if that container is
// another cluster's.
func (t *Task) images(ctx context.Context, c podman.Client, marks []module.Mark, remaining []podman.Container) ([]target, error) {
	marks = slices.DeleteFunc(slices.Clone(marks), func(m module.Mark) bool {
		return m.Kind != podman.ImageMark || m.Keep && !t.Purge || t.stays(m.ID)
	})
	if len(marks) == 0 {
		return nil, nil
	}
	others, err := manifest.ReadOthers(ctx, c.Host)
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, mark := range marks {
		next, err := t.image(ctx, c, mark.ID, others.Owner(mark.Kind, mark.ID), remaining)
		if err != nil {
			return nil, err
		}
		if next != nil {
			targets = append(targets, *next)
		}
	}
	return targets, nil
}

func (t *Task) image(ctx context.Context, c podman.Client, name, other string, remaining []podman.Container) (*target, error) {
	forget := func(why string) *target {
		return &target{text: fmt.Sprintf("forget image %s: %s", name, why), do: func(ctx context.Context, h module.Host) error {
			return podman.Client{Host: h}.DisownImage(ctx, name)
		}}
	}
	image, err := c.Image(ctx, name)
	if err != nil {
		return nil, err
	}
	if image == nil {
		return forget("it is gone"), nil
	}
	for _, ctr := range remaining {
		if ctr.Image != image.ID {
			continue
		}
		if !t.All {
			return nil, nil // its container remains, and so does the image
		}
		if heir := heir(c.Host, ctr); heir != "" {
			return handOver("image "+name, heir, module.Mark{Kind: podman.ImageMark, ID: name}), nil
		}
		return forget("container " + ctr.Name + " uses it"), nil
	}
	if other != "" {
		return forget("cluster " + other + " has it too"), nil
	}
	return &target{text: "remove image " + name, do: func(ctx context.Context, h module.Host) error {
		return podman.Client{Host: h}.DropImage(ctx, name)
	}}, nil
}

// firewall lists podman's packet filter chains, once no container is left.
func (t *Task) firewall(h module.Host, marks []module.Mark, remaining []podman.Container) []target {
	i := slices.IndexFunc(marks, func(m module.Mark) bool { return m.Kind == podman.FirewallMark })
	if i < 0 || len(remaining) > 0 && !t.All {
		return nil
	}
	for _, ctr := range remaining {
		if heir := heir(h, ctr); heir != "" {
			return []target{*handOver("podman's packet filter rules", heir, marks[i])}
		}
	}
	if len(remaining) > 0 {
		return []target{{text: "forget podman's packet filter rules: container " + remaining[0].Name + " uses them", do: func(ctx context.Context, h module.Host) error { return h.Disown(ctx, marks[i]) }}}
	}
	return []target{{text: "remove podman's packet filter rules", do: func(ctx context.Context, h module.Host) error {
		return podman.Client{Host: h}.RemoveFirewall(ctx, marks[i])
	}}}
}

// heir returns the other cluster that a container belongs to. A cluster with the same name
// has no separate manifest for marks.
func heir(h module.Host, ctr podman.Container) string {
	if name := ownership.Name(ctr.Config.Labels[podman.OwnerLabel]); name != h.Owner() {
		return name
	}
	return ""
}

// handOver gives the owner's mark to another cluster that uses the object.
func handOver(what, heir string, mark module.Mark) *target {
	return &target{text: "hand " + what + " over to cluster " + heir, do: func(ctx context.Context, h module.Host) error {
		return manifest.HandOver(ctx, h, mark, heir)
	}}
}
