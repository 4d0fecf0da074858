package kubectldrain

import (
	"context"
	"encoding/json"
	"fmt"

	"kinit/engine/module"
)

// list is a list of objects as kubectl prints it.
type list[T any] struct{ Items []T }

// meta is what all objects have.
type meta struct {
	Name, Namespace string
	Labels          map[string]string
	Annotations     map[string]string
	OwnerReferences []owner
}

type owner struct {
	Kind       string
	Controller bool
}

// node, pod, volume, claim and budget are the parts of objects that matter here.
type node struct {
	Metadata meta
	Spec     struct{ Unschedulable bool }
	Status   struct {
		Conditions []struct{ Type, Status, Message string }
	}
}

type pod struct {
	Metadata meta
	Spec     struct {
		Volumes []struct {
			Name                  string
			HostPath              *struct{ Path string }
			PersistentVolumeClaim *struct{ ClaimName string }
		}
		Containers, InitContainers []struct {
			VolumeMounts []struct {
				Name     string
				ReadOnly bool
			}
		}
	}
	Status struct{ Phase string }
}

type volume struct {
	Metadata meta
	Spec     struct {
		HostPath *struct{ Path string }
		Local    *struct{ Path string }
		ClaimRef *struct{ Name, Namespace string }
		Affinity struct {
			Required struct {
				Terms []struct {
					Expressions []struct {
						Key, Operator string
						Values        []string
					} `json:"matchExpressions"`
				} `json:"nodeSelectorTerms"`
			}
		} `json:"nodeAffinity"`
	}
}

type budget struct {
	Metadata meta
	Spec     struct{ Selector selector }
	Status   struct{ DisruptionsAllowed int }
}

type selector struct {
	MatchLabels      map[string]string
	MatchExpressions []struct {
		Key, Operator string
		Values        []string
	}
}

func (p pod) name() string { return p.Metadata.Namespace + "/" + p.Metadata.Name }

func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var n *node
	if err := t.get(ctx, h, &n, "node", t.Node, "--ignore-not-found"); err != nil || n == nil {
		return state{}, err
	}
	var pods list[pod]
	if err := t.get(ctx, h, &pods, "pods", "--all-namespaces", "--field-selector", "spec.nodeName="+t.Node); err != nil {
		return state{}, err
	}
	var volumes list[volume]
	if err := t.get(ctx, h, &volumes, "persistentvolumes"); err != nil {
		return state{}, err
	}
	return look(*n, pods.Items, volumes.Items, t.Returns), nil
}

func (t *Task) budgets(ctx context.Context, h module.Host) ([]budget, error) {
	var all list[budget]
	err := t.get(ctx, h, &all, "poddisruptionbudgets", "--all-namespaces")
	return all.Items, err
}

// get leaves value alone if kubectl prints nothing.
func (t *Task) get(ctx context.Context, h module.Host, value any, args ...string) error {
	out, err := t.client().Run(ctx, h, "", append(append([]string{"get"}, args...), "--output", "json")...)
	if err != nil {
		return fmt.Errorf("get %s: %w", args[0], err)
	}
	if out.Stdout == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(out.Stdout), value); err != nil {
		return fmt.Errorf("kubectl get %s: %w", args[0], err)
	}
	return nil
}
