package podman

import (
	"context"
	"fmt"
	"slices"
)

// Network is podman's data about a network.
type Network struct {
	Name      string
	Interface string `json:"network_interface"`
	Subnets   []struct{ Subnet, Gateway string }
	Labels    map[string]string
}

// Network returns a network by name, nil when there is none.
func (c Client) Network(ctx context.Context, name string) (*Network, error) {
	found, err := inspect[Network](ctx, c, "network", name)
	if found != nil && found.Name != name {
		return nil, nil
	}
	return found, err
}

// Networks lists the networks of the host.
func (c Client) Networks(ctx context.Context) ([]Network, error) {
	return list[Network](ctx, c, "network", "ls")
}

// Volume is podman's data about a volume.
type Volume struct {
	Name       string
	Mountpoint string
	Labels     map[string]string
}

// Volume returns a volume by name, nil when there is none.
func (c Client) Volume(ctx context.Context, name string) (*Volume, error) {
	found, err := inspect[Volume](ctx, c, "volume", name)
	if found != nil && found.Name != name {
		return nil, nil
	}
	return found, err
}

// Volumes lists the volumes of the host.
func (c Client) Volumes(ctx context.Context) ([]Volume, error) {
	return list[Volume](ctx, c, "volume", "ls")
}

// Create makes a network or a volume with the options, whose hash is in its labels.
func (c Client) Create(ctx context.Context, kind, name string, options []string) error {
	args := slices.Concat([]string{kind, "create"}, c.LabelArgs(Hash(options)), options, []string{name})
	if _, err := c.Run(ctx, args...); err != nil {
		return fmt.Errorf("create %s %s: %w", kind, name, err)
	}
	return nil
}

// Remove removes a network or volume that no container uses. A missing one is not an error. It
// does not force podman, which would also remove the containers that use it.
func (c Client) Remove(ctx context.Context, kind, name string) error {
	there, err := c.exists(ctx, kind, name)
	if err != nil || !there {
		return err
	}
	if _, err := c.Run(ctx, kind, "rm", name); err != nil {
		return fmt.Errorf("remove %s %s: %w", kind, name, err)
	}
	return nil
}
