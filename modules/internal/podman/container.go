package podman

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Container is podman's data about a container.
type Container struct {
	ID         string `json:"Id"`
	Name       string `json:"Name"`
	Image      string `json:"Image"` // the id
	Pod        string `json:"Pod"`   // the id, or empty
	OCIRuntime string `json:"OCIRuntime"`
	IsInfra    bool
	State      struct {
		Status    string // created, running, exited, …
		Running   bool
		Pid       int // of its first process, even of one that ended long ago
		ConmonPid int // of the process that watches it
		ExitCode  int
	}
	Mounts          []mounted
	NetworkSettings struct {
		SandboxKey string // the path of its network namespace
		Networks   map[string]struct{ IPAddress string }
	}
	Config struct{ Labels map[string]string }
}

// mounted is what a container has mounted.
type mounted struct {
	Type        string // bind, volume, …
	Name        string // of a volume
	Destination string
}

// unnamed matches the name that podman gives to a volume without a name.
var unnamed = regexp.MustCompile(`^[0-9a-f]{64}$`)

// UnnamedVolumes returns the paths in the container at which it has volumes without a name, sorted.
// Podman removes these volumes with the container.
func (c Container) UnnamedVolumes() []string {
	var paths []string
	for _, m := range c.Mounts {
		if m.Type == "volume" && unnamed.MatchString(m.Name) {
			paths = append(paths, m.Destination)
		}
	}
	slices.Sort(paths)
	return paths
}

// HoldsData returns why a container must not be removed to start it again or to change it: it has volumes
// that podman would remove. It is "" if there are none.
func (c Container) HoldsData() string {
	paths := c.UnnamedVolumes()
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("container %s has unnamed volumes, which would be deleted with their data: %s", c.Name, strings.Join(paths, ", "))
}

// Addresses returns the container's IPv4 address by network.
func (c Container) Addresses() map[string]string {
	all := map[string]string{}
	for name, network := range c.NetworkSettings.Networks {
		all[name] = network.IPAddress
	}
	return all
}

// StopSeconds is how long the container gets to end by itself when it is removed: the
// value of its label, or else the default. Both are in seconds.
func (c Container) StopSeconds(otherwise int) int {
	if seconds, err := strconv.Atoi(c.Config.Labels[StopLabel]); err == nil && seconds >= 0 {
		return seconds
	}
	return otherwise
}

// Container returns a container by name, nil when there is none.
func (c Client) Container(ctx context.Context, name string) (*Container, error) {
	found, err := inspect[Container](ctx, c, "container", name)
	// Podman also accepts the beginning of an id as a name.
	if found != nil && found.Name != name && found.ID != name {
		return nil, nil
	}
	return found, err
}

// Containers returns all containers of the host, those of pods included.
func (c Client) Containers(ctx context.Context) ([]Container, error) {
	listed, err := list[identified](ctx, c, "ps", "--all")
	if module.Exited(err) && !NotInstalled(err) {
		// Podman lists nothing if the network namespace of any container is gone,
		// which is the case that matters here; its store still has the ids.
		return c.storedContainers(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	return c.containers(ctx, listed)
}

// identified is an object of a list or of a file, whose keys are "Id" or "id".
type identified struct{ ID string }

// storedContainers is Containers by the index of podman's store. The error is
// the reason for this call, and is returned if the store does not help.
func (c Client) storedContainers(ctx context.Context, why error) ([]Container, error) {
	root, err := c.Run(ctx, "info", "--format", "{{.Store.GraphRoot}}/{{.Store.GraphDriverName}}-containers/containers.json")
	if err != nil {
		return nil, why
	}
	text, there, err := hostfile.Read(ctx, c.Host, strings.TrimSpace(root))
	if err != nil || !there {
		return nil, why
	}
	var stored []identified
	if err := decode(text, &stored); err != nil {
		return nil, err
	}
	return c.containers(ctx, stored)
}

// containers returns what podman knows of these containers, in the same order.
func (c Client) containers(ctx context.Context, all []identified) ([]Container, error) {
	if len(all) == 0 {
		return nil, nil
	}
	var found []Container
	args := append([]string{"container", "inspect"}, lists.Map(all, func(one identified) string { return one.ID })...)
	text, err := c.Run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("inspect containers: %w", err)
	}
	return found, decode(text, &found)
}

// RemoveContainer stops a container, within some seconds, and removes it with
// its unnamed volumes. A missing container is not an error.
func (c Client) RemoveContainer(ctx context.Context, name string, seconds int) error {
	found, err := c.Container(ctx, name)
	if err != nil || found == nil {
		return err
	}
	if err := c.SettleDead(ctx, []Container{*found}); err != nil {
		return err
	}
	if _, err := c.Run(ctx, "rm", "--force", "--volumes", "--time", strconv.Itoa(seconds), found.ID); err != nil {
		return fmt.Errorf("remove container %s: %w", name, err)
	}
	return nil
}

//go:embed settle.sh
var settle string

// Prepare makes containers startable that a killed podman may have left half
// started. There are two cases. Podman has them as created in the runtime, and their
// processes may already run. Or podman has no record of the start: the runtime, which
// does not create a container twice, has one, or a process that watches the broken start still
// lives, and would record its end as that of the next start.
func (c Client) Prepare(ctx context.Context, all ...Container) error {
	var left strings.Builder
	for _, ctr := range all {
		if ctr.State.Running {
			continue
		}
		if ctr.State.Status == "initialized" {
			if _, err := c.Run(ctx, "container", "cleanup", ctr.ID); err != nil {
				return fmt.Errorf("end the start of container %s that was broken off: %w", ctr.Name, err)
			}
		}
		fmt.Fprintln(&left, ctr.ID, ctr.OCIRuntime)
	}
	if left.Len() == 0 {
		return nil
	}
	_, err := c.Host.Run(ctx, module.Command{Argv: []string{"sh", "-c", settle}, Stdin: strings.NewReader(left.String())})
	if err != nil {
		return fmt.Errorf("end what an earlier start has left: %w", err)
	}
	return nil
}
