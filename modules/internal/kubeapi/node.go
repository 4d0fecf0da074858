package kubeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"kinit/engine/module"
)

// Node is what the API server says of a node.
type Node struct {
	Version string // of its kubelet
	Ready   bool
}

// GetNode asks for a node. The cluster must have it.
func (c Config) GetNode(ctx context.Context, h module.Host, name string) (Node, error) {
	var object struct {
		Status struct {
			NodeInfo   struct{ KubeletVersion string }
			Conditions []struct{ Type, Status string }
		}
	}
	if err := c.read(ctx, h, "/api/v1/nodes/"+url.PathEscape(name), &object); err != nil {
		return Node{}, fmt.Errorf("ask for the node %s: %w", name, err)
	}
	n := Node{Version: object.Status.NodeInfo.KubeletVersion}
	for _, condition := range object.Status.Conditions {
		n.Ready = n.Ready || condition.Type == "Ready" && condition.Status == "True"
	}
	return n, nil
}

// Container is a container of the control plane.
type Container struct {
	Name, Image string
	Ready       bool
}

// StaticPods asks for the containers of the control plane on a node.
func (c Config) StaticPods(ctx context.Context, h module.Host, node string) ([]Container, error) {
	query := url.Values{"fieldSelector": {"spec.nodeName=" + node}, "labelSelector": {"tier=control-plane"}}
	var pods struct {
		Items []struct {
			Spec struct {
				Containers []struct{ Name, Image string }
			}
			Status struct {
				ContainerStatuses []struct {
					Name  string
					Ready bool
				}
			}
		}
	}
	if err := c.read(ctx, h, "/api/v1/namespaces/kube-system/pods?"+query.Encode(), &pods); err != nil {
		return nil, fmt.Errorf("ask for the control plane of %s: %w", node, err)
	}
	var all []Container
	for _, pod := range pods.Items {
		for _, container := range pod.Spec.Containers {
			is := Container{Name: container.Name, Image: container.Image}
			for _, status := range pod.Status.ContainerStatuses {
				is.Ready = is.Ready || status.Name == is.Name && status.Ready
			}
			all = append(all, is)
		}
	}
	return all, nil
}

// read gets an object. The server must answer with it.
func (c Config) read(ctx context.Context, h module.Host, path string, object any) error {
	status, text, err := c.get(ctx, h, path)
	switch {
	case err != nil:
		return err
	case status == Unreachable:
		return fmt.Errorf("the API server at %s does not answer", c.Server)
	case status != http.StatusOK:
		return fmt.Errorf("the API server at %s answers %d", c.Server, status)
	}
	return json.Unmarshal(text, object)
}
