package podman

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// Pod is podman's data about a pod.
type Pod struct {
	ID               string `json:"Id"`
	Name             string
	State            string // Created, Running, Degraded, Exited, …
	Labels           map[string]string
	InfraContainerID string
	CgroupParent     string
	CgroupPath       string // "" in a pod that podman 4 has found after a boot of the host
	Containers       []identified
}

// Pod returns a pod by name, nil when there is none.
func (c Client) Pod(ctx context.Context, name string) (*Pod, error) {
	pod, err := inspect[Pod](ctx, c, "pod", name)
	if pod != nil && pod.Name != name {
		return nil, nil
	}
	return pod, err
}

// LostCgroup returns the control group of a pod that podman 4 has forgotten since the host was
// rebooted, and "" if podman knows it: without it, podman makes no container in the pod. With
// systemd's control groups podman finds it again itself.
func (p Pod) LostCgroup() string {
	if p.CgroupPath != "" || p.CgroupParent == "" || strings.HasSuffix(p.CgroupParent, ".slice") {
		return ""
	}
	return path.Join(p.CgroupParent, p.ID)
}

// Pods lists the pods of the host.
func (c Client) Pods(ctx context.Context) ([]Pod, error) {
	return list[Pod](ctx, c, "pod", "ps")
}

// Members returns the pod's containers, the infra container among them.
func (c Client) Members(ctx context.Context, pod Pod) ([]Container, error) {
	return c.containers(ctx, pod.Containers)
}

// ForeignMember returns an error if a container of the pod is not the owner's: it would be removed with
// the pod.
func (c Client) ForeignMember(pod Pod, members []Container) error {
	for _, ctr := range members {
		if ctr.ID != pod.InfraContainerID && !c.Ours(ctr.Config.Labels) {
			return c.Foreign(fmt.Sprintf("container %s in pod %s", ctr.Name, pod.Name), ctr.Config.Labels)
		}
	}
	return nil
}

// RemovePod removes a pod with its containers. A missing pod is not an error.
func (c Client) RemovePod(ctx context.Context, name string) error {
	pod, err := c.Pod(ctx, name)
	if err != nil || pod == nil {
		return err
	}
	members, err := c.Members(ctx, *pod)
	if err != nil {
		return err
	}
	if err := c.SettleDead(ctx, members); err != nil {
		return err
	}
	if _, err := c.Run(ctx, "pod", "rm", "--force", pod.ID); err != nil {
		return fmt.Errorf("remove pod %s: %w", name, err)
	}
	return nil
}
