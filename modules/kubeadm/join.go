package kubeadm

import (
	"context"
	"errors"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
)

// JoinTask is a further node of a cluster: a worker or a control plane node, by its
// configuration. A join that was interrupted, or whose node is no longer registered in the
// cluster, is reset and run again.
//
// Errors:
//   - the host is already a Kubernetes node that kinit did not make
//   - kubeadm fails; the error has its last lines
//   - the node does not answer within wait
type JoinTask struct {
	node
	// Login is the certificate to join with, for a configuration with a discovery_file. Default none: the configuration has a token.
	Login *Login `hcl:"login,block"`
}

func JoinKind() module.Kind {
	return module.With[JoinTask, JoinOutputs](module.Kind{Name: "kubeadm_join"})
}

func (t *JoinTask) Validate() error {
	if t.Login != nil {
		if err := t.Login.validate(); err != nil {
			return err
		}
	}
	return t.node.validate()
}

func (t *JoinTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.node.plan(ctx, h, t.read, t.decide)
}

func (t *JoinTask) read(ctx context.Context, h module.Host) (nodeState, error) {
	s, err := readNode(ctx, h)
	if err == nil && t.Login != nil {
		s.login, err = hostfile.Exists(ctx, h, t.Login.File)
	}
	if err != nil || !s.kubelet || s.marker != done || t.Absent() {
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

func (t *JoinTask) decide(h module.Host, s nodeState) ([]module.Step, error) {
	text := ""
	switch {
	case s.marker == done && s.kubelet && s.answers && !s.login:
		return nil, nil
	case s.marker == done && s.kubelet && s.answers:
		return module.OneStep("remove the login "+t.Login.File+" that an interrupted join has left", t.Login.remove), nil
	case s.marker == done && s.kubelet:
		text = "reset " + h.Name() + ", which the cluster does not know any more, and join it again"
	case s.interrupted():
		text = "reset the interrupted kubeadm join on " + h.Name() + " and run it again"
	case s.made():
		return nil, foreign(h)
	default:
		text = "kubeadm join on " + h.Name()
	}
	return module.OneStep(text, t.do), nil
}

// do reads again and does what is still needed, so that it can be repeated.
func (t *JoinTask) do(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.answers {
		return err
	}
	if err := t.join(ctx, h, s); err != nil {
		return err
	}
	return t.node.finish(ctx, h, "the cluster to know "+h.Name(), func(ctx context.Context) (bool, error) {
		return registered(ctx, h)
	})
}

// join runs kubeadm, with a login that exists only for that time.
func (t *JoinTask) join(ctx context.Context, h module.Host, s nodeState) (err error) {
	if t.Login != nil {
		if err := t.Login.write(ctx, h); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.Login.remove(context.WithoutCancel(ctx), h)) }()
	}
	return t.node.run(ctx, h, s, "join")
}

type JoinOutputs struct {
	Node           string `cty:"node"`            // the node's name
	KubeconfigPath string `cty:"kubeconfig_path"` // kubelet.conf on the host
}

// Outputs reads the node's name from its login.
func (t *JoinTask) Outputs(ctx context.Context, h module.Host) (JoinOutputs, error) {
	config, err := kubeapi.ReadConfig(ctx, h, kubeletConf)
	if err != nil {
		return JoinOutputs{}, err
	}
	return JoinOutputs{
		Node: config.Node(), KubeconfigPath: kubeletConf,
	}, nil
}
