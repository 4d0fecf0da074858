package kubectldrain

import (
	"context"
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/kubectl"
)

// state is what is on a node.
type state struct {
	there, cordoned, answers bool
	noted                    bool     // the node has the annotation of a drain for a while
	says                     string   // why the node does not answer
	pods                     []pod    // that have to move away
	lost                     []string // what would be lost, a line each
}

// look decides from data alone. A node that returns loses nothing that its disks have.
func look(n node, pods []pod, volumes []volume, returns bool) state {
	s := state{there: true, cordoned: n.Spec.Unschedulable, noted: n.Metadata.Annotations[annotation] != "", says: "it has never been Ready"}
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" {
			s.answers, s.says = c.Status == "True", fmt.Sprintf("Ready is %s: %s", c.Status, c.Message)
		}
	}
	for _, v := range volumes {
		if !returns && v.on(n) {
			s.lost = append(s.lost, fmt.Sprintf("the volume %s of the claim %s/%s is on the node", v.Metadata.Name, v.Spec.ClaimRef.Namespace, v.Spec.ClaimRef.Name))
		}
	}
	for _, p := range pods {
		if p.remains() {
			continue
		}
		s.pods = append(s.pods, p)
		if !slices.ContainsFunc(p.Metadata.OwnerReferences, func(o owner) bool { return o.Controller }) {
			s.lost = append(s.lost, fmt.Sprintf("the pod %s belongs to no controller that would recreate it", p.name()))
		}
		if !returns {
			s.lost = append(s.lost, p.folders(volumes)...)
		}
	}
	return s
}

// remains reports whether a drain leaves a pod where it is: a DaemonSet's, the kubelet's own, or one
// that has ended.
func (p pod) remains() bool {
	if _, mirror := p.Metadata.Annotations["kubernetes.io/config.mirror"]; mirror {
		return true
	}
	for _, o := range p.Metadata.OwnerReferences {
		if o.Controller && o.Kind == "DaemonSet" {
			return true
		}
	}
	return p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed"
}

// folders lists the folders of the node that a pod may write to.
func (p pod) folders(volumes []volume) (lines []string) {
	for _, v := range p.Spec.Volumes {
		switch {
		case v.HostPath != nil && p.writes(v.Name):
			lines = append(lines, fmt.Sprintf("the pod %s may write to the node's folder %s", p.name(), v.HostPath.Path))
		case v.PersistentVolumeClaim != nil:
			for _, of := range volumes {
				if ref := of.Spec.ClaimRef; of.Spec.HostPath != nil && ref != nil && ref.Namespace == p.Metadata.Namespace && ref.Name == v.PersistentVolumeClaim.ClaimName {
					lines = append(lines, fmt.Sprintf("the pod %s has its claim %s in the node's folder %s", p.name(), ref.Name, of.Spec.HostPath.Path))
				}
			}
		}
	}
	return lines
}

// writes reports whether a container may write to a volume of the pod.
func (p pod) writes(volume string) bool {
	for _, c := range slices.Concat(p.Spec.Containers, p.Spec.InitContainers) {
		for _, m := range c.VolumeMounts {
			if m.Name == volume && !m.ReadOnly {
				return true
			}
		}
	}
	return false
}

// on reports whether a claim has a volume that is on a node alone.
func (v volume) on(n node) bool {
	if v.Spec.ClaimRef == nil || v.Spec.Local == nil && v.Spec.HostPath == nil {
		return false
	}
	host := n.Metadata.Labels["kubernetes.io/hostname"]
	for _, term := range v.Spec.Affinity.Required.Terms {
		for _, e := range term.Expressions {
			if e.Key == "kubernetes.io/hostname" && e.Operator == "In" && slices.Contains(e.Values, host) {
				return true
			}
		}
	}
	return false
}

// kept says of each pod that is still there what keeps it.
func (s state) kept(budgets []budget) (lines []string) {
	for _, p := range s.pods {
		line := p.name()
		for _, b := range budgets {
			if b.Metadata.Namespace == p.Metadata.Namespace && b.Status.DisruptionsAllowed == 0 && b.Spec.Selector.matches(p.Metadata.Labels) {
				line += fmt.Sprintf(": the disruption budget %s lets none of its pods go", b.Metadata.Name)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func (s selector) matches(labels map[string]string) bool {
	for key, want := range s.MatchLabels {
		if value, there := labels[key]; !there || value != want {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		value, there := labels[e.Key]
		in := there && slices.Contains(e.Values, value)
		if e.Operator == "In" && !in || e.Operator == "NotIn" && in || e.Operator == "Exists" && !there || e.Operator == "DoesNotExist" && there {
			return false
		}
	}
	return true
}

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

func (t *Task) read(ctx context.Context, h module.Host) (s state, err error) {
	reading := kubectl.Patiently
	if t.LookOnly {
		reading = kubectl.Briefly
	}
	err = reading(ctx, h, func(ctx context.Context) error {
		s, err = t.ask(ctx, h)
		return err
	})
	return s, err
}

func (t *Task) ask(ctx context.Context, h module.Host) (state, error) {
	var n *node
	if err := t.Get(ctx, h, &n, "node", t.Node, "--ignore-not-found"); err != nil || n == nil {
		return state{}, err
	}
	var pods list[pod]
	if err := t.Get(ctx, h, &pods, "pods", "--all-namespaces", "--field-selector", "spec.nodeName="+t.Node); err != nil {
		return state{}, err
	}
	var volumes list[volume]
	if err := t.Get(ctx, h, &volumes, "persistentvolumes"); err != nil {
		return state{}, err
	}
	return look(*n, pods.Items, volumes.Items, t.Returns), nil
}

func (t *Task) budgets(ctx context.Context, h module.Host) ([]budget, error) {
	var all list[budget]
	err := t.Get(ctx, h, &all, "poddisruptionbudgets", "--all-namespaces")
	return all.Items, err
}
