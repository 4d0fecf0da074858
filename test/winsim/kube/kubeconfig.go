package kube

import (
	"encoding/base64"
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// access is how an API server is reached: what the current context of a kubeconfig
// says.
type access struct {
	server, serverName, token string
	insecure                  bool
	ca, cert, key             []byte // PEM
}

// kubeconfig is the parts of a kubeconfig that these programs read and write.
type kubeconfig struct {
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
	Cluster cluster `yaml:"cluster"`
}

type cluster struct {
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
	User auth   `yaml:"user"`
}

type auth struct {
	Token     string `yaml:"token,omitempty"`
	TokenFile string `yaml:"tokenFile,omitempty"`
	CertData  string `yaml:"client-certificate-data,omitempty"`
	KeyData   string `yaml:"client-key-data,omitempty"`
	CertFile  string `yaml:"client-certificate,omitempty"`
	KeyFile   string `yaml:"client-key,omitempty"`
}

// newKubeconfig returns a kubeconfig with one context.
func newKubeconfig(c cluster, clusterName, userName string, u auth) kubeconfig {
	k := kubeconfig{APIVersion: "v1", Kind: "Config", Current: userName + "@" + clusterName}
	context := namedContext{Name: k.Current}
	context.Context.Cluster, context.Context.User = clusterName, userName
	k.Clusters = []namedCluster{{Name: clusterName, Cluster: c}}
	k.Contexts = []namedContext{context}
	k.Users = []namedAuth{{Name: userName, User: u}}
	return k
}

// readKubeconfig reads a kubeconfig of the machine.
func readKubeconfig(m *machine.Machine, path string) (access, error) {
	text, err := m.Files.ReadFile(path)
	if err != nil {
		return access{}, err
	}
	k, err := parseKubeconfig(text)
	if err != nil {
		return access{}, fmt.Errorf("error loading config file %q: %w", path, err)
	}
	a, err := k.access(func(file string) ([]byte, error) {
		return m.Files.ReadFile(ntfs.Join(folderOf(path), file))
	})
	if err != nil {
		return access{}, fmt.Errorf("invalid configuration of %q: %w", path, err)
	}
	return a, nil
}

func parseKubeconfig(text []byte) (kubeconfig, error) {
	var k kubeconfig
	if err := yaml.Unmarshal(text, &k); err != nil {
		return k, err
	}
	if k.Kind != "Config" {
		return k, fmt.Errorf("no kind \"Config\" in it")
	}
	return k, nil
}

// access is what the current context says.
func (k kubeconfig) access(read func(file string) ([]byte, error)) (access, error) {
	for _, c := range k.Contexts {
		if c.Name != k.Current {
			continue
		}
		var a access
		found, err := a.reach(k.Clusters, c.Context.Cluster, read)
		if err != nil || !found {
			return access{}, errors.Join(err, missing(found, "cluster", c.Context.Cluster))
		}
		found, err = a.login(k.Users, c.Context.User, read)
		return a, errors.Join(err, missing(found, "user", c.Context.User))
	}
	return access{}, fmt.Errorf("context %q does not exist", k.Current)
}

func missing(found bool, what, name string) error {
	if found {
		return nil
	}
	return fmt.Errorf("%s %q does not exist", what, name)
}

func (a *access) reach(clusters []namedCluster, name string, read func(string) ([]byte, error)) (bool, error) {
	for _, c := range clusters {
		if c.Name == name {
			var err error
			a.server, a.serverName, a.insecure = c.Cluster.Server, c.Cluster.ServerName, c.Cluster.Insecure
			a.ca, err = content(c.Cluster.CAData, c.Cluster.CAFile, read)
			return true, err
		}
	}
	return false, nil
}

func (a *access) login(users []namedAuth, name string, read func(string) ([]byte, error)) (bool, error) {
	for _, u := range users {
		if u.Name != name {
			continue
		}
		token, err1 := content("", u.User.TokenFile, read)
		var err2, err3 error
		a.cert, err2 = content(u.User.CertData, u.User.CertFile, read)
		a.key, err3 = content(u.User.KeyData, u.User.KeyFile, read)
		a.token = u.User.Token
		if a.token == "" {
			a.token = string(token)
		}
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

// write writes the kubeconfig to a file of the machine.
func (k kubeconfig) write(m *machine.Machine, path string) error {
	text, err := yaml.Marshal(k)
	if err != nil {
		return err
	}
	if err := m.Files.Mkdir(folderOf(path)); err != nil {
		return err
	}
	return m.Files.WriteFile(path, text)
}
