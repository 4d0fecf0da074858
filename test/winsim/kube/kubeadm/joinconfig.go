package kubeadm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/containerd"
	"kinit/test/winsim/kube/kubelet"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
)

// joinConfiguration is kubeadm's JoinConfiguration of kubeadm.k8s.io/v1beta4.
type joinConfiguration struct {
	APIVersion       string            `yaml:"apiVersion"`
	Kind             string            `yaml:"kind"`
	CACertPath       string            `yaml:"caCertPath"`
	NodeRegistration nodeRegistration  `yaml:"nodeRegistration"`
	Discovery        discovery         `yaml:"discovery"`
	ControlPlane     map[string]any    `yaml:"controlPlane"`
	SkipPhases       []string          `yaml:"skipPhases"`
	Patches          map[string]string `yaml:"patches"`
	Timeouts         map[string]string `yaml:"timeouts"`
	DryRun           bool              `yaml:"dryRun"`
}

type nodeRegistration struct {
	Name                  string       `yaml:"name"`
	CRISocket             string       `yaml:"criSocket"`
	Taints                []rest.Taint `yaml:"taints"`
	KubeletExtraArgs      []arg        `yaml:"kubeletExtraArgs"`
	IgnorePreflightErrors []string     `yaml:"ignorePreflightErrors"`
	ImagePullPolicy       string       `yaml:"imagePullPolicy"`
	ImagePullSerial       *bool        `yaml:"imagePullSerial"`
}

type arg struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

type discovery struct {
	BootstrapToken    *bootstrapToken `yaml:"bootstrapToken"`
	TLSBootstrapToken string          `yaml:"tlsBootstrapToken"`
	File              map[string]any  `yaml:"file"`
}

type bootstrapToken struct {
	Token         string   `yaml:"token"`
	Endpoint      string   `yaml:"apiServerEndpoint"`
	CACertHashes  []string `yaml:"caCertHashes"`
	UnsafeSkipPin bool     `yaml:"unsafeSkipCAVerification"`
}

// kubeadmAPI is the version of kubeadm's own documents that is known here.
const kubeadmAPI = "kubeadm.k8s.io/v1beta4"

// readJoin reads a configuration file. What stands in it and is not known fails.
func readJoin(p *machine.Process, path string) (*joinConfiguration, error) {
	text, err := p.Machine.Files.ReadFile(cli.Whole(p, path))
	if err != nil {
		return nil, fmt.Errorf("unable to read config from %q: open %s: %w", path, path, err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var found *joinConfiguration
	for {
		var c joinConfiguration
		err := decoder.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.Machine.Unknown("kubeadm configuration %s: %v", path, err)
			return nil, err
		}
		if c.Kind == "JoinConfiguration" {
			found = &c
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no JoinConfiguration found in config file %q", path)
	}
	found.defaults(p)
	return found, found.validate()
}

func (c *joinConfiguration) defaults(p *machine.Process) {
	c.NodeRegistration.Name = cmp.Or(c.NodeRegistration.Name, kubelet.NodeName(p.Machine))
	c.NodeRegistration.CRISocket = cmp.Or(c.NodeRegistration.CRISocket, "npipe:////./pipe/"+containerd.Pipe)
	c.CACertPath = cmp.Or(c.CACertPath, "C:/etc/kubernetes/pki/ca.crt")
	if b := c.Discovery.BootstrapToken; b != nil && c.Discovery.TLSBootstrapToken == "" {
		c.Discovery.TLSBootstrapToken = b.Token
	}
}

// Forms of what stands in a configuration.
var (
	tokenForm = regexp.MustCompile(`^([a-z0-9]{6})\.([a-z0-9]{16})$`)
	hashForm  = regexp.MustCompile(`^(?i)sha256:[0-9a-f]{64}$`)
	nameForm  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

func (c *joinConfiguration) validate() error {
	b := c.Discovery.BootstrapToken
	switch {
	case c.APIVersion != kubeadmAPI:
		return fmt.Errorf("no kind \"JoinConfiguration\" is registered for version %q", c.APIVersion)
	case c.ControlPlane != nil:
		return errors.New("a Windows node cannot be a control plane node")
	case b == nil:
		return errors.New("discovery: Invalid value: \"\": bootstrapToken must be set; other ways of discovery are not simulated")
	case !tokenForm.MatchString(b.Token):
		return fmt.Errorf("discovery.bootstrapToken.token: Invalid value: the bootstrap token is invalid, expected the form %q", "abcdef.0123456789abcdef")
	case len(b.CACertHashes) == 0 && !b.UnsafeSkipPin:
		return errors.New("discovery.bootstrapToken.caCertHashes: Invalid value: \"\": using token-based discovery without caCertHashes can be unsafe. Set unsafeSkipCAVerification as true in your kubeadm config file or pass --discovery-token-unsafe-skip-ca-verification flag to continue")
	case !nameForm.MatchString(c.NodeRegistration.Name):
		return fmt.Errorf("nodeRegistration.name: Invalid value: %q: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character", c.NodeRegistration.Name)
	case !strings.HasPrefix(c.NodeRegistration.CRISocket, "npipe:"):
		return fmt.Errorf("nodeRegistration.criSocket: Invalid value: %q: URL scheme is not supported on Windows, expected npipe", c.NodeRegistration.CRISocket)
	}
	for _, hash := range b.CACertHashes {
		if !hashForm.MatchString(hash) {
			return fmt.Errorf("invalid discovery token CA certificate hash: unknown format %q", hash)
		}
	}
	for name, value := range c.Timeouts {
		if _, err := time.ParseDuration(value); err != nil {
			return fmt.Errorf("timeouts.%s: %w", name, err)
		}
	}
	return nil
}

// timeout is one of the timeouts or its default.
func (c *joinConfiguration) timeout(name string, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(c.Timeouts[name]); err == nil {
		return d
	}
	return otherwise
}

// registeredName is the name that the kubelet registers the node with.
func (c *joinConfiguration) registeredName() string {
	name := c.NodeRegistration.Name
	for _, a := range c.NodeRegistration.KubeletExtraArgs {
		if a.Name == "hostname-override" {
			name = a.Value
		}
	}
	return name
}
