package kubeadm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
//   - the host has data of etcd in /var/lib/etcd, and its init is not unfinished
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
	return cmp.Or(checkPort("port", t.Port), t.node.validate())
}

func (t *InitTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent():
		return t.node.absent(h, s)
	case s.marker == done && s.admin && s.answers:
		return nil, nil
	case s.marker == done && s.admin:
		return []module.Step{module.NewWait("wait for the API server of "+h.Name(), t.do)}, nil
	case s.interrupted() && s.begun:
		return module.OneStep("go on with the interrupted kubeadm init on "+h.Name(), t.do), nil
	}
	return s.begin(h, "init", t.do)
}

func (t *InitTask) read(ctx context.Context, h module.Host) (nodeState, error) {
	s, err := readNode(ctx, h)
	s.data = s.data && len(t.Prepare) == 0 // else it replaces the data of etcd
	if err != nil || !s.admin || s.marker == "" || t.Absent() {
		return s, err
	}
	if s.marker == done {
		s.answers, err = ready(ctx, h, t.Port)
	} else {
		s.begun, err = t.begun(ctx, h, s.marker)
	}
	return s, err
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
		return ready(ctx, h, t.Port)
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
	if err := s.loss(h); err != nil {
		return err
	}
	t.node.prepare = t.Prepare
	return t.node.run(ctx, h, s, args...)
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

// kubeletConfig is the file that kubeadm writes when it starts the kubelet.
const kubeletConfig = "/var/lib/kubelet/config.yaml"

// controlPlane are the manifests of a started control plane.
var controlPlane = []string{"etcd.yaml", "kube-apiserver.yaml", "kube-controller-manager.yaml", "kube-scheduler.yaml"}

// startPhases are the phases of kubeadm init up to the one that waits for the control
// plane (https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-init/).
var startPhases = []string{"preflight", "certs", "kubeconfig", "etcd", "control-plane", "kubelet-start"}

// begun reports whether an interrupted init has started the control plane with the same
// configuration and authority, so that only the later phases remain. An init that was
// already continued once is continued again only while the API server answers: then it was
// only too slow, not broken.
func (t *InitTask) begun(ctx context.Context, h module.Host, marker string) (bool, error) {
	state, hash, _ := strings.Cut(strings.TrimSpace(marker), " ")
	if is, err := hashOf(ctx, h, t.Config); err != nil || is != hash {
		return false, err
	}
	for name, want := range t.PKI {
		if is, _, err := hostfile.Read(ctx, h, pkiDir+"/"+name); err != nil || is != want.Reveal() {
			return false, err
		}
	}
	files := []string{kubeletConfig}
	for _, name := range controlPlane {
		files = append(files, manifestsDir+"/"+name)
	}
	for _, name := range files {
		if there, err := hostfile.Exists(ctx, h, name); err != nil || !there {
			return false, err
		}
	}
	if state == resumed {
		return ready(ctx, h, t.Port)
	}
	return true, nil
}

func (n node) resume(ctx context.Context, h module.Host, args ...string) error {
	if err := n.mark(ctx, h, resumed); err != nil {
		return err
	}
	return n.call(ctx, h, args, slices.Concat(n.SkipPhases, startPhases))
}
