package nettcpip

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// hnsNetwork is a network in the words of the first schema of the Host Network Service.
type hnsNetwork struct {
	ID         string      `json:"ID,omitempty"`
	Name       string      `json:"Name"`
	Type       string      `json:"Type"`
	Adapter    string      `json:"NetworkAdapterName,omitempty"`
	Management string      `json:"ManagementIP,omitempty"`
	State      int         `json:"State"`
	Flags      int         `json:"Flags,omitempty"`
	Subnets    []hnsSubnet `json:"Subnets,omitempty"`
	Policies   []hnsPolicy `json:"Policies,omitempty"`
}

type hnsSubnet struct {
	ID       string      `json:"ID,omitempty"`
	Prefix   string      `json:"AddressPrefix"`
	Gateway  string      `json:"GatewayAddress,omitempty"`
	Policies []hnsPolicy `json:"Policies,omitempty"`
}

type hnsPolicy struct {
	Type string `json:"Type"`
	VSID int    `json:"VSID,omitempty"`
	MAC  string `json:"Address,omitempty"`
}

// hnsError is an error in the words of the Host Network Service.
type hnsError string

// Error is the service's sentence.
func (e hnsError) Error() string { return string(e) }

// nonPersistent is the flag of a network that ends with the boot.
const nonPersistent = 8

func toHNS(n network.HNSNetwork) hnsNetwork {
	h := hnsNetwork{ID: n.ID, Name: n.Name, Type: n.Type, Adapter: n.Adapter, State: 1}
	if n.Management.IsValid() {
		h.Management = n.Management.String()
	}
	if !n.Persistent {
		h.Flags = nonPersistent
	}
	if n.Subnet.IsValid() {
		s := hnsSubnet{Prefix: n.Subnet.String()}
		if n.Gateway.IsValid() {
			s.Gateway = n.Gateway.String()
		}
		if n.VSID > 0 {
			s.Policies = []hnsPolicy{{Type: "VSID", VSID: n.VSID}}
		}
		h.Subnets = []hnsSubnet{s}
	}
	if strings.EqualFold(n.Type, "Overlay") {
		h.Policies = []hnsPolicy{{Type: "DrMacAddress", MAC: n.RouterMAC}}
	}
	return h
}

func fromHNS(h hnsNetwork) (network.HNSNetwork, error) {
	n := network.HNSNetwork{Name: h.Name, Type: h.Type, Persistent: h.Flags&nonPersistent == 0}
	for _, s := range h.Subnets {
		prefix, err := netip.ParsePrefix(s.Prefix)
		if err != nil {
			return n, err
		}
		n.Subnet = prefix
		if s.Gateway != "" {
			if n.Gateway, err = netip.ParseAddr(s.Gateway); err != nil {
				return n, err
			}
		}
		for _, p := range s.Policies {
			if p.Type == "VSID" {
				n.VSID = p.VSID
			}
		}
	}
	return n, nil
}

// CallHNS is the function HNSCall of vmcompute.dll: a method, a path, a request and the
// answer, as the service gives it in JSON.
func CallHNS(m *machine.Machine, method, path, request string) string {
	output, err := callHNS(m, method, strings.Trim(path, "/"), request)
	answer := map[string]any{"Success": err == nil}
	if err != nil {
		answer["Error"] = err.Error()
	} else {
		answer["Output"] = output
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return `{"Success":false,"Error":"` + err.Error() + `"}`
	}
	return string(text)
}

func callHNS(m *machine.Machine, method, path, request string) (any, error) {
	if m.Features.State("Containers") != feature.Installed {
		return nil, hnsError("The specified module could not be found. ")
	}
	if status, err := m.Services.Status("hns"); err != nil || status.State != scm.Running {
		return nil, hnsError("The Host Network Service is not running. ")
	}
	kind, id, _ := strings.Cut(path, "/")
	if kind != "networks" {
		m.Unknown("HNSCall %s %s", method, path)
		return nil, fmt.Errorf("%s is not simulated", path)
	}
	switch method {
	case "GET":
		return getHNS(m, id)
	case "POST":
		return addHNS(m, request)
	case "DELETE":
		if err := m.Network.RemoveNetwork(id); err != nil {
			return nil, hnsError("Element not found. ")
		}
		return struct{}{}, nil
	}
	m.Unknown("HNSCall %s %s", method, path)
	return nil, fmt.Errorf("%s is not simulated", method)
}

func getHNS(m *machine.Machine, id string) (any, error) {
	if id != "" {
		n, ok := m.Network.Network(id)
		if !ok {
			return nil, hnsError("Element not found. ")
		}
		return toHNS(n), nil
	}
	all := []hnsNetwork{}
	for _, n := range m.Network.Networks() {
		all = append(all, toHNS(n))
	}
	return all, nil
}

func addHNS(m *machine.Machine, request string) (any, error) {
	var h hnsNetwork
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&h); err != nil {
		m.Unknown("HNSCall POST networks: %v", err)
		return nil, hnsError("The parameter is incorrect. ")
	}
	n, err := fromHNS(h)
	if err != nil || h.Type == "" {
		return nil, hnsError("The parameter is incorrect. ")
	}
	if strings.EqualFold(n.Type, "Overlay") && n.VSID < 4096 {
		return nil, hnsError("The virtual subnet ID is invalid. ")
	}
	made, err := m.Network.AddNetwork(n)
	if err != nil {
		return nil, fmt.Errorf("%w ", err)
	}
	return toHNS(made), nil
}

// networks is Get-HnsNetwork, which gives the service's own objects.
func (n module) networks(ctx context.Context, c *interp.Call) error {
	for _, one := range n.m.Network.Networks() {
		if c.Has("Id") && !strings.EqualFold(one.ID, c.String("Id")) {
			continue
		}
		h := toHNS(one)
		var subnets, policies []any
		for _, s := range h.Subnets {
			var below []any
			for _, p := range s.Policies {
				below = append(below, value.NewCustom(value.P("Type", p.Type), value.P("VSID", int32(p.VSID))))
			}
			subnets = append(subnets, value.NewCustom(value.P("AddressPrefix", s.Prefix), value.P("GatewayAddress", s.Gateway), value.P("Policies", value.NewArray(below...))))
		}
		for _, p := range h.Policies {
			policies = append(policies, value.NewCustom(value.P("Type", p.Type), value.P("Address", p.MAC)))
		}
		o := value.NewCustom(value.P("ID", h.ID), value.P("Name", h.Name), value.P("Type", h.Type), value.P("ManagementIP", h.Management),
			value.P("NetworkAdapterName", h.Adapter), value.P("State", int32(h.State)), value.P("Subnets", value.NewArray(subnets...)), value.P("Policies", value.NewArray(policies...)))
		o.Data = one.ID
		if err := c.WriteObject(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (n module) removeNetwork(_ context.Context, c *interp.Call) error {
	for _, item := range cmdlet.Items(c.Value("InputObjects")) {
		o, ok := item.(*value.Object)
		if !ok {
			continue
		}
		if err := n.m.Network.RemoveNetwork(value.String(o.Property("ID"))); err != nil {
			return err
		}
	}
	return nil
}
