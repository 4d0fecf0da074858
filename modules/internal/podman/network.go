package podman

import (
	"context"
	"encoding/json"
	"fmt"
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
	var found []Network
	there, err := c.inspect(ctx, "network", name, &found)
	if err != nil || !there || len(found) != 1 || found[0].Name != name {
		return nil, err
	}
	return &found[0], nil
}

// Networks lists the networks of the host.
func (c Client) Networks(ctx context.Context) ([]Network, error) {
	var found []Network
	return found, c.list(ctx, &found, "network", "ls")
}

// RemoveNetwork removes a network that no container uses. A missing network is not an error.
func (c Client) RemoveNetwork(ctx context.Context, name string) error {
	return c.remove(ctx, "network", name)
}

// Volume is podman's data about a volume.
type Volume struct {
	Name       string
	Mountpoint string
	Labels     map[string]string
}

// Volume returns a volume by name, nil when there is none.
func (c Client) Volume(ctx context.Context, name string) (*Volume, error) {
	var found []Volume
	there, err := c.inspect(ctx, "volume", name, &found)
	if err != nil || !there || len(found) != 1 || found[0].Name != name {
		return nil, err
	}
	return &found[0], nil
}

// Volumes lists the volumes of the host.
func (c Client) Volumes(ctx context.Context) ([]Volume, error) {
	var found []Volume
	return found, c.list(ctx, &found, "volume", "ls")
}

// RemoveVolume removes a volume that no container uses. A missing volume is not an error.
func (c Client) RemoveVolume(ctx context.Context, name string) error {
	return c.remove(ctx, "volume", name)
}

// remove removes a network or volume without force: force would also remove the
// containers that use it.
func (c Client) remove(ctx context.Context, kind, name string) error {
	there, err := c.exists(ctx, kind, name)
	if err != nil || !there {
		return err
	}
	if _, err := c.Run(ctx, kind, "rm", name); err != nil {
		return fmt.Errorf("remove %s %s: %w", kind, name, err)
	}
	return nil
}

func decode(text string, value any) error {
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("read what podman printed: %w", err)
	}
	return nil
}
