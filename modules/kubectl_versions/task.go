// Package kubectlversions is the module kubectl_versions: which nodes of a cluster have another
// version of Kubernetes than they are to have, and whether they may get it.
package kubectlversions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubectl"
)

// Task reads which versions the nodes of a cluster have, and checks the way to another one. It
// changes nothing. Without a kubeconfig on the host there is no cluster yet, and no node is due.
//
// Errors:
//   - the version is older than what a node or the control plane has
//   - the way to the version skips a minor version
//   - a kubelet is more than three minor versions older
//   - a node that is due is not Ready
//   - the file record says another version, and the API server does not answer
type Task struct {
	// Version is the version that all nodes are to have, such as "v1.34.4".
	Version string `hcl:"version"`
	kubectl.Client
	// Record is a file on the host with the version that all nodes have had at the end of a run. If it has this version, the API server is not asked. Default none.
	Record string `hcl:"record,optional"`

	found state
}

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "kubectl_versions"})
}

func (t *Task) Validate() error {
	if _, ok := parse(t.Version); !ok {
		return fmt.Errorf("version is %q, expected one such as \"v1.34.4\"", t.Version)
	}
	if t.Record != "" && !strings.HasPrefix(t.Record, "/") {
		return fmt.Errorf("record is %q, expected an absolute path", t.Record)
	}
	return nil
}

// Outputs are what the nodes have.
type Outputs struct {
	Due   []string          `cty:"due"`   // nodes with Linux that have another version, or are drained for it
	Nodes map[string]string `cty:"nodes"` // version of each node's kubelet; empty if record has the version already
	From  string            `cty:"from"`  // oldest version of the control plane; empty if no node is due
	Begun bool              `cty:"begun"` // a part of the control plane or a kubelet has the version already, and others have not
}

// Plan reads the versions, and fails if the way to the version is closed.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	want, _ := parse(t.Version) // Validate reports errors
	if err := s.check(want); err != nil {
		return nil, err
	}
	t.found = s
	return nil, nil
}

func (t *Task) Outputs(context.Context, module.Host) (Outputs, error) {
	want, _ := parse(t.Version)
	return t.found.outputs(want), nil
}

// The API server is asked for as little as possible: nodes of large clusters are megabytes. A field ends with
// a tab, and what somebody else has written is quoted.
const (
	nodesTemplate = `{{range .items}}{{.metadata.name}}{{"\t"}}{{.status.nodeInfo.kubeletVersion}}{{"\t"}}{{.status.nodeInfo.operatingSystem}}{{"\t"}}` +
		`{{with .metadata.annotations}}{{with index . "kinit/drained"}}drained{{end}}{{end}}` +
		`{{range .status.conditions}}{{if eq .type "Ready"}}{{"\t"}}{{.status}}{{"\t"}}{{printf "%q" .message}}{{end}}{{end}}{{"\n"}}{{end}}`
	podsTemplate = `{{range .items}}{{$pod := .}}{{range .spec.containers}}{{$pod.spec.nodeName}}{{"\t"}}{{.name}}{{"\t"}}{{.image}}{{"\n"}}{{end}}{{end}}`
)

// patience is how long the API server has for an answer.
const patience = "10s"

// read asks the API server, unless the record says that all nodes have the version.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	recorded := ""
	if t.Record != "" {
		text, _, err := hostfile.Read(ctx, h, t.Record)
		if recorded = strings.TrimSpace(text); err != nil || recorded == t.Version {
			return state{}, err
		}
	}
	if there, err := hostfile.Exists(ctx, h, t.Kubeconfig); err != nil || !there {
		return state{}, err
	}
	nodes, err := t.get(ctx, h, nodesTemplate, "nodes")
	if module.Exited(err) && recorded == "" {
		return state{}, nil // A first deployment that was interrupted has a kubeconfig and no API server.
	}
	if exit, ended := errors.AsType[*module.ExitError](err); ended {
		return state{}, fmt.Errorf("nodes have %s and are to have %s, and the API server does not answer: %s", recorded, t.Version, module.Tail(strings.TrimSpace(exit.Stderr), 1))
	}
	if err != nil {
		return state{}, err
	}
	pods, err := t.get(ctx, h, podsTemplate, "pods", "--namespace", "kube-system", "--selector", "tier=control-plane")
	if err != nil {
		return state{}, fmt.Errorf("get the pods of the control plane: %w", err)
	}
	return look(nodes, pods)
}

func (t *Task) get(ctx context.Context, h module.Host, template string, what ...string) (string, error) {
	argv := append(t.Argv("--request-timeout", patience, "get"), what...)
	out, err := h.Run(ctx, module.Command{Argv: append(argv, "--output", "go-template="+template)})
	return out.Stdout, err
}
