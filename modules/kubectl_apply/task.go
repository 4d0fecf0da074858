// Package kubectlapply is the module kubectl_apply: it applies objects to a Kubernetes
// cluster with kubectl on a host.
package kubectlapply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Task is a set of Kubernetes objects. Fields and objects that the content does not name are
// not changed.
//
// Errors:
//   - content is not YAML, or an object has no kind or name
//   - the API server does not answer or refuses an object; the error has its message
type Task struct {
	// Content is the objects in YAML, any number of documents.
	Content string `hcl:"content"`
	// Kubeconfig is the cluster's kubeconfig on the host.
	Kubeconfig string `hcl:"kubeconfig,optional" default:"/etc/kubernetes/admin.conf" path:"absolute"`
	// FieldManager is the name of kinit's fields in the cluster.
	FieldManager string `hcl:"field_manager,optional" default:"kinit" nonempty:"expected a name"`
	// ServerSide makes the API server merge the fields, and take over those of other managers.
	ServerSide bool `hcl:"server_side,optional" default:"true"`
	module.Presence

	applied bool // all objects exist
}

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "kubectl_apply"})
}

func (t *Task) Validate() error {
	switch {
	}
	names, err := t.objects()
	if err == nil && len(names) == 0 {
		err = errors.New("content has no object, expected at least one")
	}
	return err
}

// objects lists the objects of the content, as "kind name".
func (t *Task) objects() ([]string, error) {
	var names []string
	decoder := yaml.NewDecoder(strings.NewReader(t.Content))
	for number := 1; ; number++ {
		var object struct {
			Kind     string
			Metadata struct{ Name, GenerateName string }
			Items    []struct {
				Kind     string
				Metadata struct{ Name string }
			}
		}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("content is no YAML: document %d: %w", number, err)
		}
		switch {
		case object.Kind == "" && object.Metadata.Name == "":
			continue // an empty document
		case object.Kind == "List":
			for _, item := range object.Items {
				names = append(names, item.Kind+" "+item.Metadata.Name)
			}
		case object.Kind == "" || object.Metadata.Name == "":
			return nil, fmt.Errorf("document %d of content has no kind or no name", number)
		default:
			names = append(names, object.Kind+" "+object.Metadata.Name)
		}
	}
}

// Plan asks the cluster for the changes that applying the content would make.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	names, err := t.objects()
	if err != nil {
		return nil, err
	}
	there, err := hostfile.Exists(ctx, h, t.Kubeconfig)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent() && !there:
		return nil, nil
	case t.Absent():
		return t.planAbsent(ctx, h)
	case !there:
		return t.step(names, "the cluster is not there yet"), nil
	}
	change, err := t.diff(ctx, h, len(names))
	if err != nil || change == "" {
		return nil, err
	}
	return t.step(names, change), nil
}

func (t *Task) step(names []string, change string) []module.Step {
	text := fmt.Sprintf("apply %s: %s", summary(names), change)
	return module.OneStep(text, func(ctx context.Context, h module.Host) error {
		if _, err := t.kubectl(ctx, h, append([]string{"apply"}, t.merging()...)...); err != nil {
			return fmt.Errorf("apply %s: %w", summary(names), err)
		}
		t.applied = true
		return nil
	})
}

// shown is how many objects a step names.
const shown = 3

// summary names the first objects and counts the rest.
func summary(names []string) string {
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// merging returns the common options of diff and apply.
func (t *Task) merging() []string {
	args := []string{"--field-manager", t.FieldManager}
	if t.ServerSide {
		args = append(args, "--server-side", "--force-conflicts")
	}
	return args
}

func (t *Task) live(ctx context.Context, h module.Host) ([]string, error) {
	out, err := t.kubectl(ctx, h, "get", "--ignore-not-found", "--output", "name")
	return strings.Fields(out.Stdout), err
}

func (t *Task) planAbsent(ctx context.Context, h module.Host) ([]module.Step, error) {
	live, err := t.live(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("list the objects: %w", err)
	}
	if len(live) == 0 {
		return nil, nil
	}
	return module.OneStep("delete "+summary(live), func(ctx context.Context, h module.Host) error {
		if _, err := t.kubectl(ctx, h, "delete", "--ignore-not-found", "--wait"); err != nil {
			return fmt.Errorf("delete %s: %w", summary(live), err)
		}
		return nil
	}), nil
}
