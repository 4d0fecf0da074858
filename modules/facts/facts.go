// Package facts is the module "facts": a host's properties and resources. It never changes
// anything.
package facts

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"kinit/engine/module"
)

// Task reads the host's properties, and changes nothing.
//
// It reads when the task runs. On a host without iproute2 it reads /sys and /proc, which do not say on which interface
// an IPv4 address is that has no subnet (/32): such an address is missing, unless only one interface can have it. With max_age, it uses facts
// of an earlier run without a query, if they are not older and the host still has the same
// recorded address and host keys. The run shows their age; --fresh-facts reads all of them again.
//
// Errors:
//   - no interface has the requested address; the error has the existing ones
type Task struct {
	// Address is an IP address of the host, such as the one by which other hosts reach it;
	// route_interface and route_mtu describe the interface with this address. It is an
	// error if no interface has it.
	Address string `hcl:"address,optional"`
	// Oldest is the greatest age of facts, such as "1h". They are stored on the machine
	// kinit runs on. Default: each run reads them.
	Oldest string `hcl:"max_age,optional"`
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "facts", Reads: true, Elsewhere: "win_facts"})
}

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

// MaxAge returns the greatest age of the facts.
func (t *Task) MaxAge() time.Duration {
	return module.Duration(t.Oldest).Time() // Validate reports errors
}

func (t *Task) Plan(ctx context.Context, _ module.Host) ([]module.Step, error) {
	return nil, ctx.Err()
}

// Mount is a mounted file system.
type Mount struct {
	Source  string   `cty:"source"`
	FSType  string   `cty:"fstype"`
	Options []string `cty:"options"`
}

// Interface is a network interface.
type Interface struct {
	MTU       int64    `cty:"mtu"`
	MAC       string   `cty:"mac"`
	Addresses []string `cty:"addresses"`
}

type Outputs struct {
	Hostname  string `cty:"hostname"`   // the host's own name
	OSID      string `cty:"os_id"`      // the system's ID in /etc/os-release, such as "debian"
	OSVersion string `cty:"os_version"` // its version, such as "12"
	// the name of the version, such as "bookworm"; empty for systems that have none
	OSCodename string `cty:"os_codename"`
	// the family of distributions: "debian" for Debian, Ubuntu and what is made from them,
	// "rhel" for Fedora, RHEL, CentOS Stream and theirs, "suse"; on others it is the ID
	OSFamily string `cty:"os_family"`
	Kernel   string `cty:"kernel"`  // the kernel's release, such as "6.1.0-18-amd64"
	Machine  string `cty:"machine"` // the processor's name in the kernel, such as "x86_64"
	Arch     string `cty:"arch"`    // the processor's name in Debian and Go, such as "amd64"
	CPUs     int64  `cty:"cpus"`    // number of processors
	// how many times slower than an ordinary machine it is at present, 1 or more; its time
	// limits are multiplied by it. It differs from run to run, so do not derive anything
	// lasting from it
	Pace                 float64 `cty:"pace"`
	MemoryBytes          int64   `cty:"memory_bytes"`           // memory in bytes
	MemoryAvailableBytes int64   `cty:"memory_available_bytes"` // memory in bytes that programs could get now
	KVM                  bool    `cty:"kvm"`                    // whether /dev/kvm exists, which does not prove that guests start with it
	// the manager that runs the host as a container, such as "podman"; empty if it has its
	// own kernel
	Container string `cty:"container"`
	// what starts services: "systemd", "openrc", or else the name of the first process
	ServiceManager string `cty:"service_manager"`
	// "enforcing" or "permissive" where the kernel has SELinux, else empty
	SELinux string `cty:"selinux"`
	Cgroups int64  `cty:"cgroups"` // 2 where control groups of version 2 alone are mounted, else 1
	// mounted file systems by folder; source is the device, or what stands for it
	Mounts map[string]Mount `cty:"mounts"`
	// network interfaces by name; addresses are without prefix length, mtu
	// in bytes
	Interfaces       map[string]Interface `cty:"interfaces"`
	DefaultInterface string               `cty:"default_interface"` // interface of the IPv4 default route; empty without one
	DefaultAddress   string               `cty:"default_address"`   // its IPv4 address; empty without one
	RouteAddress     string               `cty:"route_address"`     // the argument address
	RouteInterface   string               `cty:"route_interface"`   // the interface that has address; empty without it
	RouteMTU         int64                `cty:"route_mtu"`         // that interface's MTU in bytes; 0 without address
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	out, err := readSystem(ctx, h)
	if err != nil {
		return out, err
	}
	n, err := readNetwork(ctx, h)
	if err != nil {
		return out, err
	}
	route, err := n.having(t.Address)
	out.Interfaces, out.DefaultInterface, out.DefaultAddress = n.value(), n.defaultInterface, n.defaultAddress()
	out.RouteAddress, out.RouteInterface, out.RouteMTU = canonical(t.Address), route.Name, route.MTU
	return out, err
}

// canonical is the shortest way to write an address, and nothing for none.
func canonical(address string) string {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	return parsed.String()
}
