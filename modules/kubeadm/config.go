// Package kubeadm is the modules kubeadm_config, kubeadm_init and kubeadm_join:
// the configuration file of kubeadm, the first control plane node, and further
// nodes.
package kubeadm

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// ConfigTask is a configuration file for kubeadm init or kubeadm join, with mode 0600.
//
// Its API version is kubeadm.k8s.io/v1beta4, for Kubernetes 1.31 and later.
//
// Errors:
//   - kind "join" lacks token, control_plane_endpoint or ca_cert_hash
//   - extra_args names an unknown component
//   - timeouts, token_ttl or taints have a form that kubeadm does not accept
//   - merge names a document that the kind does not have
type ConfigTask struct {
	// Path is the file on the host.
	Path string `hcl:"path" path:"absolute"`
	// Kind is what the node does: begin a cluster as its first control plane node, or join
	// it as any other.
	Kind string `hcl:"kind" enum:"init,join"`
	// NodeName is the node's name. Default: the host name.
	NodeName string `hcl:"node_name,optional"`
	// AdvertiseAddress is the address of the node's API server. Default: that of the default route.
	AdvertiseAddress string `hcl:"advertise_address,optional"`
	// BindPort is the port of the node's API server.
	BindPort int `hcl:"bind_port,optional" default:"6443"`
	// ControlPlaneEndpoint is the address and port that lead to all API servers, such as "api.k8s.kinit.local:6443".
	ControlPlaneEndpoint string `hcl:"control_plane_endpoint,optional"`
	// KubernetesVersion is the version, such as "v1.34.4". Default: kubeadm's.
	KubernetesVersion string `hcl:"kubernetes_version,optional"`
	// ClusterName is the cluster's name in kubeconfigs. Default "kubernetes".
	ClusterName string `hcl:"cluster_name,optional"`
	// Token is the bootstrap token for joining nodes. Default, for init: a random one that is not shown.
	Token secret.Value `hcl:"token,optional"`
	// DiscoveryFile is the path of a kubeconfig to join with, as kubeadm_join writes it, instead of token and ca_cert_hash. Default none.
	DiscoveryFile string `hcl:"discovery_file,optional"`
	// TokenTTL is the token's lifetime, such as "24h"; "0s" is for ever.
	TokenTTL string `hcl:"token_ttl,optional" default:"24h"`
	// CertificateKey is the key that encrypts uploaded certificates, 64 hexadecimal digits. Default none.
	CertificateKey secret.Value `hcl:"certificate_key,optional"`
	// CACertHash is the hash of the cluster's CA, "sha256:…", as x509_ca returns it; for join.
	CACertHash string `hcl:"ca_cert_hash,optional"`
	// ControlPlane makes a joining node a control plane node.
	ControlPlane bool `hcl:"control_plane,optional"`
	// ImageRepository is the registry of the control plane's images. Default: Kubernetes' own.
	ImageRepository string `hcl:"image_repository,optional"`
	// PodSubnet is the prefix of the pods' addresses. Default none.
	PodSubnet string `hcl:"pod_subnet,optional"`
	// ServiceSubnet is the prefix of the services' addresses. Default: kubeadm's, 10.96.0.0/12.
	ServiceSubnet string `hcl:"service_subnet,optional"`
	// DNSDomain is the cluster's DNS domain. Default: kubeadm's, cluster.local.
	DNSDomain string `hcl:"dns_domain,optional"`
	// CertSANs are further names and addresses of the API server's certificate. Default none.
	CertSANs []string `hcl:"cert_sans,optional"`
	// CRISocket is the container runtime's socket, such as "unix:///run/containerd/containerd.sock". Default: found by kubeadm.
	CRISocket string `hcl:"cri_socket,optional"`
	// Taints are the node's taints, such as "node-role.kubernetes.io/control-plane:NoSchedule"; an empty list means none. Default: kubeadm's.
	Taints []string `hcl:"taints,optional"`
	// Timeouts are kubeadm's own timeouts by their names, such as { controlPlaneComponentHealthCheck = "10m" }, on a host of ordinary speed: kubeadm_init and kubeadm_join extend them on a slower one. Default: kubeadm's.
	Timeouts map[string]string `hcl:"timeouts,optional"`
	// ExtraArgs are further arguments by component: apiserver, controller_manager, scheduler, etcd, kubelet. Default none.
	ExtraArgs map[string]map[string]string `hcl:"extra_args,optional"`
	// Kubelet are fields of the KubeletConfiguration, for init. Default none.
	Kubelet cty.Value `hcl:"kubelet,optional"`
	// KubeProxy are fields of the KubeProxyConfiguration, for init. Default none.
	KubeProxy cty.Value `hcl:"kube_proxy,optional"`
	// Patches is a folder with patches of the static pods. Default none.
	Patches string `hcl:"patches,optional"`
	// SkipPhases are phases that kubeadm leaves out, such as "addon/kube-proxy". Default none.
	SkipPhases []string `hcl:"skip_phases,optional"`
	// IgnorePreflight are checks whose failure is only a warning, such as "NumCPU". Default none.
	IgnorePreflight []string `hcl:"ignore_preflight,optional"`
	// Merge are further fields by the kind of the document, such as { ClusterConfiguration = { featureGates = {…} } }. Default none.
	Merge cty.Value `hcl:"merge,optional"`
	module.Presence
}

