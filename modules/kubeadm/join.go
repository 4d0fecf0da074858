package kubeadm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/kubeapi"
	"kinit/modules/internal/pki"
)

// JoinTask is a further node of a cluster: a worker or a control plane node, by its
// configuration. A join that was interrupted is
// reset and run again. A worker that is no longer registered in the cluster keeps what it has: its kubelet
// is restarted, which registers it again. A control plane node that is no longer registered, and whose etcd does not run,
// is reset and joined again.
//
// Errors:
//   - the host is already a Kubernetes node that kinit did not make
//   - the host has data of etcd in /var/lib/etcd, and its join is not unfinished
//   - the node is no longer registered, and its etcd runs, or its kubelet does not register it within wait
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
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Absent():
		return t.node.absent(h, s)
	case s.marker == done && s.kubelet && s.answers && !s.login:
		return nil, nil
	case s.marker == done && s.kubelet && s.answers:
		return module.OneStep("remove the login "+t.Login.File+" that an interrupted join has left", t.Login.remove), nil
	case s.forgotten() && !s.data:
		return module.OneStep("restart the kubelet of "+h.Name()+", which the cluster does not know any more, so that it registers again", t.do), nil
	case s.forgotten():
		if err := member(ctx, h); err != nil {
			return nil, err
		}
		return module.OneStep("reset "+h.Name()+", which the cluster does not know any more, and join it again", t.do), nil
	}
	return s.begin(h, "join", t.do)
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

// member returns the error of a finished node that the cluster does not know, but whose etcd runs: a reset would delete the data
// of a member. Where etcd does not run, the API server that answers has its data from other members.
func member(ctx context.Context, h module.Host) error {
	ask, cancel := context.WithTimeout(ctx, memberTime)
	defer cancel()
	conn, err := h.Dial(ask, "tcp", etcdAddress)
	switch {
	case err == nil:
		_ = conn.Close()
	case ctx.Err() != nil:
		return ctx.Err()
	case ask.Err() == nil:
		return nil // refused: the API server was asked in the same way just before
	}
	return fmt.Errorf("the cluster does not know %s any more, but etcd runs there, and a reset would delete its data in %s: "+
		"to register the node again, run \"systemctl restart kubelet\" on it; to recreate it, use kinit replace", h.Name(), path.Dir(etcdData))
}

const (
	etcdAddress = "127.0.0.1:2379"
	// memberTime limits the question whether etcd runs.
	memberTime = 5 * time.Second
)

// kubeletLogin returns the kubelet's own login, and the name of its node.
func kubeletLogin(ctx context.Context, h module.Host) (kubeapi.Config, string, error) {
	config, err := kubeapi.ReadConfig(ctx, h, kubeletConf)
	if err == nil && config.Node() == "" {
		err = fmt.Errorf("the client certificate of %s is not a node's", kubeletConf)
	}
	return config, config.Node(), err
}

// registered asks the API server for the node, with the kubelet's own login.
func registered(ctx context.Context, h module.Host) (bool, error) {
	config, name, err := kubeletLogin(ctx, h)
	if err != nil {
		return false, err
	}
	return config.HasNode(ctx, h, name)
}

// do reads again and does what is still needed, so that it can be repeated.
func (t *JoinTask) do(ctx context.Context, h module.Host) error {
	s, err := t.read(ctx, h)
	if err != nil || s.answers {
		return err
	}
	switch {
	case s.forgotten() && !s.data:
		return t.register(ctx, h)
	case s.forgotten():
		err = member(ctx, h)
	default:
		err = s.loss(h)
	}
	if err != nil {
		return err
	}
	if err := t.join(ctx, h, s); err != nil {
		return err
	}
	return t.finish(ctx, h)
}

// register restarts the kubelet, which registers its node when it starts. A reset would delete the node's containers and their
// local data, although the cluster still accepts its login.
func (t *JoinTask) register(ctx context.Context, h module.Host) error {
	if _, err := h.Run(ctx, module.Command{Argv: []string{"systemctl", "restart", "kubelet.service"}}); err != nil {
		return fmt.Errorf("restart the kubelet: %w", err)
	}
	if err := t.finish(ctx, h); err != nil {
		return fmt.Errorf("%w: look at \"journalctl --unit kubelet\" on %s, or recreate the node with kinit replace", err, h.Name())
	}
	return nil
}

