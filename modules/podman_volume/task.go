// Package podmanvolume is the module podman_volume: a named volume of podman.
package podmanvolume

import (
	"cmp"
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a volume of podman. Its content is never replaced: a volume with other
// options is an error.
// The content of an absent volume is deleted.
//
// Errors:
//   - the volume was made with other options
//   - a volume with the name is not the cluster's, or containers use a volume to remove
//   - podman is not installed
type Task struct {
	// Name is the volume's name.
	Name string `hcl:"name" nonempty:"expected the volume's name"`
	// Options are options of the local driver, such as { type = "tmpfs" }. Default none.
	Options map[string]string `hcl:"options,optional"`
	module.Presence

	seen seen.Reading[*podman.Volume]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_volume", Signs: true})
}

func (t *Task) options() []string { return podman.PairFlags("--opt", t.Options) }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	found, err := c.Volume(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	if found != nil && !c.Ours(found.Labels) {
		return nil, c.Foreign("podman volume "+t.Name, found.Labels)
	}
	switch {
	case t.Absent() && found != nil:
		return module.OneStep("remove podman volume "+t.Name, t.remove), nil
	case t.Absent():
		return nil, nil
	case found == nil:
		return module.OneStep("create podman volume "+t.Name, t.create), nil
	case found.Labels[podman.ConfigLabel] != podman.Hash(t.options()):
		return nil, fmt.Errorf("podman volume %s was made with other options: remove it, with its content, or use another name", t.Name)
	}
	return t.seen.After(found, nil), nil
}

func (t *Task) create(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	if found, err := c.Volume(ctx, t.Name); err != nil || found != nil {
		return err
	}
	return c.Create(ctx, "volume", t.Name, t.options())
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.Remove(ctx, "volume", t.Name)
}

type Outputs struct {
	Name       string `cty:"name"`       // the volume
	Mountpoint string `cty:"mountpoint"` // its folder on the host
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	found, err := t.seen.Or(func() (*podman.Volume, error) { return podman.Client{Host: h}.Volume(ctx, t.Name) })
	return Outputs{Name: t.Name, Mountpoint: cmp.Or(found, &podman.Volume{}).Mountpoint}, err
}
