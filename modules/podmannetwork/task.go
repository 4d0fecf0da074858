// Package podmannetwork is the module podman_network: a bridge network of podman.
package podmannetwork

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a network of podman. One with other arguments is made anew, which podman
// refuses while containers use it.
//
// Outputs:
//   - name: the network
//   - interface: the bridge on the host
//   - subnet: its prefix
//   - gateway: the host's address in it
//
// Errors:
//   - the subnet is used already, or containers use a network that is to be made anew
//   - a network of the name is not the cluster's
//   - podman is not installed
type Task struct {
	// Name is the network's name.
	Name string `hcl:"name"`
	// Subnet is its IPv4 or IPv6 prefix, such as "10.89.3.0/24". Default: podman chooses a free one.
	Subnet string `hcl:"subnet,optional"`
	// Gateway is the host's address in it. Default: the first one.
	Gateway string `hcl:"gateway,optional"`
	// MTU is the largest packet in bytes. Default 0: the kernel's.
	MTU int `hcl:"mtu,optional"`
	// DNS says whether podman resolves the names of the network's containers. Default true.
	DNS bool `hcl:"dns,optional"`
	// Internal keeps the containers from reaching the outside. Default false.
	Internal bool `hcl:"internal,optional"`
	// Options are further options of the bridge driver. Default none.
	Options map[string]string `hcl:"options,optional"`
	// State is "present" (the default) or "absent".
	State string `hcl:"state,optional"`

	seen seen.Reading[*podman.Network]
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "podman_network", New: func() module.Task {
		return &Task{DNS: true, State: "present"}
	}}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	if t.Name == "" {
		return errors.New("name is empty, expected the network's name")
	}
	if t.State != "present" && t.State != "absent" {
		return fmt.Errorf("state is %q, expected \"present\" or \"absent\"", t.State)
	}
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

// options are the arguments of podman network create that make the network.
func (t *Task) options() []string {
	var args []string
	if t.Subnet != "" {
		args = append(args, "--subnet", t.Subnet)
	}
	if t.Gateway != "" {
		args = append(args, "--gateway", t.Gateway)
	}
	if t.MTU > 0 {
		args = append(args, "--opt", "mtu="+strconv.Itoa(t.MTU))
	}
	if !t.DNS {
		args = append(args, "--disable-dns")
	}
	if t.Internal {
		args = append(args, "--internal")
	}
	for _, key := range slices.Sorted(maps.Keys(t.Options)) {
		args = append(args, "--opt", key+"="+t.Options[key])
	}
	return args
}

// Plan compares the network with the arguments.
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

// decide is the plan for a network that is ours, or nil when there is none.
func (t *Task) decide(found *podman.Network) []module.Step {
	if t.State == "absent" {
		if found == nil {
			return nil
		}
		return []module.Step{module.NewStep("remove podman network "+t.Name, t.remove)}
	}
	switch {
	case found == nil:
		return []module.Step{module.NewStep("create podman network "+t.Name, t.create)}
	case found.Labels[podman.ConfigLabel] != podman.Hash(t.options()):
		return []module.Step{module.NewStep("recreate podman network "+t.Name+": its arguments are others", t.create)}
	}
	return nil
}

// create makes the network, after removing one with other arguments.
func (t *Task) create(ctx context.Context, h module.Host) error {
	c := podman.Client{Host: h}
	hash := podman.Hash(t.options())
	found, err := c.Network(ctx, t.Name)
	if err != nil {
		return err
	}
	if found != nil && found.Labels[podman.ConfigLabel] == hash {
		return nil
	}
	if err := t.remove(ctx, h); err != nil {
		return err
	}
	args := append([]string{"network", "create"}, c.LabelArgs(hash)...)
	args = append(append(args, t.options()...), t.Name)
	if _, err := c.Run(ctx, args...); err != nil {
		return fmt.Errorf("create network %s: %w", t.Name, err)
	}
	return nil
}

func (t *Task) remove(ctx context.Context, h module.Host) error {
	return podman.Client{Host: h}.RemoveNetwork(ctx, t.Name)
}

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"name": cty.String, "interface": cty.String, "subnet": cty.String, "gateway": cty.String,
	}
}

// Outputs reads what podman chose.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	found, err := t.seen.Or(func() (*podman.Network, error) { return podman.Client{Host: h}.Network(ctx, t.Name) })
	if err != nil {
		return nil, err
	}
	values := map[string]cty.Value{
		"name": cty.StringVal(t.Name), "interface": cty.StringVal(""),
		"subnet": cty.StringVal(""), "gateway": cty.StringVal(""),
	}
	if found == nil {
		return values, nil
	}
	values["interface"] = cty.StringVal(found.Interface)
	if len(found.Subnets) > 0 {
		values["subnet"] = cty.StringVal(found.Subnets[0].Subnet)
		values["gateway"] = cty.StringVal(found.Subnets[0].Gateway)
	}
	return values, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
