// Package kubectlapply is the module kubectl_apply: it applies objects to a Kubernetes
// cluster with kubectl on a host.
package kubectlapply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubectl"
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

// summary names the first objects and counts the rest.
func summary(names []string) string { return kubectl.Summary(names, 3) }

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

// comparisons is how often a comparison is repeated while others change the objects.
const comparisons = 10

// diff returns the pending changes, or nothing. count is the number of objects.
func (t *Task) diff(ctx context.Context, h module.Host, count int) (string, error) {
	if !t.applied {
		// Listing is cheap. A comparison makes the server try each object, and fails
		// if the same content still has to create an object's namespace.
		live, err := t.live(ctx, h)
		if err != nil {
			return "", fmt.Errorf("list the objects: %w", err)
		}
		if len(live) < count {
			return fmt.Sprintf("%d of %d objects are missing", count-len(live), count), nil
		}
	}
	var change string
	var err error
	for range comparisons {
		if change, err = t.compare(ctx, h); err != nil || !changedMeanwhile(change) {
			break
		}
	}
	if err != nil || change == "" {
		return "", err
	}
	return "the cluster has other fields\n" + h.Redact(change), nil
}

// compare returns kubectl's differences between the cluster and the content, or nothing.
func (t *Task) compare(ctx context.Context, h module.Host) (string, error) {
	out, err := t.kubectl(ctx, h, append([]string{"diff"}, t.merging()...)...)
	switch {
	case err == nil:
		return "", nil
	case module.Exited(err, 1):
		return cleanDiff(out.Stdout), nil
	}
	return "", fmt.Errorf("compare with the cluster: %w", err)
}

// oldVersion matches a difference line with another version of an object.
var oldVersion = regexp.MustCompile(`(?m)^-  resourceVersion: "\d+"$`)

// changedMeanwhile reports whether an object changed while it was compared: kubectl reads it
// and then has the server try the content on it; without another change both have the same
// version. Controllers often change the status of new objects. If the client merges, kubectl
// handles this by itself.
func changedMeanwhile(change string) bool { return oldVersion.MatchString(change) }

// cleanDiff removes the lines that always differ: the commands and the
// names of kubectl's temporary files.
func cleanDiff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "diff ") && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "+++ ") {
			b.WriteString(line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// kubectl runs kubectl with the content on standard input.
func (t *Task) kubectl(ctx context.Context, h module.Host, args ...string) (module.Output, error) {
	c := kubectl.Client{Kubectl: "kubectl", Kubeconfig: t.Kubeconfig}
	return c.Run(ctx, h, t.Content, append(args, "--filename", "-")...)
}
