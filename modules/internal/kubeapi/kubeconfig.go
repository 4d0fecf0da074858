// Package kubeapi queries a Kubernetes API server through the connection of a host.
//
// It only reads; kubeadm and kubectl on the host change a cluster.
package kubeapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
)

// Config is the address of an API server and the client's identity.
type Config struct {
	Server  string          // such as "https://10.0.0.1:6443"
	CA      string          // the authority's certificate, PEM
	Name    string          // the name to verify, "" for the server's own
	Client  tls.Certificate // empty for anonymous requests
	KeyData string          // the client's key in the file's form, base64; secret
}

// kubeconfig is the part of such a file that matters here.
type kubeconfig struct {
	Clusters []struct {
		Cluster struct {
			Server string `yaml:"server"`
			CAData string `yaml:"certificate-authority-data"`
			CAFile string `yaml:"certificate-authority"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		User struct {
			CertData string `yaml:"client-certificate-data"`
			CertFile string `yaml:"client-certificate"`
			KeyData  string `yaml:"client-key-data"`
			KeyFile  string `yaml:"client-key"`
		} `yaml:"user"`
	} `yaml:"users"`
}

// ReadConfig reads a kubeconfig of the host with one cluster and one user, and
// the files it names.
func ReadConfig(ctx context.Context, h module.Host, name string) (Config, error) {
	text, there, err := hostfile.Read(ctx, h, name)
	if err != nil {
		return Config{}, err
	}
	if !there {
		return Config{}, fmt.Errorf("there is no kubeconfig %s", name)
	}
	var file kubeconfig
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return Config{}, fmt.Errorf("read kubeconfig %s: %w", name, err)
	}
	if len(file.Clusters) != 1 || len(file.Users) != 1 {
		return Config{}, fmt.Errorf("kubeconfig %s has %d clusters and %d users, expected one of each",
			name, len(file.Clusters), len(file.Users))
	}
	c, err := file.resolve(ctx, h)
	if err != nil {
		return Config{}, fmt.Errorf("read kubeconfig %s: %w", name, err)
	}
	return c, nil
}

func (k kubeconfig) resolve(ctx context.Context, h module.Host) (Config, error) {
	cluster, user := k.Clusters[0].Cluster, k.Users[0].User
	ca, err := either(ctx, h, cluster.CAData, cluster.CAFile)
	if err != nil {
		return Config{}, err
	}
	cert, err := either(ctx, h, user.CertData, user.CertFile)
	if err != nil {
		return Config{}, err
	}
	key, err := either(ctx, h, user.KeyData, user.KeyFile)
	if err != nil {
		return Config{}, err
	}
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	if err != nil {
		return Config{}, errors.New("its client certificate and key do not fit")
	}
	return Config{Server: cluster.Server, CA: ca, Client: pair, KeyData: user.KeyData}, nil
}

// either returns data that is in the file in base64, or in a separate file.
func either(ctx context.Context, h module.Host, data, name string) (string, error) {
	if data != "" {
		text, err := base64.StdEncoding.DecodeString(data)
		return string(text), err
	}
	text, there, err := hostfile.Read(ctx, h, name)
	if err == nil && !there {
		err = fmt.Errorf("there is no file %s", name)
	}
	return text, err
}

// Node returns the node that the client certificate is for, "" for
// another user, by the Kubernetes node authorizer's naming.
func (c Config) Node() string {
	if len(c.Client.Certificate) == 0 {
		return ""
	}
	cert, err := x509.ParseCertificate(c.Client.Certificate[0])
	if err != nil {
		return ""
	}
	name, is := strings.CutPrefix(cert.Subject.CommonName, "system:node:")
	if !is {
		return ""
	}
	return name
}
