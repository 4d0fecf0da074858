// Package kubelet is kubelet.exe: it gets its certificate by the bootstrap token,
// registers the node and keeps its lease and its status. It runs no pods.
package kubelet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/containerd"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
)

// Ports of the kubelet.
const (
	Port       = 10250
	HealthPort = 10248 // where it says that it is well
)

// Dir is where the kubelet keeps its files. A process sees it on its own drive.
const Dir = "/var/lib/kubelet"

// NodeName is the name that a node takes of its host.
func NodeName(m *machine.Machine) string { return strings.ToLower(strings.TrimSpace(m.HostName())) }

// kubeletFlagSet are the flags of the kubelet on Windows that nodes are started with
// (cmd/kubelet/app/options). Another one may well exist: it is unknown here.
func kubeletFlagSet() cli.Set {
	return cli.Set{
		Values: []string{
			"config", "kubeconfig", "bootstrap-kubeconfig", "hostname-override", "node-ip", "cert-dir", "root-dir", "node-labels",
			"register-with-taints", "container-runtime-endpoint", "image-service-endpoint", "pod-infra-container-image", "v", "vmodule",
			"enforce-node-allocatable", "resolv-conf", "cluster-dns", "cluster-domain", "max-pods", "pod-cidr", "address", "port",
			"healthz-port", "healthz-bind-address", "node-status-update-frequency", "runtime-request-timeout", "image-pull-progress-deadline",
			"windows-priorityclass", "feature-gates", "eviction-hard", "system-reserved", "kube-reserved", "provider-id", "cloud-provider",
			"tls-cert-file", "tls-private-key-file", "volume-plugin-dir", "cgroup-driver", "log-file",
		},
		Switches: []string{
			"windows-service", "cgroups-per-qos", "enable-debugging-handlers", "fail-swap-on", "register-node", "rotate-certificates",
			"rotate-server-certificates", "logtostderr", "version", "seccomp-default", "hairpin-mode",
		},
	}
}

// kubelet is a running kubelet.
type kubelet struct {
	p      *machine.Process
	flags  cli.Flags
	config kubeletConfig
	name   string // of the node
	api    *rest.Client
	uid    string // of the node
	posted time.Time
	said   string // the conditions that were posted last
}

// kubeletConfig is what matters here of a KubeletConfiguration.
type kubeletConfig struct {
	Kind            string `yaml:"kind"`
	APIVersion      string `yaml:"apiVersion"`
	RuntimeEndpoint string `yaml:"containerRuntimeEndpoint"`
	StatusFrequency string `yaml:"nodeStatusUpdateFrequency"`
	LeaseSeconds    int    `yaml:"nodeLeaseDurationSeconds"`
	MaxPods         int    `yaml:"maxPods"`
	HealthzPort     *int   `yaml:"healthzPort"`
	OOMKill         any    `yaml:"singleProcessOOMKill"`
	Authentication  struct {
		X509 struct {
			ClientCAFile string `yaml:"clientCAFile"`
		} `yaml:"x509"`
	} `yaml:"authentication"`
}

// Program is kubelet.exe.
func Program(ctx context.Context, p *machine.Process) uint32 {
	f, err := kubeletFlagSet().Parse(p.Args)
	if err != nil {
		if strings.HasPrefix(err.Error(), "unknown flag") {
			p.Machine.Log("kubelet: %v", err)
		}
		cli.Complain(p, "E \"command failed\" err=\"failed to parse kubelet flag: %v\"", err)
		return 1
	}
	if f.On("version") {
		cli.Say(p, "Kubernetes %s", p.Version)
		return 0
	}
	k := &kubelet{p: p, flags: f}
	if err := k.run(ctx); err != nil && ctx.Err() == nil {
		p.Machine.Log("kubelet: %v", err)
		cli.Complain(p, "E \"command failed\" err=%q", err.Error())
		return 1
	}
	return 0
}

func (k *kubelet) run(ctx context.Context) error {
	if len(k.flags.Args) > 0 {
		return fmt.Errorf("unknown command %v", k.flags.Args)
	}
	if err := k.configure(); err != nil {
		return err
	}
	if k.flags.On("windows-service") {
		if k.p.Service == nil {
			return errors.New("the service process could not connect to the service controller")
		}
		k.p.Service.Running()
	}
	if err := k.login(ctx); err != nil {
		return fmt.Errorf("failed to run Kubelet: %w", err)
	}
	defer k.api.Close()
	if _, err := containerd.Connect(k.p.Machine, k.config.RuntimeEndpoint); err != nil {
		return fmt.Errorf("failed to run Kubelet: %w", err)
	}
	release, err := k.listen()
	if err != nil {
		return err
	}
	defer release()
	return k.serve(ctx)
}

