// Package podmanvolume is the module podman_volume: a named volume of podman.
package podmanvolume

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a volume of podman. Its content is never replaced: a volume with other
// options is an error.
//
// Outputs:
//   - name: the volume
//   - mountpoint: its folder on the host
//
// Errors:
//   - the volume was made with other options
//   - a volume of the name is not the cluster's, or containers use one that is to go
//   - podman is not installed
type Task struct {
	// Name is the volume's name.
	Name string `hcl:"name"`
	// Options are options of the local driver, such as { type = "tmpfs" }. Default none.
	Options map[string]string `hcl:"options,optional"`
	// State is "present" (the default) or "absent", which deletes its content.
	State string `hcl:"state,optional"`

	seen seen.Reading[*podman.Volume]
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "podman_volume", New: func() module.Task { return &Task{State: "present"} }}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	if t.Name == "" {
		return errors.New("name is empty, expected the volume's name")
	}
	if t.State != "present" && t.State != "absent" {
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	}
	return nil
}

// options are the arguments of podman volume create that make the volume.
func (t *Task) options() []string {
	var args []string
	for _, key := range slices.Sorted(maps.Keys(t.Options)) {
		args = append(args, "--opt", key+"="+t.Options[key])
	}
	return args
}

// Plan compares the volume with the arguments.
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
	case t.State == "absent" && found != nil:
		return []module.Step{module.NewStep("remove podman volume "+t.Name, t.remove)}, nil
	case t.State == "absent":
		return nil, nil
	case found == nil:
		return []module.Step{module.NewStep("create podman volume "+t.Name, t.create)}, nil
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
	args := append([]string{"volume", "create"}, c.LabelArgs(podman.Hash(t.options()))...)
	args = append(append(args, t.options()...), t.Name)
	if _, err := c.Run(ctx, args...); err != nil {
		return fmt.Errorf("create volume %s: %w", t.Name, err)
	}
	return nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.RemoveVolume(ctx, t.Name)
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"name": cty.String, "mountpoint": cty.String}
}

// Outputs reads where the volume is on the host.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	found, err := t.seen.Or(func() (*podman.Volume, error) { return podman.Client{Host: h}.Volume(ctx, t.Name) })
	if err != nil {
		return nil, err
	}
	if found == nil {
		found = &podman.Volume{}
	}
	return map[string]cty.Value{"name": cty.StringVal(t.Name), "mountpoint": cty.StringVal(found.Mountpoint)}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
