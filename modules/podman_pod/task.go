// Package podmanpod is the module podman_pod: a pod of podman, with the network
// namespace that its containers share.
//
// It restarts the pod when its processes are gone. A systemd unit starts it at boot, such
// as one of the module service.
package podmanpod

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a pod of podman. A change of arguments recreates it, with its containers. A pod of which a
// container has unnamed volumes, which podman deletes with the container, is not recreated without replace_volumes.
//
// After a boot, podman starts nothing by itself. A unit that starts the pod:
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
// Each start makes a new network namespace.
//
// Errors:
//   - a port to publish is in use
//   - a pod with the name is not the cluster's
//   - it has to be recreated, and a container in it has unnamed volumes or is not the cluster's
//   - podman is not installed, or does not start the pod; the error has its message
type Task struct {
	// Name is the pod's name.
	Name string `hcl:"name" nonempty:"expected the pod's name"`
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
	// Options are further arguments of "podman pod create", passed unchanged. Default none.
	Options []string `hcl:"options,optional"`
	// ReplaceVolumes deletes the unnamed volumes of its containers, with their data, when a change of
	// arguments recreates the pod.
	ReplaceVolumes bool `hcl:"replace_volumes,optional"`
	// State is the wanted state.
	State string `hcl:"state,optional" enum:"running,stopped,absent" default:"running"`

	seen seen.Reading[state]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_pod", Signs: true})
}

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

// hash returns the hash of everything whose change recreates the pod.
func (t *Task) hash() string { return podman.Hash(t.Runtime, t.options()) }

type Outputs struct {
	Name  string            `cty:"name"`  // the pod
	ID    string            `cty:"id"`    // its id
	Netns string            `cty:"netns"` // path of the network namespace; empty while it does not run
	IP    string            `cty:"ip"`    // its address in the first network; empty while it does not run
	IPs   map[string]string `cty:"ips"`   // its addresses by network; empty while it does not run
	Infra string            `cty:"infra"` // id of the first container
}

// Outputs reads the pod's network namespace and addresses; they are empty while
// it does not run.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	s, err := t.seen.Or(func() (state, error) { return t.read(ctx, podman.Client{Host: h}) })
	if err != nil {
		return Outputs{}, err
	}
	values := Outputs{Name: t.Name}
	if s.pod == nil {
		return values, nil
	}
	values.ID, values.Infra = s.pod.ID, s.pod.InfraContainerID
	if infra := s.infra(); infra != nil {
		values.Netns = infra.NetworkSettings.SandboxKey
		values.IP, values.IPs = infra.FirstAddress(t.Networks), infra.Addresses()
	}
	return values, nil
}
