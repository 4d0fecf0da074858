package kubectldrain

import (
	"context"

	"kinit/engine/module"
	"kinit/modules/internal/kubectl"
)

// UncordonTask is a Kubernetes node that gets pods again after it was drained for a while. That is a drain
// by kubectl_drain with returns = true. A node that somebody else had cordoned before stays cordoned, and other
// nodes are left alone.
//
// Errors:
//   - the API server does not answer
type UncordonTask struct {
	// Node is the name of the Kubernetes node.
	Node string `hcl:"node" nonempty:"expected a name"`
	// Kubeconfig is the cluster's kubeconfig on the host.
	Kubeconfig string `hcl:"kubeconfig,optional" default:"/etc/kubernetes/admin.conf" path:"absolute"`
	// Kubectl is the program kubectl on the host.
	Kubectl string `hcl:"kubectl,optional" default:"kubectl"`
}

func UncordonKind() module.Kind {
	return module.Of[UncordonTask](module.Kind{Name: "kubectl_uncordon"})
}

func (t *UncordonTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	drain := Task{Node: t.Node, Kubeconfig: t.Kubeconfig, Kubectl: t.Kubectl}
	var n *node
	if err := drain.get(ctx, h, &n, "node", t.Node, "--ignore-not-found"); err != nil || n == nil {
		return nil, err
	}
	switch later := n.Metadata.Annotations[annotation]; later {
	case "":
		return nil, nil
	case stays:
		return module.OneStep("leave "+t.Node+" cordoned, as it was", t.forget), nil
	}
	return module.OneStep("uncordon "+t.Node, func(ctx context.Context, h module.Host) error {
		if _, err := t.client().Run(ctx, h, "", "uncordon", t.Node); err != nil {
			return err
		}
		return t.forget(ctx, h)
	}), nil
}

func (t *UncordonTask) client() kubectl.Client {
	return kubectl.Client{Program: t.Kubectl, Kubeconfig: t.Kubeconfig}
}

// forget removes the annotation last, so that an interrupted task is done again.
func (t *UncordonTask) forget(ctx context.Context, h module.Host) error {
	_, err := t.client().Run(ctx, h, "", "annotate", "node", t.Node, annotation+"-")
	return err
}
