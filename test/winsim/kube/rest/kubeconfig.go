package rest

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// Access is how an API server is reached: what the current context of a kubeconfig
// says.
type Access struct {
	Server, ServerName, Token string
	Insecure                  bool
	CA, Cert, Key             []byte // PEM
}

// Kubeconfig is the parts of a kubeconfig that these programs read and write.
type Kubeconfig struct {
	APIVersion string          `yaml:"apiVersion"`
	Kind       string          `yaml:"kind"`
	Current    string          `yaml:"current-context"`
	Clusters   []namedCluster  `yaml:"clusters"`
	Contexts   []namedContext  `yaml:"contexts"`
	Users      []namedAuth     `yaml:"users"`
	Preference *map[string]any `yaml:"preferences,omitempty"`
}

type namedCluster struct {
	Name    string  `yaml:"name"`
	Cluster Cluster `yaml:"cluster"`
}

// Cluster is where an API server is, and whom it is vouched for by.
type Cluster struct {
	Server     string `yaml:"server"`
	CAData     string `yaml:"certificate-authority-data,omitempty"`
	CAFile     string `yaml:"certificate-authority,omitempty"`
	ServerName string `yaml:"tls-server-name,omitempty"`
	Insecure   bool   `yaml:"insecure-skip-tls-verify,omitempty"`
}

type namedContext struct {
	Name    string `yaml:"name"`
	Context struct {
		Cluster   string `yaml:"cluster"`
		User      string `yaml:"user"`
		Namespace string `yaml:"namespace,omitempty"`
	} `yaml:"context"`
}

type namedAuth struct {
	Name string `yaml:"name"`
	User Auth   `yaml:"user"`
}

// Auth is what a user proves himself with.
type Auth struct {
	Token     string `yaml:"token,omitempty"`
	TokenFile string `yaml:"tokenFile,omitempty"`
	CertData  string `yaml:"client-certificate-data,omitempty"`
	KeyData   string `yaml:"client-key-data,omitempty"`
	CertFile  string `yaml:"client-certificate,omitempty"`
	KeyFile   string `yaml:"client-key,omitempty"`
}

// NewKubeconfig returns a kubeconfig with one context.
func NewKubeconfig(c Cluster, clusterName, userName string, u Auth) Kubeconfig {
	k := Kubeconfig{APIVersion: "v1", Kind: "Config", Current: userName + "@" + clusterName}
	context := namedContext{Name: k.Current}
	context.Context.Cluster, context.Context.User = clusterName, userName
	k.Clusters = []namedCluster{{Name: clusterName, Cluster: c}}
	k.Contexts = []namedContext{context}
	k.Users = []namedAuth{{Name: userName, User: u}}
	return k
}

// ReadKubeconfig reads a kubeconfig of the machine.
func ReadKubeconfig(m *machine.Machine, path string) (Access, error) {
	text, err := m.Files.ReadFile(path)
	if err != nil {
		return Access{}, err
	}
	k, err := ParseKubeconfig(text)
	if err != nil {
		return Access{}, fmt.Errorf("error loading config file %q: %w", path, err)
	}
	a, err := k.Access(func(file string) ([]byte, error) {
		return m.Files.ReadFile(ntfs.Join(cli.FolderOf(path), file))
	})
	if err != nil {
		return Access{}, fmt.Errorf("invalid configuration of %q: %w", path, err)
	}
	return a, nil
}

// ParseKubeconfig reads the text of a kubeconfig.
func ParseKubeconfig(text []byte) (Kubeconfig, error) {
	var k Kubeconfig
	if err := yaml.Unmarshal(text, &k); err != nil {
		return k, err
	}
	if k.Kind != "Config" {
		return k, fmt.Errorf("no kind \"Config\" in it")
	}
	return k, nil
}

// Access is what the current context says.
func (k Kubeconfig) Access(read func(file string) ([]byte, error)) (Access, error) {
	for _, c := range k.Contexts {
		if c.Name != k.Current {
			continue
		}
		var a Access
		found, err := a.reach(k.Clusters, c.Context.Cluster, read)
		if err != nil || !found {
			return Access{}, errors.Join(err, missing(found, "cluster", c.Context.Cluster))
		}
		found, err = a.login(k.Users, c.Context.User, read)
		return a, errors.Join(err, missing(found, "user", c.Context.User))
	}
	return Access{}, fmt.Errorf("context %q does not exist", k.Current)
}

func missing(found bool, what, name string) error {
	if found {
		return nil
	}
	return fmt.Errorf("%s %q does not exist", what, name)
}

func (a *Access) reach(clusters []namedCluster, name string, read func(string) ([]byte, error)) (bool, error) {
	for _, c := range clusters {
		if c.Name == name {
			var err error
			a.Server, a.ServerName, a.Insecure = c.Cluster.Server, c.Cluster.ServerName, c.Cluster.Insecure
			a.CA, err = content(c.Cluster.CAData, c.Cluster.CAFile, read)
			return true, err
		}
	}
	return false, nil
}

func (a *Access) login(users []namedAuth, name string, read func(string) ([]byte, error)) (bool, error) {
	for _, u := range users {
		if u.Name != name {
			continue
		}
		token, err1 := content("", u.User.TokenFile, read)
		var err2, err3 error
		a.Cert, err2 = content(u.User.CertData, u.User.CertFile, read)
		a.Key, err3 = content(u.User.KeyData, u.User.KeyFile, read)
		a.Token = cmp.Or(u.User.Token, string(token))
		return true, errors.Join(err1, err2, err3)
	}
	return false, nil
}

// content is data that stands in the kubeconfig, or that of a file.
func content(data, file string, read func(string) ([]byte, error)) ([]byte, error) {
	switch {
	case data != "":
		return base64.StdEncoding.DecodeString(data)
	case file != "":
		return read(file)
	default:
		return nil, nil
	}
}

// Write writes the kubeconfig to a file of the machine.
func (k Kubeconfig) Write(m *machine.Machine, path string) error {
	text, err := yaml.Marshal(k)
	if err != nil {
		return err
	}
	if err := m.Files.Mkdir(cli.FolderOf(path)); err != nil {
		return err
	}
	return m.Files.WriteFile(path, text)
}
