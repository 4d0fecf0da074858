// Package winfirewall is the module "win_firewall": a rule of Windows Defender
// Firewall.
package winfirewall

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/powershell"
	"kinit/modules/internal/winpath"
)

//go:embed read.ps1
var readScript string

//go:embed set.ps1
var setScript string

//go:embed remove.ps1
var removeScript string

// Task is a rule of the firewall, identified by its name. Arguments that are not given do
// not restrict it: any protocol, port, address, program and profile.
//
// Errors:
//   - ports are given for a protocol without ports
//   - the firewall's service does not run
type Task struct {
	// Name is the rule's internal name, which the list of rules does not show, such as
	// "kinit-kubelet". It is the same in every language.
	Name string `hcl:"name"`
	// DisplayName is the name in the list of rules. Default: name.
	DisplayName string `hcl:"display_name,optional"`
	// Description is the rule's description.
	Description string `hcl:"description,optional"`
	// Direction is that of the traffic.
	Direction string `hcl:"direction,optional" enum:"inbound,outbound" default:"inbound"`
	// Action is what happens to the traffic.
	Action string `hcl:"action,optional" enum:"allow,block" default:"allow"`
	// Protocol is "tcp", "udp", "icmpv4", "icmpv6", "any" or a number of IANA.
	Protocol string `hcl:"protocol,optional" default:"any"`
	// LocalPorts are ports of the host, such as ["10250", "30000-32767"], for tcp and
	// udp. Default: any.
	LocalPorts []string `hcl:"local_ports,optional"`
	// RemotePorts are ports of the other side. Default: any.
	RemotePorts []string `hcl:"remote_ports,optional"`
	// RemoteAddresses are addresses and subnets of the other side, such as
	// ["10.0.0.0/8"], or Windows keywords such as "LocalSubnet". Default: any.
	RemoteAddresses []string `hcl:"remote_addresses,optional"`
	// Program is the path of the only program that the rule applies to. Default: any.
	Program string `hcl:"program,optional"`
	// Profiles are the kinds of networks that the rule applies to. Default: all.
	Profiles []string `hcl:"profiles,optional" enum:"domain,private,public"`
	// Enabled makes the rule effective.
	Enabled bool `hcl:"enabled,optional" default:"true"`
	module.Presence
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "win_firewall", OS: []module.OS{module.Windows}, Elsewhere: "nft_table"})
}

var (
	// protocolNumber matches a number of the protocol field of IP.
	protocolNumber = regexp.MustCompile(`^([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$`)
	// portRange matches a port or several.
	portRange = regexp.MustCompile(`^[0-9]{1,5}(-[0-9]{1,5})?$`)
	// addressWord matches what may be a word of Windows for addresses.
	addressWord = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)
)

func (t *Task) Validate() error {
	if err := winpath.CheckGiven("program", t.Program); err != nil {
		return err
	}
	ported := t.Protocol == "tcp" || t.Protocol == "udp"
	switch {
	case t.Name == "" || strings.ContainsAny(t.Name, "*?[]|\"\n"):
		return fmt.Errorf("name is %q, want a name such as \"kinit-kubelet\"", t.Name)
	case protocols[t.Protocol] == "" && !protocolNumber.MatchString(t.Protocol):
		return fmt.Errorf("protocol is %q, want tcp, udp, icmpv4, icmpv6, any or a number from 0 to 255", t.Protocol)
	case !ported && len(t.LocalPorts)+len(t.RemotePorts) > 0:
		return errors.New("ports are those of tcp and udp, want local_ports and remote_ports beside such a protocol only")
	}
	return errors.Join(checkPorts("local_ports", t.LocalPorts), checkPorts("remote_ports", t.RemotePorts),
		checkAddresses(t.RemoteAddresses))
}

func checkPorts(argument string, ports []string) error {
	for _, port := range ports {
		if !portRange.MatchString(port) {
			return fmt.Errorf("%s has %q, want a port or range such as \"30000-32767\"", argument, port)
		}
	}
	return nil
}

func checkAddresses(addresses []string) error {
	for _, address := range addresses {
		_, single := netip.ParseAddr(address)
		_, subnet := netip.ParsePrefix(address)
		if single != nil && subnet != nil && !addressWord.MatchString(address) {
			return fmt.Errorf("remote_addresses has %q, want an address, a subnet such as \"10.0.0.0/8\" or a word of Windows such as \"LocalSubnet\"", address)
		}
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	name := map[string]any{"name": t.Name}
	have, err := powershell.Read[rule](ctx, h, readScript, name)
	switch {
	case err != nil || t.Absent() && !have.There:
		return nil, err
	case t.Absent():
		return powershell.OneStep("remove rule "+t.Name, removeScript, name), nil
	}
	want := t.rule()
	text := "create rule " + t.Name + ": " + want.words()
	if have.There {
		text = powershell.Differences(have.diff(want)).Text("rule " + t.Name)
	}
	return powershell.OneStep(text, setScript, want.arguments(t.Name)), nil
}

type Outputs struct {
	Name string `cty:"name"` // the rule
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	return Outputs{Name: t.Name}, nil
}
