// Package facts is the module "facts": what a host is and has. It never changes
// anything.
package facts

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
)

// Task reads what a host is, and changes nothing.
//
// It reads when the task comes to its turn, and needs iproute2 on the host. With
// max_age, what an earlier run has read is used and the host is not asked: where it is
// not older, and the host has the same address and host keys on record. The run tells
// how old it is; --fresh-facts reads all anew.
//
// Outputs:
//   - hostname: the name the host has of itself
//   - os_id: the system as /etc/os-release has it, such as "debian"
//   - os_version: its version, such as "12"
//   - kernel: the kernel's release, such as "6.1.0-18-amd64"
//   - machine: the processor as the kernel names it, such as "x86_64"
//   - arch: the processor as Debian and Go name it, such as "amd64"
//   - cpus: number of processors
//   - pace: how many times slower than an ordinary machine it is just now, 1 or more, by which
//     its time limits are longer; it differs from run to run, so nothing that is kept should
//     be made of it
//   - memory_bytes: memory in bytes
//   - memory_available_bytes: memory in bytes that programs could get now
//   - kvm: whether /dev/kvm is there, which is no proof that guests start with it
//   - container: what runs the host as a container, such as "podman"; empty where it has a
//     kernel of its own
//   - cgroups: 2 where control groups of version 2 alone are mounted, else 1
//   - interfaces: network interfaces by name; addresses are without prefix length, mtu
//     in bytes
//   - default_interface: interface of the IPv4 default route; empty without one
//   - default_address: its IPv4 address; empty without one
//   - route_address: the argument address
//   - route_interface: the interface that has address; empty without it
//   - route_mtu: that interface's MTU in bytes; 0 without address
//
// Errors:
//   - no interface has the address asked for; those there are are told
//   - iproute2 is not installed
type Task struct {
	// Address is an IP address of the host, such as the one other hosts reach it
	// by; route_interface and route_mtu are of the interface that has it. It is an
	// error when none has.
	Address string `hcl:"address,optional"`
	// Oldest is how old facts may be, such as "1h". They are kept on the machine
	// kinit runs on. Default: they are read in each run.
	Oldest string `hcl:"max_age,optional"`
}

// Kind is the module "facts".
func Kind() module.Kind {
	return module.Kind{Name: "facts", Reads: true, Elsewhere: "win_facts", New: func() module.Task { return &Task{} }}
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if t.Oldest != "" && t.MaxAge() <= 0 {
		return fmt.Errorf("max_age is %q, want a time such as \"1h\"", t.Oldest)
	}
	if t.Address == "" {
		return nil
	}
	if _, err := netip.ParseAddr(t.Address); err != nil {
		return fmt.Errorf("address is %q, want an IP address", t.Address)
	}
	return nil
}

// MaxAge is how old the facts may be.
func (t *Task) MaxAge() time.Duration {
	d, _ := time.ParseDuration(t.Oldest) // Validate tells
	return d
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
		"cpus": cty.Number, "pace": cty.Number, "memory_bytes": cty.Number, "memory_available_bytes": cty.Number, "kvm": cty.Bool,
		"container": cty.String, "cgroups": cty.Number,
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
		"cpus": cty.NumberIntVal(s.cpus), "pace": cty.NumberFloatVal(s.pace), "memory_bytes": cty.NumberIntVal(s.memory),
		"memory_available_bytes": cty.NumberIntVal(s.available), "kvm": cty.BoolVal(s.kvm),
		"container": cty.StringVal(s.container), "cgroups": cty.NumberIntVal(s.cgroups),
		"interfaces":        n.value(),
		"default_interface": cty.StringVal(n.defaultInterface), "default_address": cty.StringVal(n.defaultAddress()),
		"route_address": cty.StringVal(canonical(t.Address)), "route_interface": cty.StringVal(route.Name), "route_mtu": cty.NumberIntVal(route.MTU),
	}, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Aging     = (*Task)(nil)
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
