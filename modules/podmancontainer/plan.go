package podmancontainer

import (
	"context"
	"fmt"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
)

// logLines is how many of the last lines of a container that ended at once are
// shown.
const logLines = 20

// state is what is on the host.
type state struct {
	ctr      *podman.Container // nil when there is none
	image    string            // the id of the image with the name, "" when there is none
	recorded bool              // podman has it as running
	alive    bool              // and its process is there
}

func (t *Task) read(ctx context.Context, c podman.Client) (state, error) {
	var s state
	var err error
	if s.ctr, err = c.Container(ctx, t.Name); err != nil || s.ctr == nil || t.State == "absent" {
		return s, err
	}
	if s.recorded, s.alive, err = c.Running(ctx, *s.ctr); err != nil {
		return s, err
	}
	image, err := c.Image(ctx, t.Image)
	if image != nil {
		s.image = image.ID
	}
	return s, err
}

// Plan compares the container with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.ctr != nil && !c.Ours(s.ctr.Config.Labels) {
		return nil, c.Foreign("container "+t.Name, s.ctr.Config.Labels)
	}
	return t.seen.After(s.ctr, t.decide(s)), nil
}

// decide is the plan for a container that is ours, or for none.
func (t *Task) decide(s state) []module.Step {
	step := func(text string, do func(context.Context, module.Host) error) []module.Step {
		return []module.Step{module.NewStep(text, do)}
	}
	switch {
	case t.State == "absent" && s.ctr == nil:
		return nil
	case t.State == "absent":
		return step("remove container "+t.Name, t.remove)
	case s.ctr == nil:
		return step(fmt.Sprintf("create container %s from %s", t.Name, t.Image), t.ensure)
	}
	if reason := t.outdated(s); reason != "" {
		return step("recreate container "+t.Name+": "+reason, t.ensure)
	}
	switch {
	case t.State == "stopped" && s.recorded:
		return step("stop container "+t.Name, t.ensure)
	case t.State == "stopped" || s.alive:
		return nil
	case s.recorded:
		return step("restart container "+t.Name+": its process is gone", t.ensure)
	case s.ctr.State.Status == "created" || s.ctr.State.Status == "configured":
		return step("start container "+t.Name, t.ensure)
	}
	return step(fmt.Sprintf("start container %s: it ended with code %d", t.Name, s.ctr.State.ExitCode), t.ensure)
}

// outdated says why the container has to be made anew.
func (t *Task) outdated(s state) string {
	switch {
	case !t.Replace:
		return ""
	case s.ctr.Config.Labels[podman.ConfigLabel] != t.hash():
		return "its arguments are others"
	case s.image != "" && s.image != s.ctr.Image:
		return "its image is another"
	}
	return ""
}

// ensure does what is needed now, so that it may be repeated.
func (t *Task) ensure(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h, Runtime: t.Runtime}
	s, err := t.read(ctx, c)
	if err != nil {
		return err
	}
	if s.ctr == nil || t.outdated(s) != "" {
		if err := t.create(ctx, c); err != nil {
			return err
		}
		s = state{}
	}
	if t.State == "stopped" {
		return t.stop(ctx, c, s)
	}
	if s.alive {
		return nil
	}
	return t.start(ctx, c, s)
}

func (t *Task) stop(ctx context.Context, c podman.Client, s state) error {
	if !s.recorded {
		return nil
	}
	if err := c.SettleDead(ctx, []podman.Container{*s.ctr}); err != nil {
		return err
	}
	if _, err := c.Run(ctx, "stop", t.Name); err != nil {
		return fmt.Errorf("stop container %s: %w", t.Name, err)
	}
	return nil
}

// start starts the container. One that podman cannot start after its process was
// lost is made anew: what it wrote is lost then, but it runs.
func (t *Task) start(ctx context.Context, c podman.Client, s state) error {
	if s.recorded {
		if err := c.SettleDead(ctx, []podman.Container{*s.ctr}); err != nil {
			return err
		}
	}
	if s.ctr != nil {
		if err := c.Prepare(ctx, *s.ctr); err != nil {
			return err
		}
	}
	_, err := c.Run(ctx, "start", t.Name)
	if err != nil && s.recorded && ctx.Err() == nil {
		if err := t.create(ctx, c); err != nil {
			return err
		}
		_, err = c.Run(ctx, "start", t.Name)
	}
	if err != nil {
		return fmt.Errorf("start container %s: %w", t.Name, err)
	}
	return t.checkStarted(ctx, c)
}

// checkStarted returns an error with the last lines of a container that has
// ended already.
func (t *Task) checkStarted(ctx context.Context, c podman.Client) error {
	ctr, err := c.Container(ctx, t.Name)
	if err != nil || ctr == nil || ctr.State.Status != "exited" {
		return err
	}
	out, err := c.Host.Run(ctx, module.Command{Argv: []string{"podman", "logs", "--tail", strconv.Itoa(logLines), t.Name}})
	if err != nil {
		return fmt.Errorf("container %s ended at once with code %d", t.Name, ctr.State.ExitCode)
	}
	return fmt.Errorf("container %s ended at once with code %d:\n%s", t.Name, ctr.State.ExitCode,
		module.Tail(c.Host.Redact(out.Stdout+out.Stderr), logLines))
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"name": cty.String, "id": cty.String, "ip": cty.String, "ips": cty.Map(cty.String),
		"netns": cty.String, "pid": cty.Number,
	}
}

// Outputs reads the container's addresses and its first process; they are empty
// while it does not run. In a pod, they are the pod's.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	ctr, err := t.seen.Or(func() (*podman.Container, error) { return podman.Client{Host: h}.Container(ctx, t.Name) })
	if err != nil {
		return nil, err
	}
	if ctr == nil {
		ctr = &podman.Container{}
	}
	return map[string]cty.Value{
		"name": cty.StringVal(t.Name), "id": cty.StringVal(ctr.ID),
		"ip": cty.StringVal(ctr.FirstAddress(t.Networks)), "ips": podman.AddressMap(*ctr),
		"netns": cty.StringVal(ctr.NetworkSettings.SandboxKey), "pid": cty.NumberIntVal(int64(ctr.State.Pid)),
	}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
