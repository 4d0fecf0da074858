package podmancontainer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
)

// options returns the arguments of podman create before the image.
func (t *Task) options() []string {
	args := podman.Flag("--pod", t.Pod)
	args = append(args, podman.Flags("--volume", t.Volumes)...)
	args = append(args, podman.Flags("--tmpfs", t.Tmpfs)...)
	args = append(args, podman.Flags("--device", t.Devices)...)
	args = append(args, podman.Flags("--network", t.Networks)...)
	args = append(args, podman.Flags("--publish", t.Publish)...)
	args = append(args, podman.Flag("--hostname", t.Hostname)...)
	args = append(args, podman.Flags("--dns", t.DNS)...)
	args = append(args, podman.Flags("--add-host", t.AddHosts)...)
	args = append(args, podman.Flag("--user", t.User)...)
	args = append(args, podman.Flag("--workdir", t.Workdir)...)
	args = append(args, podman.Flags("--cap-add", t.CapAdd)...)
	args = append(args, podman.Flags("--cap-drop", t.CapDrop)...)
	args = append(args, podman.Flags("--ulimit", t.Ulimits)...)
	args = append(args, podman.PairFlags("--sysctl", t.Sysctls)...)
	if t.Systemd != "" {
		args = append(args, "--systemd="+t.Systemd)
	}
	args = append(args, podman.Flag("--restart", t.Restart)...)
	args = append(args, podman.PairFlags("--label", t.Labels)...)
	args = append(args, podman.PairFlags("--env", t.Env)...)
	// Without a value, podman takes it from its own environment.
	args = append(args, podman.Flags("--env", slices.Sorted(maps.Keys(t.EnvSecret)))...)
	if t.Privileged {
		args = append(args, "--privileged")
	}
	if len(t.Entrypoint) > 0 {
		args = append(args, "--entrypoint", jsonList(t.Entrypoint))
	}
	if seconds, err := t.stopSeconds(); err == nil {
		args = append(args, "--stop-timeout", strconv.Itoa(seconds))
	}
	return append(args, t.Options...)
}

// jsonList formats an entry point of several words for podman.
func jsonList(words []string) string {
	text, err := json.Marshal(words)
	if err != nil {
		panic("bug in kinit: a list of texts cannot be encoded: " + err.Error())
	}
	return string(text)
}

// hash returns the hash of everything whose change recreates the container.
func (t *Task) hash() string {
	return podman.Hash(t.Runtime, t.options(), t.Image, t.Command, t.ConfigHash, t.secretEnv())
}

func (t *Task) secretEnv() map[string]string {
	env := map[string]string{}
	for name, value := range t.EnvSecret {
		env[name] = value.Reveal()
	}
	return env
}

// create creates the container, after removing the one with that name. The old one stays while the image is
// missing.
func (t *Task) create(ctx context.Context, c podman.Client) error {
	image, err := c.Image(ctx, t.Image)
	if err != nil {
		return err
	}
	if image == nil {
		return fmt.Errorf("create container %s: there is no image %s on the host: bring it with podman_image", t.Name, t.Image)
	}
	if err := t.remove(ctx, c.Host); err != nil {
		return err
	}
	if err := c.OwnFirewall(ctx); err != nil {
		return err
	}
	for _, value := range t.EnvSecret {
		c.Host.AddSecret(value)
	}
	args := append([]string{"create", "--pull", "never", "--name", t.Name}, c.LabelArgs(t.hash())...)
	if t.Pod != "" {
		pod, err := c.Pod(ctx, t.Pod)
		if err != nil {
			return err
		}
		if pod != nil && pod.LostCgroup() != "" {
			args = append(args, "--cgroup-parent", pod.LostCgroup())
		}
	}
	args = append(append(args, t.options()...), t.Image)
	if _, err := c.RunEnv(ctx, t.secretEnv(), append(args, t.Command...)...); err != nil {
		return fmt.Errorf("create container %s: %w", t.Name, err)
	}
	return nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	seconds, err := t.stopSeconds()
	if err != nil {
		return err
	}
	return podman.Client{Host: h}.RemoveContainer(ctx, t.Name, seconds)
}