func ConfigKind() module.Kind {
	return module.With[ConfigTask, ConfigOutputs](module.Kind{Name: "kubeadm_config"})
}

// components are the keys of extra_args.
var components = []string{"apiserver", "controller_manager", "scheduler", "etcd", "kubelet"}

func (t *ConfigTask) Validate() error {
	if err := checkPort("bind_port", t.BindPort); err != nil {
		return err
	}
	if t.Kind == "join" {
		if err := t.validateJoin(); err != nil {
			return err
		}
	}
	for component := range t.ExtraArgs {
		if !slices.Contains(components, component) {
			return fmt.Errorf("extra_args has %q, expected one of %s", component, strings.Join(components, ", "))
		}
	}
	if err := checkTimeouts(t.Timeouts); err != nil {
		return err
	}
	if _, err := time.ParseDuration(t.TokenTTL); err != nil {
		return fmt.Errorf("token_ttl is %q, expected a duration such as \"24h\"", t.TokenTTL)
	}
	for _, taint := range t.Taints {
		if _, err := parseTaint(taint); err != nil {
			return err
		}
	}
	return nil
}

// checkTimeouts returns the mistake in timeouts of kubeadm.
func checkTimeouts(timeouts map[string]string) error {
	for name, value := range timeouts {
		if _, err := time.ParseDuration(value); err != nil {
			return fmt.Errorf("timeouts has %s = %q, expected a duration such as \"10m\"", name, value)
		}
	}
	return nil
}

func (t *ConfigTask) validateJoin() error {
	switch {
	case t.DiscoveryFile != "" && !path.IsAbs(t.DiscoveryFile):
		return fmt.Errorf("discovery_file is %q, expected an absolute path", t.DiscoveryFile)
	case t.DiscoveryFile != "" && (t.Token != "" || t.CACertHash != ""):
		return errors.New("expected discovery_file, or else token and ca_cert_hash, and not both")
	case t.DiscoveryFile != "":
		return nil
	case t.Token == "":
		return errors.New("token and discovery_file are empty, expected what to join with")
	case t.ControlPlaneEndpoint == "":
		return errors.New("control_plane_endpoint is empty, expected the API server to join at")
	case !strings.HasPrefix(t.CACertHash, "sha256:"):
		return fmt.Errorf("ca_cert_hash is %q, expected \"sha256:\" and a hash, as x509_ca gives it", t.CACertHash)
	}
	return nil
}

func (t *ConfigTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return hostfile.PlanDrop(ctx, h, "remove it by hand if it is not needed", t.Path)
	}
	text, there, err := hostfile.Read(ctx, h, t.Path)
	if err != nil {
		return nil, err
	}
	want, err := t.render()
	if err != nil || there && text == want {
		return nil, err
	}
	// The file has secrets; those of the old one can differ.
	h.AddSecret(t.Token, t.CertificateKey)
	step := "write " + t.Path
	if there {
		if err := ownership.Free(ctx, h, t.Path, "move it away, or use another path"); err != nil {
			return nil, err
		}
		step += "\n" + h.Redact(content.Diff(t.Path, []byte(mask(text)), []byte(mask(want))))
	}
	return module.OneStep(step, func(ctx context.Context, h module.Host) error {
		return hostfile.Put(ctx, h, t.Path, want, module.Attr{Mode: 0o600})
	}), nil
}

// mask hides the secret fields of a configuration by their names.
func mask(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		name, _, found := strings.Cut(line, ": ")
		switch strings.TrimLeft(name, " -") {
		case "token", "certificateKey":
			if found {
				line = name + ": ***\n"
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

type ConfigOutputs struct {
	Path   string `cty:"path"`   // the file
	SHA256 string `cty:"sha256"` // checksum of its content in hex
}

func (t *ConfigTask) Outputs(ctx context.Context, h module.Host) (ConfigOutputs, error) {
	hash, err := hashOf(ctx, h, t.Path)
	return ConfigOutputs{Path: t.Path, SHA256: hash}, err
}
