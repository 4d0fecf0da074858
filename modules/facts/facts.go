// Package facts is the module "facts": what a host is and has. It never changes
// anything.
package facts

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// Task reads the host when its outputs are read.
//
// Outputs: hostname, os_id ("debian"), os_version ("12"), kernel
// ("6.1.0-18-amd64"), machine ("x86_64"), arch ("amd64", as Debian and Go name
// it) (strings); cpus, memory_bytes, memory_available_bytes (numbers); kvm (bool,
// whether /dev/kvm exists, which is no proof that guests start with it);
// interfaces (map of objects with mtu (number), mac (string) and addresses (list
// of strings, without prefix length) by name); default_interface and
// default_address (strings, of the IPv4 default route, empty without one);
// route_address (string, the argument address), and its route_interface (string) and route_mtu (number), empty
// and 0 without it.
type Task struct {
	// Address is an IP address of the host, such as the one other hosts reach it
	// by; route_interface and route_mtu are of the interface that has it. It is an
	// error when none has.
	Address string `hcl:"address,optional"`
}

// Kind is the module "facts".
func Kind() module.Kind {
	return module.Kind{Name: "facts", New: func() module.Task { return &Task{} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if t.Address == "" {
		return nil
	}
	if _, err := netip.ParseAddr(t.Address); err != nil {
		return fmt.Errorf("address is %q, want an IP address", t.Address)
	}
	return nil
}

// Plan has nothing to do.
func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

// OutputTypes names the outputs.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"hostname": cty.String, "os_id": cty.String, "os_version": cty.String,
		"kernel": cty.String, "machine": cty.String, "arch": cty.String,
		"cpus": cty.Number, "memory_bytes": cty.Number, "memory_available_bytes": cty.Number, "kvm": cty.Bool,
		"interfaces":        cty.Map(interfaceType()),
		"default_interface": cty.String, "default_address": cty.String,
		"route_address": cty.String, "route_interface": cty.String, "route_mtu": cty.Number,
	}
}

func interfaceType() cty.Type {
	return cty.Object(map[string]cty.Type{"mtu": cty.Number, "mac": cty.String, "addresses": cty.List(cty.String)})
}

// Outputs reads the host.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := readSystem(ctx, h)
	if err != nil {
		return nil, err
	}
	n, err := readNetwork(ctx, h)
	if err != nil {
		return nil, err
	}
	route, err := n.having(t.Address)
	if err != nil {
		return nil, err
	}
	return map[string]cty.Value{
		"hostname": cty.StringVal(s.hostname), "os_id": cty.StringVal(s.osID), "os_version": cty.StringVal(s.osVersion),
		"kernel": cty.StringVal(s.kernel), "machine": cty.StringVal(s.machine), "arch": cty.StringVal(arch(s.machine)),
		"cpus": cty.NumberIntVal(s.cpus), "memory_bytes": cty.NumberIntVal(s.memory),
		"memory_available_bytes": cty.NumberIntVal(s.available), "kvm": cty.BoolVal(s.kvm),
		"interfaces":        n.value(),
		"default_interface": cty.StringVal(n.defaultInterface), "default_address": cty.StringVal(n.defaultAddress()),
		"route_address": cty.StringVal(canonical(t.Address)), "route_interface": cty.StringVal(route.Name), "route_mtu": cty.NumberIntVal(route.MTU),
	}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)

// canonical is the shortest way to write an address, and nothing for none.
func canonical(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	return parsed.String()
}
