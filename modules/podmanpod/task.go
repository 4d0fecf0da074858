// Package podmanpod is the module podman_pod: a pod of podman, with the network
// namespace that its containers share.
//
// It brings the pod back when its processes are gone. Starting it at boot is a
// systemd unit's work, such as one of the module service.
package podmanpod

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a pod of podman. One with other arguments is made anew, with its containers.
//
// After a boot, podman starts nothing by itself. A unit that brings the pod back:
//
//	[Unit]
//	Description=Pod NAME
//	Wants=network-online.target
//	After=network-online.target
//	RequiresMountsFor=/var/lib/containers
//
//	[Service]
//	Type=oneshot
//	RemainAfterExit=yes
//	ExecStart=/usr/bin/podman pod start NAME
//	ExecStop=/usr/bin/podman pod stop --time 10 NAME
//
//	[Install]
//	WantedBy=multi-user.target
//
// The network namespace is a new one after each start.
//
// Outputs:
//   - name: the pod
//   - id: its id
//   - netns: path of the network namespace; empty while it does not run
//   - ip: its address in the first network, likewise
//   - ips: its addresses by network, likewise
//   - infra: id of the first container
//
// Errors:
//   - a port that is to be published is taken
//   - a pod of the name is not the cluster's
//   - podman is not installed, or does not start the pod; its error is told
type Task struct {
	// Name is the pod's name.
	Name string `hcl:"name"`
	// Networks are the networks it joins, each a name with options as podman takes
	// them, such as "lab:ip=10.89.3.5". Default: podman's own network.
	Networks []string `hcl:"networks,optional"`
	// Publish are ports of the host that lead into the pod, such as "6443:6443" or "127.0.0.1:53:53/udp". Default none.
	Publish []string `hcl:"publish,optional"`
	// Hostname is the host name inside. Default: the pod's name.
	Hostname string `hcl:"hostname,optional"`
	// DNS are the name servers that the containers use. Default: the network's.
	DNS []string `hcl:"dns,optional"`
	// AddHosts are further lines of /etc/hosts, such as "registry:10.0.0.253". Default none.
	AddHosts []string `hcl:"add_hosts,optional"`
	// Share are the namespaces that the containers share, such as "net,uts,ipc". Default: podman's.
	Share string `hcl:"share,optional"`
	// InfraImage is the image of the pod's first container. Default: the one podman makes from catatonit.
	InfraImage string `hcl:"infra_image,optional"`
	// Runtime is the OCI runtime, such as "runc" or "crun". Default: podman's.
	Runtime string `hcl:"runtime,optional"`
	// Labels are further labels. Default none.
	Labels map[string]string `hcl:"labels,optional"`
	// Options are further arguments of "podman pod create", as they are. Default none.
	Options []string `hcl:"options,optional"`
	// State is "running" (the default), "stopped" or "absent".
	State string `hcl:"state,optional"`

	seen seen.Reading[state]
}

// Kind is the module.
func Kind() module.Kind {
	return module.Kind{Name: "podman_pod", New: func() module.Task { return &Task{State: "running"} }}
}

// Validate checks the arguments.
func (t *Task) Validate() error {
	if t.Name == "" {
		return errors.New("name is empty, expected the pod's name")
	}
	switch t.State {
	case "running", "stopped", "absent":
		return nil
	}
	return fmt.Errorf("state is %q, expected \"running\", \"stopped\" or \"absent\"", t.State)
}

// options are the arguments of podman pod create that make the pod.
func (t *Task) options() []string {
	args := podman.Flags("--network", t.Networks)
	args = append(args, podman.Flags("--publish", t.Publish)...)
	args = append(args, podman.Flags("--dns", t.DNS)...)
	args = append(args, podman.Flags("--add-host", t.AddHosts)...)
	args = append(args, podman.PairFlags("--label", t.Labels)...)
	args = append(args, podman.Flag("--hostname", t.Hostname)...)
	args = append(args, podman.Flag("--share", t.Share)...)
	args = append(args, podman.Flag("--infra-image", t.InfraImage)...)
	return append(args, t.Options...)
}

// hash is the hash of all that a change of makes the pod anew.
func (t *Task) hash() string { return podman.Hash(t.Runtime, t.options()) }

// OutputTypes names the values.
func (t *Task) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{
		"name": cty.String, "id": cty.String, "netns": cty.String, "ip": cty.String,
		"ips": cty.Map(cty.String), "infra": cty.String,
	}
}

// Outputs reads the pod's network namespace and addresses; they are empty while
// it does not run.
func (t *Task) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, podman.Client{Host: h}) })
	if err != nil {
		return nil, err
	}
	values := map[string]cty.Value{
		"name": cty.StringVal(t.Name), "id": cty.StringVal(""), "netns": cty.StringVal(""),
		"ip": cty.StringVal(""), "ips": cty.MapValEmpty(cty.String), "infra": cty.StringVal(""),
	}
	if s.pod == nil {
		return values, nil
	}
	values["id"] = cty.StringVal(s.pod.ID)
	values["infra"] = cty.StringVal(s.pod.InfraContainerID)
	if infra := s.infra(); infra != nil {
		values["netns"] = cty.StringVal(infra.NetworkSettings.SandboxKey)
		values["ip"] = cty.StringVal(infra.FirstAddress(t.Networks))
		values["ips"] = podman.AddressMap(*infra)
	}
	return values, nil
}

var (
	_ module.Outputter = (*Task)(nil)
	_ module.Validator = (*Task)(nil)
)
