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
	kubectl.Client
}

func UncordonKind() module.Kind {
	return module.Of[UncordonTask](module.Kind{Name: "kubectl_uncordon"})
}

func (t *UncordonTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	var n *node
	if err := t.Get(ctx, h, &n, "node", t.Node, "--ignore-not-found"); err != nil || n == nil {
		return nil, err
	}
	switch later := n.Metadata.Annotations[annotation]; later {
	case "":
		return nil, nil
	case stays:
		return module.OneStep("leave "+t.Node+" cordoned, as it was", t.forget), nil
	}
	return module.OneStep("uncordon "+t.Node, func(ctx context.Context, h module.Host) error {
		if _, err := t.Run(ctx, h, "", "uncordon", t.Node); err != nil {
			return err
		}
		return t.forget(ctx, h)
	}), nil
}

// forget removes the annotation last, so that an interrupted task is done again.
func (t *UncordonTask) forget(ctx context.Context, h module.Host) error {
	_, err := t.Run(ctx, h, "", "annotate", "node", t.Node, annotation+"-")
	return err
}
