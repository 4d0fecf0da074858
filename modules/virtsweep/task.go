// Package virtsweep is the module "libvirt_sweep": it removes what a cluster owns
// of libvirt on a host and no longer wants.
//
// It finds domains by the owner in their metadata, and disks, seeds and logs by
// the marks in the owner's manifest, so it needs nothing but the host.
package virtsweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
	"kinit/modules/internal/seen"
	"kinit/modules/internal/virt"
)

// Task removes the domains, disks, seeds and logs of a cluster, except those to
// be kept. Copies of its domains, and domains of another cluster of its name, are named
// and left alone.
//
// Outputs:
//   - count: things of the cluster that are still there and should not be
//
// Errors:
//   - libvirt does not answer, or does not remove something
type Task struct {
	// All removes everything the cluster owns, whatever keep and keep_volumes
	// say. Default false.
	All bool `hcl:"all,optional"`
	// Keep are the names of the domains that stay, with their logs.
	Keep []string `hcl:"keep,optional"`
	// KeepVolumes are the paths of the disks and seeds that stay.
	KeepVolumes []string `hcl:"keep_volumes,optional"`

	open virt.Opener
	seen seen.Reading[state]
	told string
}

// Kind is the module "libvirt_sweep".
func Kind() module.Kind {
	return module.Kind{Name: "libvirt_sweep", New: func() module.Task { return &Task{open: virt.Open} }}
}

// state is what the cluster owns on a host.
type state struct {
	domains []string
	foreign []string // what looks as if it were the cluster's, and is not; in words
	logs    []string // domains that are gone and have left logs
	volumes []string // paths, the newest first
}

// Plan returns one step for each thing that has to go: domains before the
// volumes they use.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	return t.seen.After(s, t.decide(s)), nil
}

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	if h.Owner() == "" {
		return s, ctx.Err()
	}
	if err := t.domains(ctx, h, &s); err != nil {
		return s, err
	}
	t.told = strings.Join(s.foreign, "\n")
	marks, err := h.Marks(ctx)
	for _, m := range marks {
		switch {
		case m.Kind == virt.VolumeKind:
			s.volumes = append(s.volumes, m.ID)
		case m.Kind == virt.LogKind && !slices.Contains(s.domains, m.ID):
			s.logs = append(s.logs, m.ID)
		}
	}
	slices.Reverse(s.volumes)
	return s, err
}

// domains lists the names of the owner's domains. Where libvirt is not installed
// there are none; where it does not answer nobody knows, and that is an error.
func (t *Task) domains(ctx context.Context, h module.Host, s *state) error {
	owner := claim.Signature(h)
	err := t.open.Do(ctx, h, func(c *virt.Conn) error {
		stamped, err := c.Stamped(ctx)
		for _, d := range stamped {
			switch {
			case d.OwnedBy(owner):
				s.domains = append(s.domains, d.Name)
			case d.Stamp.Owner == owner:
				s.foreign = append(s.foreign, fmt.Sprintf("domain %s is left alone: it is a copy of one of cluster %s", d.Name, h.Owner()))
			case claim.Namesake(h, d.Stamp.Owner):
				s.foreign = append(s.foreign, claim.LeftAlone(h, "domain "+d.Name))
			}
		}
		return err
	})
	if errors.Is(err, virt.ErrNotInstalled) {
		return nil
	}
	slices.Sort(s.domains)
	slices.Sort(s.foreign)
	return err
}

// Tells names what is not the cluster's and looks as if it were.
func (t *Task) Tells() string { return t.told }

func (t *Task) decide(s state) []module.Step {
	var steps []module.Step
	add := func(what string, ids, keep []string, remove func(context.Context, module.Host, string) error) {
		for _, id := range ids {
			if !t.All && slices.Contains(keep, id) {
				continue
			}
			steps = append(steps, module.NewStep(what+" "+id, func(ctx context.Context, h module.Host) error {
				return remove(ctx, h, id)
			}))
		}
	}
	add("remove domain", s.domains, t.Keep, t.removeDomain)
	add("remove the logs of domain", s.logs, t.Keep, virt.RemoveLogs)
	add("remove volume", s.volumes, t.KeepVolumes, virt.RemoveVolume)
	return steps
}

func (t *Task) removeDomain(ctx context.Context, h module.Host, name string) error {
	return t.open.Do(ctx, h, func(c *virt.Conn) error { return c.Remove(ctx, h, name) })
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type { return map[string]cty.Type{"count": cty.Number} }

// Outputs counts what is still there.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, h) })
	count := len(s.domains) + len(s.logs) + len(s.volumes)
	return map[string]cty.Value{"count": cty.NumberIntVal(int64(count))}, err
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Messenger = (*Task)(nil)
)
