// Package virtsweep is the module "libvirt_sweep": it removes the libvirt objects that a
// cluster owns on a host and no longer wants.
//
// It finds domains by the owner in their metadata, and disks, seeds and logs by
// the marks in the owner's manifest, so it needs only the host.
package virtsweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/seen"
	"kinit/modules/internal/virt"
)

// Task removes the domains, disks, seeds and logs of a cluster, except those in keep and
// keep_volumes. It names copies of its domains, and domains of another cluster with the same
// name, but does not remove them.
//
// A run removes domains and disks only if --remove names them, or an answer on the
// terminal; with all, the task says itself what it removes.
//
// Errors:
//   - a removal is not named; the task has changed nothing
//   - libvirt does not answer, or does not remove an object
type Task struct {
	// All removes everything that the cluster owns, including the names in keep and
	// keep_volumes.
	All bool `hcl:"all,optional"`
	// Keep are the names of the domains that remain, with their logs.
	Keep []string `hcl:"keep,optional"`
	// KeepVolumes are the paths of the disks and seeds that remain.
	KeepVolumes []string `hcl:"keep_volumes,optional"`

	open    virt.Opener
	seen    seen.Reading[state]
	message string
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "libvirt_sweep", Sweeps: true, New: func() module.Task { return &Task{open: virt.Open} }})
}

// state is the cluster's objects on a host.
type state struct {
	domains []string
	foreign []string // objects that seem to be the cluster's and are not; in words
	logs    []string // removed domains that have left logs
	volumes []string // paths, the newest first
}

// Plan returns one step for each object to remove: domains before the
// volumes that they use.
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
	t.message = strings.Join(s.foreign, "\n")
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

// domains lists the names of the owner's domains. If libvirt is not installed, there
// are none; if it does not answer, that is an error.
func (t *Task) domains(ctx context.Context, h module.Host, s *state) error {
	owner := ownership.Signature(h)
	err := t.open.Do(ctx, h, func(c *virt.Conn) error {
		stamped, err := c.Stamped(ctx)
		for _, d := range stamped {
			switch {
			case d.OwnedBy(owner):
				s.domains = append(s.domains, d.Name)
			case d.Stamp.Owner == owner:
				s.foreign = append(s.foreign, fmt.Sprintf("domain %s is left alone: it is a copy of one of cluster %s", d.Name, h.Owner()))
			case ownership.Namesake(h, d.Stamp.Owner):
				s.foreign = append(s.foreign, ownership.LeftAlone(h, "domain "+d.Name))
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

// MessageText returns objects that seem to be the cluster's and are not.
func (t *Task) MessageText() string { return t.message }

func (t *Task) decide(s state) []module.Step {
	var steps []module.Step
	add := func(what, data string, ids, keep []string, remove func(context.Context, module.Host, string) error) {
		for _, id := range ids {
			if !t.All && slices.Contains(keep, id) {
				continue
			}
			do := func(ctx context.Context, h module.Host) error { return remove(ctx, h, id) }
			if data == "" || isSeed(id) {
				steps = append(steps, module.NewStep(what+" "+id, do))
				continue
			}
			steps = append(steps, module.NewRemoval(what+" "+id, module.Removed{Kind: data, Name: id, All: t.All}, do))
		}
	}
	add("remove domain", "domain", s.domains, t.Keep, t.removeDomain)
	add("remove the logs of domain", "", s.logs, t.Keep, virt.RemoveLogs)
	add("remove volume", "volume", s.volumes, t.KeepVolumes, virt.RemoveVolume)
	return steps
}

// isSeed reports whether a volume is a seed of cloud-init or Windows, which kinit writes again.
func isSeed(path string) bool { return strings.HasSuffix(path, ".iso") }

func (t *Task) removeDomain(ctx context.Context, h module.Host, name string) error {
	return t.open.Do(ctx, h, func(c *virt.Conn) error { return c.Remove(ctx, h, name) })
}

type Outputs struct {
	Count int `cty:"count"` // number of the cluster's objects that are left
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, h) })
	count := len(s.domains) + len(s.logs) + len(s.volumes)
	return Outputs{Count: count}, err
}
