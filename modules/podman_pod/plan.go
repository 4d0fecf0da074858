package podmanpod

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
)

// state is the state of the pod on the host.
type state struct {
	pod     *podman.Pod        // nil when there is none
	members []podman.Container // the infra container among them
	running int                // how many members are recorded as running
	dead    []string           // the names of members whose processes are gone
}

// infra returns the container that holds the namespaces.
func (s state) infra() *podman.Container {
	for i, ctr := range s.members {
		if ctr.ID == s.pod.InfraContainerID {
			return &s.members[i]
		}
	}
	return nil
}

func (t *Task) read(ctx context.Context, c podman.Client) (state, error) {
	var s state
	var err error
	if s.pod, err = c.Pod(ctx, t.Name); err != nil || s.pod == nil {
		return s, err
	}
	if s.members, err = c.Members(ctx, *s.pod); err != nil {
		return s, err
	}
	for _, ctr := range s.members {
		recorded, alive, err := c.Running(ctx, ctr)
		if err != nil {
			return s, err
		}
		if recorded {
			s.running++
		}
		if recorded && !alive {
			s.dead = append(s.dead, ctr.Name)
		}
	}
	return s, nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.pod != nil && !c.Ours(s.pod.Labels) {
		return nil, c.Foreign("pod "+t.Name, s.pod.Labels)
	}
	if err := t.mayReplace(c, s); err != nil {
		return nil, err
	}
	return t.seen.After(s, t.decide(s)), nil
}

func (t *Task) outdated(s state) bool { return s.pod.Labels[podman.ConfigLabel] != t.hash() }

// mayReplace returns an error if the pod has to be recreated, and with it a container that holds data
// or is not the owner's.
func (t *Task) mayReplace(c podman.Client, s state) error {
	if t.State == "absent" || s.pod == nil || !t.outdated(s) {
		return nil
	}
	if err := c.ForeignMember(*s.pod, s.members); err != nil {
		return fmt.Errorf("pod %s has to be recreated with its containers, because its arguments have changed: %w", t.Name, err)
	}
	for _, ctr := range s.members {
		if data := ctr.HoldsData(); data != "" && !t.ReplaceVolumes {
			return fmt.Errorf("pod %s has to be recreated with its containers, because its arguments have changed; but %s. "+
				"To keep the data, give the volumes of the container names; to delete the data, set replace_volumes = true on the pod", t.Name, data)
		}
	}
	return nil
}

// decide plans for a pod of the cluster, or for none.
func (t *Task) decide(s state) []module.Step {
	step := module.OneStep
	switch {
	case t.State == "absent" && s.pod == nil:
		return nil
	case t.State == "absent":
		return step("remove pod "+t.Name, t.remove)
	case s.pod == nil:
		return step("create pod "+t.Name, t.ensure)
	case t.outdated(s):
		return step("recreate pod "+t.Name+" with its containers: its arguments are others", t.ensure)
	case t.State == "stopped" && s.running > 0:
		return step("stop pod "+t.Name, t.ensure)
	case t.State == "stopped":
		return nil
	case len(s.dead) > 0:
		return step(fmt.Sprintf("restart pod %s: the processes of %s are gone", t.Name, strings.Join(s.dead, ", ")), t.ensure)
	case s.infra() == nil || !s.infra().State.Running:
		return step("start pod "+t.Name, t.ensure)
	}
	return nil
}

// ensure does what is still needed, so that it can be repeated.
func (t *Task) ensure(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h, Runtime: t.Runtime}
	s, err := t.read(ctx, c)
	if err != nil {
		return err
	}
	if err := t.mayReplace(c, s); err != nil {
		return err
	}
	if s.pod == nil || t.outdated(s) {
		if err := t.create(ctx, c); err != nil {
			return err
		}
		s = state{pod: &podman.Pod{}}
	}
	if t.State == "stopped" {
		return t.stop(ctx, c, s)
	}
	if len(s.dead) > 0 {
		if err := t.stop(ctx, c, s); err != nil {
			return err
		}
	}
	if err := c.Prepare(ctx, s.members...); err != nil {
		return err
	}
	if _, err := c.Run(ctx, "pod", "start", t.Name); err != nil {
		return fmt.Errorf("start pod %s: %w", t.Name, err)
	}
	return nil
}

// create makes the pod, after removing one with other arguments.
func (t *Task) create(ctx context.Context, c podman.Client) error {
	if err := c.RemovePod(ctx, t.Name); err != nil {
		return err
	}
	if t.InfraImage == "" {
		if err := c.OwnPauseImage(ctx); err != nil {
			return err
		}
	}
	if err := c.OwnFirewall(ctx); err != nil {
		return err
	}
	args := append([]string{"pod", "create", "--name", t.Name}, c.LabelArgs(t.hash())...)
	if _, err := c.Run(ctx, append(args, t.options()...)...); err != nil {
		return fmt.Errorf("create pod %s: %w", t.Name, err)
	}
	return nil
}

// stop stops the whole pod: containers in the namespaces of a dead infra container would
// stay in them after its restart.
func (t *Task) stop(ctx context.Context, c podman.Client, s state) error {
	if s.running == 0 {
		return nil
	}
	if err := c.SettleDead(ctx, s.members); err != nil {
		return err
	}
	if _, err := c.Run(ctx, "pod", "stop", t.Name); err != nil {
		return fmt.Errorf("stop pod %s: %w", t.Name, err)
	}
	return nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.RemovePod(ctx, t.Name)
}