// configure reads the configuration file; flags win over it.
func (k *kubelet) configure() error {
	k.config = kubeletConfig{LeaseSeconds: 40, MaxPods: 110, StatusFrequency: "10s"}
	if path := k.flags.Get("config", ""); path != "" {
		text, err := k.p.Machine.Files.ReadFile(cli.Whole(k.p, path))
		if err != nil {
			return fmt.Errorf("failed to load kubelet config file, path: %s, error: failed to load Kubelet config file %s, error failed to read kubelet config file %q, error: open %s: %w", path, path, path, path, err)
		}
		if err := yaml.Unmarshal(text, &k.config); err != nil {
			return fmt.Errorf("failed to load kubelet config file, path: %s, error: %w", path, err)
		}
		if k.config.Kind != "KubeletConfiguration" {
			return fmt.Errorf("failed to load kubelet config file, path: %s, error: no kind %q is registered", path, k.config.Kind)
		}
	}
	if k.config.OOMKill != nil {
		return errors.New("invalid configuration: singleProcessOOMKill is not supported on Windows")
	}
	k.config.RuntimeEndpoint = k.flags.Get("container-runtime-endpoint", k.config.RuntimeEndpoint)
	k.config.RuntimeEndpoint = cmp.Or(k.config.RuntimeEndpoint, "npipe:////./pipe/"+containerd.Pipe)
	// A relative or missing drive here is what breaks clients on Windows.
	if ca := k.config.Authentication.X509.ClientCAFile; ca != "" {
		if _, err := k.p.Machine.Files.Stat(cli.Whole(k.p, ca)); err != nil {
			return fmt.Errorf("unable to load client CA file %s: open %s: %w", ca, ca, err)
		}
	}
	k.name = cmp.Or(strings.ToLower(strings.TrimSpace(k.flags.Get("hostname-override", ""))), NodeName(k.p.Machine))
	return nil
}

// login gets a client: with the kubeconfig that is there, or a new one by the
// bootstrap token.
func (k *kubelet) login(ctx context.Context) error {
	path := cli.Whole(k.p, k.flags.Get("kubeconfig", ""))
	if !k.flags.Has("kubeconfig") {
		return errors.New("standalone mode is not simulated: --kubeconfig is missing")
	}
	a, err := rest.ReadKubeconfig(k.p.Machine, path)
	if err != nil && k.flags.Get("bootstrap-kubeconfig", "") != "" {
		a, err = k.bootstrap(ctx, path)
	}
	if err != nil {
		return err
	}
	k.api, err = rest.NewClient(k.p.Machine, a)
	return err
}

// listen takes the ports.
func (k *kubelet) listen() (release func(), err error) {
	port := HealthPort
	if k.config.HealthzPort != nil {
		port = *k.config.HealthzPort
	}
	freeOwn, err := k.p.Machine.Bind(machine.TCP(Port), k.p, nil)
	if err != nil {
		return nil, fmt.Errorf("listen tcp 0.0.0.0:%d: bind: %w", Port, err)
	}
	freeHealth, err := k.p.Machine.Bind(machine.TCP(port), k.p, nil)
	if err != nil {
		freeOwn()
		return nil, fmt.Errorf("listen tcp 127.0.0.1:%d: bind: %w", port, err)
	}
	return func() { freeOwn(); freeHealth() }, nil
}

// statusReport is how often the status is posted although it is the same
// (nodeStatusReportFrequency).
const statusReport = 5 * time.Minute

// lookPause is how often the kubelet looks whether its node is ready; a change is
// posted at once.
const lookPause = 200 * time.Millisecond

// serve registers the node and keeps its lease and status.
func (k *kubelet) serve(ctx context.Context) error {
	for k.register(ctx) != nil {
		if !cli.Sleep(ctx, time.Second) {
			return ctx.Err()
		}
	}
	renew := time.Duration(k.config.LeaseSeconds) * time.Second / 4
	var renewed time.Time
	for {
		if time.Since(renewed) >= renew {
			if err := k.renewLease(ctx); err == nil {
				renewed = time.Now()
			} else if ctx.Err() == nil {
				k.p.Machine.Log("kubelet: renew lease: %v", err)
			}
		}
		if err := k.postStatus(ctx); err != nil && ctx.Err() == nil {
			k.p.Machine.Log("kubelet: post status: %v", err)
			if rest.IsReason(err, "NotFound") {
				// A node that was deleted is registered again only by another start.
				k.p.Machine.Log("kubelet: the node %s is not known to the cluster", k.name)
			}
			if !cli.Sleep(ctx, time.Second) {
				return ctx.Err()
			}
		}
		if !cli.Sleep(ctx, lookPause) {
			return ctx.Err()
		}
	}
}
