// Package kubectldrain is the module kubectl_drain: it moves the pods of a Kubernetes node away
// before the node leaves.
package kubectldrain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/internal/kubectl"
)

// Task is a Kubernetes node that gets no more pods, and whose pods have left as disruption budgets
// allow. Pods of DaemonSets stay. What pods keep in an emptyDir goes with them. A node that the
// cluster does not have is drained.
//
// Errors:
//   - the node does not answer, so its pods cannot be moved
//   - data would be lost: a pod writes to a folder of the node, a volume is on the node, or no
//     controller recreates a pod
//   - pods are still there after the time limit; the error names them and the budgets that keep them
type Task struct {
	// Node is the name of the Kubernetes node.
	Node string `hcl:"node" nonempty:"expected a name"`
	kubectl.Client
	// Within is how long pods can take to leave, such as "10m".
	Within module.Duration `hcl:"within,optional" default:"10m"`
	// Destroy drains a node even if data is lost, or if the node does not answer.
	Destroy bool `hcl:"destroy,optional"`
	// Returns is for a node that comes back with all that its disks have, as after an upgrade: its folders and volumes are not lost. kubectl_uncordon lets pods come again.
	Returns bool `hcl:"returns,optional"`
	// LookOnly only reports what keeps the node from leaving, and changes nothing.
	LookOnly bool `hcl:"look_only,optional"`
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "kubectl_drain"})
}

func (t *Task) Validate() error {
	if t.Within.Time() < time.Second {
		return fmt.Errorf("within is %q, expected a duration such as \"10m\"", t.Within)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil || !s.there {
		return nil, err
	}
	if err := t.refuse(s); err != nil || t.LookOnly {
		return nil, err
	}
	var steps []module.Step
	switch {
	case t.Returns && !s.noted && s.cordoned:
		steps = append(steps, module.NewStep("note that "+t.Node+" is cordoned already", t.note(stays)))
	case t.Returns && !s.noted:
		steps = append(steps, module.NewStep("cordon "+t.Node, t.note(comesBack)))
	case !s.cordoned:
		steps = append(steps, module.NewStep("cordon "+t.Node, t.cordon))
	}
	if len(s.pods) > 0 && s.answers {
		steps = append(steps, module.NewStep("drain "+t.Node+": "+kubectl.Summary(lists.Map(s.pods, pod.name), 5), t.drain))
	}
	return steps, nil
}

// refuse returns an error if data would be lost without consent.
func (t *Task) refuse(s state) error {
	switch {
	case t.Destroy:
		return nil
	case !s.answers:
		return fmt.Errorf("%s does not answer (%s), so its %s cannot move away", t.Node, s.says, count(len(s.pods), "pod"))
	case len(s.lost) > 0:
		return fmt.Errorf("data would be lost with %s:\n%s", t.Node, strings.Join(s.lost, "\n"))
	}
	return nil
}

// The annotation of a node that is drained for a while, and its values: whether the node gets pods
// again afterwards, or was cordoned by somebody else.
const (
	annotation = "kinit/drained"
	comesBack  = "schedulable"
	stays      = "cordoned"
)

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// note writes what the node is after the drain, and cordons it.
func (t *Task) note(later string) func(context.Context, module.Host) error {
	return func(ctx context.Context, h module.Host) error {
		if _, err := t.Run(ctx, h, "", "annotate", "--overwrite", "node", t.Node, annotation+"="+later); err != nil {
			return err
		}
		return t.cordon(ctx, h)
	}
}

func (t *Task) cordon(ctx context.Context, h module.Host) error {
	_, err := t.Run(ctx, h, "", "cordon", t.Node)
	return err
}

// timesOver are in what kubectl says when pods are still there at its time limit.
var timesOver = []string{"global timeout reached", "to terminate: context deadline exceeded"}

// lookAgain is how long a node that may be lost is drained before it is asked again whether it answers. Kubernetes notices
// only after 40 seconds or so that a machine has gone, and its pods never end.
const lookAgain = 15 * time.Second

// drain evicts the pods and waits until they have gone. Those of a node that stops answering stay, if it may be destroyed.
func (t *Task) drain(ctx context.Context, h module.Host) error {
	within := module.Stretch(h, t.Within.Time())
	for left := within; ; left -= lookAgain {
		limit := left
		if t.Destroy {
			limit = min(left, lookAgain)
		}
		err := t.evict(ctx, h, limit)
		if err == nil {
			return nil
		}
		exit, ended := errors.AsType[*module.ExitError](err)
		if !ended || !slices.ContainsFunc(timesOver, func(over string) bool { return strings.Contains(exit.Stderr, over) }) {
			return fmt.Errorf("drain %s: %w", t.Node, err)
		}
		s, readErr := t.read(ctx, h)
		switch {
		case readErr == nil && t.Destroy && (len(s.pods) == 0 || !s.answers):
			return nil
		case t.Destroy && left > lookAgain:
			continue
		case readErr != nil || len(s.pods) == 0:
			return fmt.Errorf("drain %s: %w", t.Node, err)
		}
		budgets, readErr := t.budgets(ctx, h)
		if readErr != nil {
			return fmt.Errorf("drain %s: %w", t.Node, err)
		}
		return fmt.Errorf("pods of %s are still there after %s:\n%s\nThe node gets no more pods. Let the pods move, and run again", t.Node, within, strings.Join(s.kept(budgets), "\n"))
	}
}

// evict evicts the pods and waits for them for so long.
func (t *Task) evict(ctx context.Context, h module.Host, limit time.Duration) error {
	args := []string{"drain", t.Node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout", max(time.Second, limit.Round(time.Second)).String()}
	if t.Destroy {
		args = append(args, "--force")
	}
	_, err := h.Run(ctx, module.Command{Argv: t.Argv(args...), Line: func(line string) {
		if !strings.HasPrefix(line, "Warning: ") {
			h.Report(event.Progress{Text: line})
		}
	}})
	return err
}
