// Package winhns is the module "win_hns_network": a network of a Windows host's
// containers.
package winhns

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
)

//go:embed hns.ps1
var functions string

//go:embed read.ps1
var readScript string

//go:embed create.ps1
var createScript string

//go:embed remove.ps1
var removeScript string

// within limits a change of networks, including the return of the host: Windows
// binds its adapter to a new switch, for a minute at most.
const within = 10 * time.Minute

// Task is a network of a Windows host's containers. It belongs to the host networking
// service (HNS), and runtimes and CNI plug-ins put containers on it.
//
// The first network on an adapter interrupts the host's network for up to a minute,
// because the adapter gets a virtual switch. The change is therefore made by a task of
// the system that needs no connection, at most once, and kinit waits until the host is
// back. An existing network with other properties is an error: it may have
// containers.
//
// Errors:
//   - the host has no host networking service: install the feature Containers
//   - there is no adapter with the name, or the service refuses the network
//   - a network with the name exists with another type, subnet, gateway or VNI
//   - the job ended without an answer, as when the host restarts meanwhile
type Task struct {
	// Name is the network's name, such as "External".
	Name string `hcl:"name" nonempty:"want one such as \"External\""`
	// Type is the kind of network. Needed unless state is "absent".
	Type string `hcl:"type,optional" enum:"overlay,l2bridge,transparent,nat"`
	// Subnet is the prefix of the containers' addresses, such as "10.244.1.0/24". Not for
	// transparent networks, which have no subnet.
	Subnet string `hcl:"subnet,optional"`
	// Gateway is the subnet's gateway. Default: its first address.
	Gateway string `hcl:"gateway,optional"`
	// VNI is the number of an overlay's segment, from 4096 to 16777215: Windows reserves lower
	// ones.
	VNI int `hcl:"vni,optional"`
	// Adapter is the name of the network adapter, such as "Ethernet". Default: HNS
	// chooses the one with the default route.
	Adapter string `hcl:"adapter,optional"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_hns_network", OS: []module.OS{module.Windows}})
}

// types are the service's names of the types.
func types() map[string]string {
	return map[string]string{"overlay": "Overlay", "l2bridge": "L2Bridge", "transparent": "Transparent", "nat": "NAT"}
}

func (t *Task) Validate() error {
	switch {
	case t.Absent():
		return nil
	case t.Type == "":
		return errors.New("type is missing, want that of the network")
	case t.Type == "overlay" && (t.VNI < 4096 || t.VNI >= 1<<24):
		return fmt.Errorf("vni is %d, want 4096 to 16777215 for an overlay", t.VNI)
	case t.Type != "overlay" && t.VNI != 0:
		return errors.New("vni is of an overlay, want it with type = \"overlay\" only")
	case t.Type == "transparent" && t.Subnet+t.Gateway != "":
		return errors.New("a transparent network has no subnet of its own, want none")
	case t.Type == "transparent":
		return nil
	}
	subnet, err := netip.ParsePrefix(t.Subnet)
	if err != nil || subnet != subnet.Masked() || !subnet.Addr().Is4() || subnet.Bits() > 30 {
		return fmt.Errorf("subnet is %q, want an IPv4 subnet such as \"10.244.1.0/24\"", t.Subnet)
	}
	gateway, err := netip.ParseAddr(t.gateway())
	if err != nil || !subnet.Contains(gateway) {
		return fmt.Errorf("gateway is %q, want an address of %s", t.Gateway, t.Subnet)
	}
	return nil
}

// gateway returns the requested gateway, or the subnet's first address.
func (t *Task) gateway() string {
	subnet, err := netip.ParsePrefix(t.Subnet)
	if t.Gateway != "" || err != nil {
		return t.Gateway
	}
	return subnet.Addr().Next().String()
}

// network is a network in the scripts' output.
type network struct {
	There           bool
	ID              string
	Type            string
	Subnet, Gateway string
	VNI             int
	Adapter         string
	Address         string
}

func (t *Task) read(ctx context.Context, h module.Host) (network, error) {
	return powershell.Read[network](ctx, h, functions+readScript, map[string]any{"name": t.Name})
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	have, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		if !have.There {
			return nil, nil
		}
		return []module.Step{t.step("remove network "+t.Name, "remove", functions+removeScript, map[string]any{"name": t.Name})}, nil
	}
	if have.There {
		return nil, t.differs(have)
	}
	request, err := t.request()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("create %s network %s %s", t.Type, t.Name, t.Subnet)
	args := map[string]any{"name": t.Name, "request": request, "internal": t.Type == "nat"}
	return []module.Step{t.step(strings.TrimSpace(text), "create", functions+createScript, args)}, nil
}

// step runs a script that can interrupt the network.
func (t *Task) step(text, verb, script string, args any) module.Step {
	job := powershell.Job{Name: "hns-" + verb, Script: script, Args: args, Within: within}
	return module.NewStep(text, func(ctx context.Context, h module.Host) error {
		have, err := t.read(ctx, h)
		if err != nil || have.There == (!t.Absent()) {
			return err
		}
		return job.Run(ctx, h, nil)
	})
}

// differs returns the error for an existing network with other properties.
func (t *Task) differs(have network) error {
	for _, p := range []struct{ what, have, want string }{
		{"type", have.Type, types()[t.Type]},
		{"subnet", have.Subnet, t.Subnet},
		{"gateway", have.Gateway, t.gateway()},
		{"VNI", fmt.Sprint(have.VNI), fmt.Sprint(t.VNI)},
		{"adapter", have.Adapter, t.Adapter},
	} {
		if p.want != "" && !strings.EqualFold(p.have, p.want) {
			return fmt.Errorf("network %s is there with %s %s, want %s: remove it with state = \"absent\" when no container needs it", t.Name, p.what, p.have, p.want)
		}
	}
	return nil
}

func (t *Task) request() (string, error) {
	type policy struct {
		Type string
		VSID int
	}
	type subnet struct {
		AddressPrefix  string
		GatewayAddress string
		Policies       []policy `json:",omitempty"`
	}
	body := struct {
		Name               string
		Type               string
		NetworkAdapterName string   `json:",omitempty"`
		Subnets            []subnet `json:",omitempty"`
	}{Name: t.Name, Type: types()[t.Type], NetworkAdapterName: t.Adapter}
	if t.Subnet != "" {
		s := subnet{AddressPrefix: t.Subnet, GatewayAddress: t.gateway()}
		if t.VNI != 0 {
			s.Policies = []policy{{"VSID", t.VNI}}
		}
		body.Subnets = []subnet{s}
	}
	text, err := json.Marshal(body)
	return string(text), err
}

type Outputs struct {
	ID                string `cty:"id"`                 // the network's id, "" for an absent one
	ManagementAddress string `cty:"management_address"` // the host's address on the network's switch, "" for none
}

func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	have, err := t.read(ctx, h)
	return Outputs{ID: have.ID, ManagementAddress: have.Address}, err
}
