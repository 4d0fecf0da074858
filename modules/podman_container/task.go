// Package podmancontainer is the module podman_container: a container of podman,
// alone or in a pod.
//
// It restarts a container whose process is gone. A systemd unit starts it at boot, as for
// a pod; see the module podman_pod.
package podmancontainer

import (
	"errors"
	"fmt"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/podman"
	"kinit/modules/internal/seen"
)

// Task is a container of podman. A change of arguments or image recreates it; data that it
// wrote outside its volumes is lost. Unnamed volumes, which podman deletes with the container, are
// kept: a container that has some is not recreated without replace_volumes, and not to repair it.
//
// Errors:
//   - the image does not exist: podman_image brings it
//   - it does not start; the error has its last lines
//   - it has to be recreated, and has unnamed volumes
//   - networks, publish, dns or add_hosts is given beside pod
//   - a container with the name is not the cluster's
type Task struct {
	// Name is the container's name.
	Name string `hcl:"name" nonempty:"expected the container's name"`
	// Image is the image's full name. It is not pulled: podman_image does that.
	Image string `hcl:"image"`
	// Pod is the name of its pod. Default none.
	Pod string `hcl:"pod,optional"`
	// Command are the arguments of the entry point. Default: the image's.
	Command []string `hcl:"command,optional"`
	// Entrypoint is the program and its first arguments. Default: the image's.
	Entrypoint []string `hcl:"entrypoint,optional"`
	// Env are environment variables. Default none.
	Env map[string]string `hcl:"env,optional"`
	// EnvSecret are environment variables with secret values. Default none.
	EnvSecret map[string]secret.Value `hcl:"env_secret,optional"`
	// Volumes are mounts, such as "data:/var/lib/data" or "/etc/dns:/etc/bind:ro". Default none.
	Volumes []string `hcl:"volumes,optional"`
	// Tmpfs are folders in memory, such as "/run" or "/tmp:size=64m". Default none.
	Tmpfs []string `hcl:"tmpfs,optional"`
	// Devices are devices of the host, such as "/dev/kvm". Default none.
	Devices []string `hcl:"devices,optional"`
	// Networks are the networks it joins, each a name with options as podman takes
	// them, such as "lab:ip=10.89.3.5", or "host" or "none". Default: podman's own network, or the pod's.
	Networks []string `hcl:"networks,optional"`
	// Publish are ports of the host that lead into the container, such as "8080:80". Default none.
	Publish []string `hcl:"publish,optional"`
	// Hostname is the host name inside. Default: the container's id.
	Hostname string `hcl:"hostname,optional"`
	// DNS are the name servers it uses. Default: the network's.
	DNS []string `hcl:"dns,optional"`
	// AddHosts are further lines of /etc/hosts, such as "registry:10.0.0.253". Default none.
	AddHosts []string `hcl:"add_hosts,optional"`
	// User is the user and group it runs as, such as "101:101". Default: the image's.
	User string `hcl:"user,optional"`
	// Workdir is the working directory. Default: the image's.
	Workdir string `hcl:"workdir,optional"`
	// Privileged gives it all the host's devices and capabilities.
	Privileged bool `hcl:"privileged,optional"`
	// CapAdd are capabilities to add, such as "NET_ADMIN". Default none.
	CapAdd []string `hcl:"cap_add,optional"`
	// CapDrop are capabilities to take away. Default none.
	CapDrop []string `hcl:"cap_drop,optional"`
	// Ulimits are limits, such as "nofile=20000:20000". Default: podman's.
	Ulimits []string `hcl:"ulimits,optional"`
	// Sysctls are kernel settings of its namespaces. Default none.
	Sysctls map[string]string `hcl:"sysctls,optional"`
	// Systemd prepares it for systemd as its first process; "true" does so when the command
	// is systemd. Default: podman's, "true".
	Systemd string `hcl:"systemd,optional" enum:"true,false,always"`
	// Runtime is the OCI runtime, such as "runc" or "crun". Default: podman's.
	Runtime string `hcl:"runtime,optional"`
	// Restart is podman's restart policy: "no", "on-failure", "always", "unless-stopped". Default: podman's, "no".
	Restart string `hcl:"restart,optional"`
	// StopTimeout is the time between the stop signal and the kill, such as "10s".
	StopTimeout string `hcl:"stop_timeout,optional" default:"10s"`
	// Labels are further labels. Default none.
	Labels map[string]string `hcl:"labels,optional"`
	// Options are further arguments of "podman create", passed unchanged. Default none.
	Options []string `hcl:"options,optional"`
	// ConfigHash is any text, such as the checksum of a configuration file; when it changes, the container is recreated. Default none.
	ConfigHash string `hcl:"config_hash,optional"`
	// Replace, when false, keeps an existing container even if its arguments or its image
	// have changed.
	Replace bool `hcl:"replace,optional" default:"true"`
	// ReplaceVolumes deletes the unnamed volumes of a container, with their data, when it is recreated: after a
	// change of arguments or image, or if podman cannot start it after its process was killed.
	ReplaceVolumes bool `hcl:"replace_volumes,optional"`
	// State is the wanted state.
	State string `hcl:"state,optional" enum:"running,stopped,absent" default:"running"`

	seen seen.Reading[*podman.Container]
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "podman_container", Signs: true})
}

func (t *Task) Validate() error {
	if t.Image == "" && t.State != "absent" {
		return errors.New("image is empty, expected an image's full name")
	}
	if t.Pod != "" && len(t.Networks)+len(t.Publish)+len(t.DNS)+len(t.AddHosts) > 0 {
		return errors.New("networks, publish, dns and add_hosts belong to the pod when pod is set")
	}
	_, err := t.stopSeconds()
	return err
}

// stopSeconds returns the stop timeout in whole seconds for podman.
func (t *Task) stopSeconds() (int, error) {
	timeout, err := time.ParseDuration(t.StopTimeout)
	if err != nil || timeout < 0 {
		return 0, fmt.Errorf("stop_timeout is %q, expected a duration such as \"10s\"", t.StopTimeout)
	}
	return int(timeout.Round(time.Second).Seconds()), nil
}