func (t *JoinTask) finish(ctx context.Context, h module.Host) error {
	return t.node.finish(ctx, h, "the cluster to know "+h.Name(), func(ctx context.Context) (bool, error) {
		return registered(ctx, h)
	})
}

// forgotten reports whether a finished node is not registered in the cluster.
func (s nodeState) forgotten() bool { return s.marker == done && s.kubelet && !s.answers }

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
	return JoinOutputs{Node: config.Node(), KubeconfigPath: kubeletConf}, nil
}

// bootstrappers is the group that can request a node's certificate and read the data for a
// join: kubeadm init grants it these rights
// (https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/).
const bootstrappers = "system:bootstrappers:kubeadm:default-node-token"

const (
	// loginTime is the lifetime of a login: longer than any join takes.
	loginTime = 2 * time.Hour
	// removeTime limits the removal of a login after an interrupt.
	removeTime = 10 * time.Second
)

// Login is a client certificate for one join: a kubeconfig on the host that is removed when
// kubeadm ends. The cluster stores nothing of it, so a cluster can grow at any time, and
// it cannot be used to join later.
type Login struct {
	// File is the path of the kubeconfig on the host, as discovery_file of kubeadm_config has it.
	File string `hcl:"file"`
	// Server is the URL of the API server, such as "https://api.k8s.kinit.local:6443".
	Server string `hcl:"server"`
	// CACert is the certificate of the cluster's authority, in PEM.
	CACert string `hcl:"ca_cert"`
	// CAKey is the key of the cluster's authority, in PEM.
	CAKey secret.Value `hcl:"ca_key"`
}

func (l *Login) validate() error {
	switch {
	case !path.IsAbs(l.File):
		return fmt.Errorf("file of login is %q, expected an absolute path", l.File)
	case l.Server == "":
		return errors.New("server of login is empty, expected the URL of the API server")
	case l.CACert == "" || l.CAKey == "":
		return errors.New("ca_cert or ca_key of login is empty, expected both")
	}
	return nil
}

// write issues the certificate and writes the kubeconfig.
func (l *Login) write(ctx context.Context, h module.Host) error {
	cert, key, err := l.issue(h.Name())
	if err != nil {
		return fmt.Errorf("make the login of %s: %w", h.Name(), err)
	}
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	h.AddSecret(secret.Value(key), secret.Value(encode(key)))
	text, err := yaml.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": "join",
		"clusters": []object{{"name": "join", "cluster": object{"server": l.Server, "certificate-authority-data": encode(l.CACert)}}},
		"users":    []object{{"name": "join", "user": object{"client-certificate-data": encode(cert), "client-key-data": encode(key)}}},
		"contexts": []object{{"name": "join", "context": object{"cluster": "join", "user": "join"}}},
	})
	if err != nil {
		return err
	}
	if err := hostfile.Parents(ctx, h, l.File); err != nil {
		return err
	}
	return hostfile.Write(ctx, h, l.File, string(text), module.Attr{Mode: 0o600})
}

func (l *Login) issue(node string) (cert, key string, err error) {
	ca, err := pki.ParseCert(l.CACert)
	if err != nil {
		return "", "", err
	}
	caKey, err := pki.ParseKey(l.CAKey.Reveal())
	if err != nil {
		return "", "", err
	}
	signer, err := pki.NewKey(pki.ECDSA)
	if err != nil {
		return "", "", err
	}
	if key, err = pki.EncodeKey(signer); err != nil {
		return "", "", err
	}
	cert, err = pki.Issue(pki.Request{
		CommonName: "system:bootstrap:" + node, Organizations: []string{bootstrappers},
		Client: true, Validity: loginTime, Now: time.Now(),
	}, signer.Public(), ca, caKey)
	return cert, key, err
}

func (l *Login) remove(ctx context.Context, h module.Host) error {
	last, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	if err := h.Files().Remove(last, l.File); err != nil {
		return fmt.Errorf("remove %s: %w", l.File, err)
	}
	return nil
}
