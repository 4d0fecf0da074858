package kubeadm

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

// JoinTask is a further node of a cluster, worker or control plane as its
// configuration says. A join that was interrupted, or whose node the cluster does
// not know any more, is reset and run again.
//
// Outputs:
//   - node: the node's name
//   - kubeconfig_path: kubelet.conf on the host
//
// Errors:
//   - the host is a Kubernetes node already that kinit did not make
//   - kubeadm fails; its last lines are told
//   - the node does not answer within wait
type JoinTask struct {
	// Config is the path of the configuration on the host, as kubeadm_config writes it.
	Config string `hcl:"config"`
	// PKI are files below /etc/kubernetes/pki by their path, such as { "ca.crt" = …, "ca.key" = … }. They are written before kubeadm runs, which then uses them instead of making its own. Keys get mode 0600. Default none.
	PKI map[string]secret.Value `hcl:"pki,optional"`
	// Login is who joins, for a configuration with a discovery_file. Default none: the configuration has a token.
	Login *Login `hcl:"login,block"`
	// CRISocket is the container runtime's socket, for cleaning up a node that was half made. Default: found by kubeadm.
	CRISocket string `hcl:"cri_socket,optional"`
	// IgnorePreflight are checks whose failure is only a warning, such as "NumCPU". Default none.
	IgnorePreflight []string `hcl:"ignore_preflight,optional"`
	// SkipPhases are phases that kubeadm leaves out. Default none.
	SkipPhases []string `hcl:"skip_phases,optional"`
	// Wait is how long the node gets to answer afterwards, such as "5m", the default.
	Wait string `hcl:"wait,optional"`
	// State is "present" (the default) or "absent", which resets this node and no other.
	State string `hcl:"state,optional"`
}

// JoinKind is the module kubeadm_join.
func JoinKind() module.Kind {
	return module.Kind{Name: "kubeadm_join", New: func() module.Task {
		return &JoinTask{Wait: "5m", State: "present"}
	}}
}

// node is the arguments that kubeadm_init has too.
func (t *JoinTask) node() node {
	return node{
		config: t.Config, pki: t.PKI, criSocket: t.CRISocket, ignorePreflight: t.IgnorePreflight,
		skipPhases: t.SkipPhases, wait: t.Wait, state: t.State,
	}
}

// Validate checks the arguments.
func (t *JoinTask) Validate() error {
	if t.Login != nil {
		if err := t.Login.validate(); err != nil {
			return err
		}
	}
	return t.node().validate()
}

// Plan reads how far the node is.
func (t *JoinTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.State == "absent" {
		return t.node().absent(h, s)
	}
	return t.decide(h, s)
}

func (t *JoinTask) read(ctx context.Context, h module.Host) (nodeState, error) {
	s, err := readNode(ctx, h)
	if err == nil && t.Login != nil {
		s.login, err = hostfile.Exists(ctx, h, t.Login.File)
	}
	if err != nil || !s.kubelet || s.marker != done || t.State == "absent" {
		return s, err
	}
	s.answers, err = registered(ctx, h)
	return s, err
}

// registered asks the API server for the node, with the kubelet's own login.
func registered(ctx context.Context, h module.Host) (bool, error) {
	config, err := kubeapi.ReadConfig(ctx, h, kubeletConf)
	if err != nil {
		return false, err
	}
	name := config.Node()
	if name == "" {
		return false, fmt.Errorf("the client certificate of %s is not a node's", kubeletConf)
	}
	return config.HasNode(ctx, h, name)
}

// decide compares data alone.
func (t *JoinTask) decide(h module.Host, s nodeState) ([]module.Step, error) {
	text := ""
	switch {
	case s.marker == done && s.kubelet && s.answers && !s.login:
		return nil, nil
	case s.marker == done && s.kubelet && s.answers:
		return []module.Step{module.NewStep("remove the login "+t.Login.File+" that an interrupted join has left", t.Login.remove)}, nil
	case s.marker == done && s.kubelet:
		text = "reset " + h.Name() + ", which the cluster does not know any more, and join it again"
	case s.interrupted():
		text = "reset the interrupted kubeadm join on " + h.Name() + " and run it again"
	case s.made():
		return nil, foreign(h)
	default:
		text = "kubeadm join on " + h.Name()
	}
	return []module.Step{module.NewStep(text, t.do)}, nil
}

// do reads again and does what is still needed, so that it may be repeated.
func (t *JoinTask) do(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.answers {
		return err
	}
	if err := t.join(ctx, h, s); err != nil {
		return err
	}
	return t.node().finish(ctx, h, "the cluster to know "+h.Name(), func(ctx context.Context) (bool, error) {
		return registered(ctx, h)
	})
}

// join runs kubeadm, with a login that is there only as long.
func (t *JoinTask) join(ctx context.Context, h module.Host, s nodeState) (err error) {
	if t.Login != nil {
		if err := t.Login.write(ctx, h); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.Login.remove(context.WithoutCancel(ctx), h)) }()
	}
	return t.node().run(ctx, h, s, "join")
}

// OutputTypes names the values.
func (t *JoinTask) OutputTypes() map[string]cty.Type {
	return map[string]cty.Type{"node": cty.String, "kubeconfig_path": cty.String}
}

// Outputs reads the node's name from its login.
func (t *JoinTask) Outputs(ctx context.Context, h module.Host) (map[string]cty.Value, error) {
	config, err := kubeapi.ReadConfig(ctx, h, kubeletConf)
	if err != nil {
		return nil, err
	}
	return map[string]cty.Value{
		"node": cty.StringVal(config.Node()), "kubeconfig_path": cty.StringVal(kubeletConf),
	}, nil
}

var (
	_ module.Outputter = (*JoinTask)(nil)
	_ module.Validator = (*JoinTask)(nil)
)
