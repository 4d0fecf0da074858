package podmancontainer

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
)

// logLines is how many last lines of a container are shown if it ends right after its
// start.
const logLines = 20

// state is the state of the container on the host.
type state struct {
	ctr      *podman.Container // nil when there is none
	image    string            // the id of the image with the name, "" when there is none
	recorded bool              // podman records it as running
	alive    bool              // its process exists too
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

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	s, err := t.read(ctx, c)
	if err != nil {
		return nil, err
	}
	if s.ctr != nil && !c.Ours(s.ctr.Config.Labels) {
		return nil, c.Foreign("container "+t.Name, s.ctr.Config.Labels)
	}
	if err := t.mayReplace(s); err != nil {
		return nil, err
	}
	return t.seen.After(s.ctr, t.decide(s)), nil
}

// mayReplace returns an error if the container has to be recreated and would lose data.
func (t *Task) mayReplace(s state) error {
	if t.State == "absent" || s.ctr == nil || t.ReplaceVolumes {
		return nil
	}
	reason, data := t.outdated(s), s.ctr.HoldsData()
	if reason == "" || data == "" {
		return nil
	}
	return fmt.Errorf("container %s has to be recreated, because %s; but %s. To keep the data, give the volumes names in volumes, "+
		"such as \"data:%s\", and copy the data there; to keep the container as it is, set replace = false; to delete the data, set replace_volumes = true",
		t.Name, reason, data, s.ctr.UnnamedVolumes()[0])
}

// decide plans for a container of the cluster, or for none.
func (t *Task) decide(s state) []module.Step {
	step := module.OneStep
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

// outdated returns the reason to recreate the container, or "".
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

// ensure does what is still needed, so that it can be repeated.
func (t *Task) ensure(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h, Runtime: t.Runtime}
	s, err := t.read(ctx, c)
	if err != nil {
		return err
	}
	if err := t.mayReplace(s); err != nil {
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

// start starts the container. If podman cannot start it after its process was lost, a container that
// may be replaced with all it has is recreated. Any other stays as it is, with its data.
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
		if why := t.stays(*s.ctr); why != "" {
			return t.notStarted(err, why)
		}
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

// stays returns why a container that podman cannot start is not recreated, or "".
func (t *Task) stays(ctr podman.Container) string {
	data := ctr.HoldsData()
	switch {
	case data != "" && (!t.Replace || !t.ReplaceVolumes):
		return data
	case !t.Replace:
		return "replace = false keeps it"
	}
	return ""
}

// notStarted returns the error for a container that podman cannot start and that stays as it is.
func (t *Task) notStarted(err error, why string) error {
	return fmt.Errorf("start container %s: %w\nIt is not recreated: %s. Correct what podman names, such as a file that is mounted and missing, and run again. "+
		"If you do not need the data of the container, delete it with \"podman rm --force --volumes %s\": the next run creates it", t.Name, err, why, t.Name)
}

// checkStarted returns an error with the last lines of a container that has already
// ended.
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

type Outputs struct {
	Name string `cty:"name"` // the container
	ID   string `cty:"id"`   // its id
	// its address in the first network; in a pod, the pod's; empty while it does not
	// run
	IP    string            `cty:"ip"`
	IPs   map[string]string `cty:"ips"`   // its addresses by network; empty while it does not run
	Netns string            `cty:"netns"` // path of its network namespace; empty while it does not run
	Pid   int               `cty:"pid"`   // number of its first process; 0 while it does not run
}

// Outputs reads the container's addresses and its first process; they are empty
// while it does not run. In a pod, they are the pod's.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	ctr, err := t.seen.Or(func() (*podman.Container, error) { return podman.Client{Host: h}.Container(ctx, t.Name) })
	ctr = cmp.Or(ctr, &podman.Container{})
	return Outputs{
		Name:  t.Name,
		ID:    ctr.ID,
		IP:    ctr.FirstAddress(t.Networks),
		IPs:   ctr.Addresses(),
		Netns: ctr.NetworkSettings.SandboxKey,
		Pid:   ctr.State.Pid,
	}, err
}
