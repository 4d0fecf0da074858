// Package podmannetwork is the module podman_network: a bridge network of podman.
package podmannetwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a network of podman. A change of arguments recreates it, which podman refuses
// while containers use it.
//
// Errors:
//   - the subnet is already in use, or containers use a network that must be recreated
//   - a network with the name is not the cluster's
//   - podman is not installed
type Task struct {
	// Name is the network's name.
	Name string `hcl:"name" nonempty:"expected the network's name"`
	// Subnet is its IPv4 or IPv6 prefix, such as "10.89.3.0/24". Default: podman chooses a free one.
	Subnet string `hcl:"subnet,optional"`
	// Gateway is the host's address in it. Default: the first one.
	Gateway string `hcl:"gateway,optional"`
	// MTU is the largest packet in bytes. Default 0: the kernel's.
	MTU int `hcl:"mtu,optional"`
	// DNS makes podman resolve the names of the network's containers.
	DNS bool `hcl:"dns,optional" default:"true"`
	// Internal blocks the containers' access to outside networks.
	Internal bool `hcl:"internal,optional"`
	// Options are further options of the bridge driver. Default none.
	Options map[string]string `hcl:"options,optional"`
	module.Presence

	seen seen.Reading[*podman.Network]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_network", Signs: true})
}

func (t *Task) Validate() error {
	if t.MTU < 0 {
		return fmt.Errorf("mtu is %d, expected bytes or 0", t.MTU)
	}
	if t.Subnet != "" {
		if _, err := netip.ParsePrefix(t.Subnet); err != nil {
			return fmt.Errorf("subnet is %q, expected a prefix such as \"10.89.3.0/24\"", t.Subnet)
		}
	}
	if t.Gateway != "" {
		if _, err := netip.ParseAddr(t.Gateway); err != nil {
			return fmt.Errorf("gateway is %q, expected an address", t.Gateway)
		}
	}
	if t.Gateway != "" && t.Subnet == "" {
		return errors.New("gateway needs a subnet")
	}
	return nil
}

func (t *Task) options() []string {
	args := append(podman.Flag("--subnet", t.Subnet), podman.Flag("--gateway", t.Gateway)...)
	if t.MTU > 0 {
		args = append(args, "--opt", "mtu="+strconv.Itoa(t.MTU))
	}
	if !t.DNS {
		args = append(args, "--disable-dns")
	}
	if t.Internal {
		args = append(args, "--internal")
	}
	return append(args, podman.PairFlags("--opt", t.Options)...)
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	c := podman.Client{Host: h}
	found, err := c.Network(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	if found != nil && !c.Ours(found.Labels) {
		return nil, c.Foreign("podman network "+t.Name, found.Labels)
	}
	return t.seen.After(found, t.decide(found)), nil
}

// decide plans for a network of the cluster, or for nil.
func (t *Task) decide(found *podman.Network) []module.Step {
	switch {
	case t.Absent() && found == nil:
		return nil
	case t.Absent():
		return module.OneStep("remove podman network "+t.Name, t.remove)
	case found == nil:
		return module.OneStep("create podman network "+t.Name, t.create)
	case found.Labels[podman.ConfigLabel] != podman.Hash(t.options()):
		return module.OneStep("recreate podman network "+t.Name+": its arguments are others", t.create)
	}
	return nil
}

// create makes the network, after removing one with other arguments.
func (t *Task) create(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	found, err := c.Network(ctx, t.Name)
	if err != nil || found != nil && found.Labels[podman.ConfigLabel] == podman.Hash(t.options()) {
		return err
	}
	if err := t.remove(ctx, h); err != nil {
		return err
	}
	return c.Create(ctx, "network", t.Name, t.options())
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.Remove(ctx, "network", t.Name)
}

type Outputs struct {
	Name      string `cty:"name"`      // the network
	Interface string `cty:"interface"` // the bridge on the host
	Subnet    string `cty:"subnet"`    // its prefix
	Gateway   string `cty:"gateway"`   // the host's address in it
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	found, err := t.seen.Or(func() (*podman.Network, error) { return podman.Client{Host: h}.Network(ctx, t.Name) })
	found = cmp.Or(found, &podman.Network{})
	values := Outputs{Name: t.Name, Interface: found.Interface}
	if len(found.Subnets) > 0 {
		values.Subnet, values.Gateway = found.Subnets[0].Subnet, found.Subnets[0].Gateway
	}
	return values, err
}
