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
	"kinit/modules/internal/pki"
)

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
// nobody else can join with it later.
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
