// Package podmansweep is the module podman_sweep: it removes a cluster's podman objects
// from a host.
package podmansweep

import (
	"context"
	"slices"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task removes the cluster's containers, pods, volumes, networks and images, except those
// in keep. Foreign objects, and images that foreign containers use, remain.
//
// A run removes podman volumes, and containers and pods with volumes of their own, only if --remove names them, or an answer on the
// terminal; with all, the task says itself what it removes.
//
// Errors:
//   - a removal is not named; the task has changed nothing
//   - podman does not remove an object; the error names its users
type Task struct {
	// All removes everything of the cluster, including the names in keep.
	All bool `hcl:"all,optional"`
	// Keep are the names of objects of any kind that remain. Default none.
	Keep []string `hcl:"keep,optional"`
	// Purge also removes images that are kept for later clusters.
	Purge bool `hcl:"purge,optional"`

	seen    seen.Reading[[]target]
	foreign []string // objects of another cluster with the same name, in words
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_sweep", Sweeps: true})
}

func (t *Task) stays(name string) bool { return !t.All && slices.Contains(t.Keep, name) }

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	targets, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	steps := lists.Map(targets, func(target target) module.Step {
		if target.data == nil {
			return module.NewStep(target.text, target.do)
		}
		object := *target.data
		object.All = t.All
		return module.NewRemoval(target.text, object, target.do)
	})
	return t.seen.After(targets, steps), nil
}

// target is one thing to remove, or to forget.
type target struct {
	text string
	do   func(ctx context.Context, h module.Host) error
	data *module.Removed // what holds data; nil for what holds none
}

// read lists the targets in a working order: users before the objects they use.
func (t *Task) read(ctx context.Context, h module.Host) ([]target, error) {
	if err := ctx.Err(); err != nil || h.Owner() == "" {
		return nil, err
	}
	c := podman.Client{Host: h}
	containers, err := c.Containers(ctx)
	if podman.NotInstalled(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pods, err := c.Pods(ctx)
	if err != nil {
		return nil, err
	}
	t.foreign = nil
	for _, ctr := range containers {
		if !ctr.IsInfra {
			t.noteForeign(h, "container "+ctr.Name, ctr.Config.Labels)
		}
	}
	for _, pod := range pods {
		t.noteForeign(h, "pod "+pod.Name, pod.Labels)
	}
	going := t.going(c, containers, pods)
	targets := going.targets(containers)
	named, err := t.named(ctx, c)
	if err != nil {
		return nil, err
	}
	targets = append(targets, named...)
	marks, err := h.Marks(ctx)
	if err != nil {
		return nil, err
	}
	remaining := going.remaining(containers)
	images, err := t.images(ctx, c, marks, remaining)
	return append(append(targets, images...), t.firewall(h, marks, remaining)...), err
}

// going lists the containers and pods to remove.
type going struct {
	containers []podman.Container
	pods       []string
	podIDs     map[string]bool
	podNames   map[string]string // by id
}

func (t *Task) going(c podman.Client, containers []podman.Container, pods []podman.Pod) going {
	g := going{podIDs: map[string]bool{}, podNames: map[string]string{}}
	for _, pod := range pods {
		if c.Ours(pod.Labels) && !t.stays(pod.Name) {
			g.pods = append(g.pods, pod.Name)
			g.podIDs[pod.ID], g.podNames[pod.ID] = true, pod.Name
		}
	}
	for _, ctr := range containers {
		// An infra container has its pod's labels and is removed with it.
		if c.Ours(ctr.Config.Labels) && !ctr.IsInfra && !g.podIDs[ctr.Pod] && !t.stays(ctr.Name) {
			g.containers = append(g.containers, ctr)
		}
	}
	return g
}

func (g going) targets(all []podman.Container) []target {
	var targets []target
	for _, ctr := range g.containers {
		targets = append(targets, target{text: "remove container " + ctr.Name, data: volumesOf(ctr), do: func(ctx context.Context, h module.Host) error {
			return podman.Client{Host: h}.RemoveContainer(ctx, ctr.Name, ctr.StopSeconds(stopSeconds))
		}})
	}
	for _, name := range g.pods {
		targets = append(targets, target{text: "remove pod " + name, data: g.volumesOfPod(name, all), do: func(ctx context.Context, h module.Host) error {
			return podman.Client{Host: h}.RemovePod(ctx, name)
		}})
	}
	return targets
}

// volumesOf returns a container with volumes that are removed with it, or nil. Named volumes stay, and bind mounts are
// folders of the host.
func volumesOf(ctr podman.Container) *module.Removed {
	if len(ctr.UnnamedVolumes()) == 0 {
		return nil
	}
	return &module.Removed{Kind: "container", Name: ctr.Name}
}

// volumesOfPod returns a pod whose containers have volumes that are removed with them, or nil.
func (g going) volumesOfPod(name string, all []podman.Container) *module.Removed {
	for _, ctr := range all {
		if g.podNames[ctr.Pod] == name && len(ctr.UnnamedVolumes()) > 0 {
			return &module.Removed{Kind: "podman pod", Name: name}
		}
	}
	return nil
}

// remaining returns the containers that will remain.
func (g going) remaining(all []podman.Container) []podman.Container {
	return slices.DeleteFunc(slices.Clone(all), func(ctr podman.Container) bool {
		return g.podIDs[ctr.Pod] || slices.ContainsFunc(g.containers, func(gone podman.Container) bool { return gone.ID == ctr.ID })
	})
}

// stopSeconds is how long a container gets to end by itself, in seconds; podman's own
// default.
const stopSeconds = 10

// named lists volumes and networks.
func (t *Task) named(ctx context.Context, c podman.Client) ([]target, error) {
	volumes, err := c.Volumes(ctx)
	if err != nil {
		return nil, err
	}
	var targets []target
	add := func(kind, name string, labels map[string]string) {
		what := "podman " + kind + " " + name
		t.noteForeign(c.Host, what, labels)
		if c.Ours(labels) && !t.stays(name) {
			removed := target{text: "remove " + what, do: func(ctx context.Context, h module.Host) error {
				return podman.Client{Host: h}.Remove(ctx, kind, name)
			}}
			if kind == "volume" {
				removed.data = &module.Removed{Kind: "podman volume", Name: name}
			}
			targets = append(targets, removed)
		}
	}
	for _, v := range volumes {
		add("volume", v.Name, v.Labels)
	}
	networks, err := c.Networks(ctx)
	for _, n := range networks {
		add("network", n.Name, n.Labels)
	}
	return targets, err
}

// noteForeign notes an object of another cluster with the same name.
func (t *Task) noteForeign(h module.Host, what string, labels map[string]string) {
	if ownership.Namesake(h, labels[podman.OwnerLabel]) {
		t.foreign = append(t.foreign, ownership.LeftAlone(h, what))
	}
}

// MessageText returns the objects of another cluster with the same name.
func (t *Task) MessageText() string { return strings.Join(t.foreign, "\n") }

type Outputs struct {
	Count int      `cty:"count"` // number of objects that are left
	Names []string `cty:"names"` // their names
}

// Outputs counts and names the objects that are left and should be removed.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	targets, err := t.seen.Or(func() ([]target, error) { return t.read(ctx, h) })
	if err != nil {
		return Outputs{}, err
	}
	names := lists.Map(targets, func(target target) string { return target.text })
	return Outputs{Count: len(targets), Names: names}, nil
}
