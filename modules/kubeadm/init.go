package kubeadm

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
	"kinit/modules/internal/pki"
)

// InitTask is the first control plane node of a cluster. If an init failed or was
// interrupted after it started the control plane, it continues from there; otherwise it is
// reset and run again. A finished cluster is never reset: if its API server does not answer,
// the task waits for it.
//
// Errors:
//   - the host is already a Kubernetes node that kinit did not make
//   - prepare or kubeadm fails; the error has its last lines
//   - the node does not answer within wait
type InitTask struct {
	node
	// UploadCerts uploads the certificates for further control plane nodes, with the configuration's certificate key.
	UploadCerts bool `hcl:"upload_certs,optional"`
	// Prepare is a command that runs before kubeadm, and again after each reset, such as one that restores the data of etcd, which a reset removes. Default none.
	Prepare []string `hcl:"prepare,optional"`
	// Port is the port of the node's API server.
	Port int `hcl:"port,optional" default:"6443"`
}

func InitKind() module.Kind {
	return module.With[InitTask, InitOutputs](module.Kind{Name: "kubeadm_init"})
}

func (t *InitTask) Validate() error {
	if t.Port < 1 || t.Port > 65535 {
		return fmt.Errorf("port is %d, expected a port", t.Port)
	}
	return t.node.validate()
}

func (t *InitTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return t.node.plan(ctx, h, t.read, t.decide)
}

func (t *InitTask) read(ctx context.Context, h module.Host) (nodeState, error) {
	s, err := readNode(ctx, h)
	if err != nil || !s.admin || s.marker == "" || t.Absent() {
		return s, err
	}
	if s.marker == done {
		s.answers, err = t.ready(ctx, h)
	} else {
		s.begun, err = t.begun(ctx, h, s.marker)
	}
	return s, err
}

func (t *InitTask) decide(h module.Host, s nodeState) ([]module.Step, error) {
	text := ""
	switch {
	case s.marker == done && s.admin && s.answers:
		return nil, nil
	case s.marker == done && s.admin:
		return []module.Step{module.NewWait("wait for the API server of "+h.Name(), t.do)}, nil
	case s.interrupted() && s.begun:
		text = "go on with the interrupted kubeadm init on " + h.Name()
	case s.interrupted():
		text = "reset the interrupted kubeadm init on " + h.Name() + " and run it again"
	case s.made():
		return nil, foreign(h)
	default:
		text = "kubeadm init on " + h.Name()
	}
	return module.OneStep(text, t.do), nil
}

// do reads again and does what is still needed, so that it can be repeated.
func (t *InitTask) do(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.answers {
		return err
	}
	if s.marker != done || !s.admin {
		if err := t.init(ctx, h, s); err != nil {
			return err
		}
	}
	return t.node.finish(ctx, h, "the API server of "+h.Name(), func(ctx context.Context) (bool, error) {
		return t.ready(ctx, h)
	})
}

func (t *InitTask) init(ctx context.Context, h module.Host, s nodeState) error {
	// kubeadm's last lines contain secrets.
	args := []string{"init", "--skip-token-print", "--skip-certificate-key-print"}
	if t.UploadCerts {
		args = append(args, "--upload-certs")
	}
	if s.begun {
		return t.node.resume(ctx, h, args...)
	}
	t.node.prepare = t.Prepare
	return t.node.run(ctx, h, s, args...)
}

// ready queries the node's own API server.
func (t *InitTask) ready(ctx context.Context, h module.Host) (bool, error) {
	return ready(ctx, h, t.Port)
}

type InitOutputs struct {
	KubeconfigPath string       `cty:"kubeconfig_path"` // admin.conf on the host
	Kubeconfig     secret.Value `cty:"kubeconfig"`      // its content; secret
	CACert         string       `cty:"ca_cert"`         // the cluster's CA in PEM
	CACertHash     string       `cty:"ca_cert_hash"`    // its hash for joining nodes, "sha256:…"
}

// Outputs reads admin.conf and registers its key as a secret.
func (t *InitTask) Outputs(ctx context.Context, h module.Host) (InitOutputs, error) {
	text, there, err := hostfile.Read(ctx, h, adminConf)
	if err != nil {
		return InitOutputs{}, err
	}
	values := InitOutputs{
		KubeconfigPath: adminConf, Kubeconfig: secret.Value(text),
	}
	if !there {
		return values, nil
	}
	config, err := kubeapi.ReadConfig(ctx, h, adminConf)
	if err != nil {
		return InitOutputs{}, err
	}
	h.AddSecret(secret.Value(config.KeyData))
	ca, err := pki.ParseCert(config.CA)
	if err != nil {
		return InitOutputs{}, fmt.Errorf("read the CA of %s: %w", adminConf, err)
	}
	values.CACert, values.CACertHash = config.CA, pki.SPKIHash(ca)
	return values, nil
}
