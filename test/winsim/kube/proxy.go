package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/network"
)

// proxyFlags are kube-proxy's flags on Windows that nodes are started with.
func proxyFlags() cli.Set {
	return cli.Set{
		Values: []string{
			"config", "kubeconfig", "hostname-override", "proxy-mode", "cluster-cidr", "bind-address", "source-vip", "network-name",
			"root-hnsendpoint-name", "feature-gates", "v", "healthz-bind-address", "metrics-bind-address", "log-file",
		},
		Switches: []string{"windows-service", "enable-dsr", "forward-healthcheck-vip", "version", "logtostderr", "cleanup"},
	}
}

// proxyConfig is what matters here of a KubeProxyConfiguration.
type proxyConfig struct {
	Kind     string `yaml:"kind"`
	Mode     string `yaml:"mode"`
	Hostname string `yaml:"hostnameOverride"`
	Client   struct {
		Kubeconfig string `yaml:"kubeconfig"`
	} `yaml:"clientConnection"`
	Gates     map[string]bool `yaml:"featureGates"`
	Winkernel struct {
		NetworkName string `yaml:"networkName"`
		SourceVIP   string `yaml:"sourceVip"`
		EnableDSR   bool   `yaml:"enableDSR"`
	} `yaml:"winkernel"`
	Windows struct {
		RunAsService bool `yaml:"runAsService"`
	} `yaml:"windows"`
}

// KubeProxy is kube-proxy.exe.
func KubeProxy(ctx context.Context, p *machine.Process) uint32 {
	f, err := proxyFlags().Parse(p.Args)
	if err != nil {
		cli.Complain(p, "Error: %v", err)
		return 1
	}
	if f.On("version") {
		cli.Say(p, "Kubernetes %s", p.Version)
		return 0
	}
	if err := runProxy(ctx, p, f); err != nil && ctx.Err() == nil {
		p.Machine.Log("kube-proxy: %v", err)
		cli.Complain(p, "E server.go] \"Error running ProxyServer\" err=%q", err.Error())
		return 1
	}
	return 0
}

func runProxy(ctx context.Context, p *machine.Process, f cli.Flags) error {
	c, err := readProxyConfig(p, f)
	if err != nil {
		return err
	}
	if c.Windows.RunAsService {
		if p.Service == nil {
			return errors.New("the service process could not connect to the service controller")
		}
		p.Service.Running()
	}
	if err := c.validate(p.Version); err != nil {
		return err
	}
	a, err := rest.ReadKubeconfig(p.Machine, cli.Whole(p, c.Client.Kubeconfig))
	if err != nil {
		return err
	}
	api, err := rest.NewClient(p.Machine, a)
	if err != nil {
		return err
	}
	defer api.Close()
	if err := checkHNS(p.Machine); err != nil {
		return err
	}
	found, err := awaitNetwork(ctx, p, c.Winkernel.NetworkName)
	if err != nil {
		return err
	}
	if err := sourceVIP(p.Machine, found, c.Winkernel.SourceVIP); err != nil {
		return err
	}
	return serveProxy(ctx, p, api)
}

// readProxyConfig reads the configuration file, or the flags without one: kube-proxy
// looks at one of them only.
func readProxyConfig(p *machine.Process, f cli.Flags) (proxyConfig, error) {
	var c proxyConfig
	path := f.Get("config", "")
	if path == "" {
		c.Mode, c.Hostname = f.Get("proxy-mode", ""), f.Get("hostname-override", "")
		c.Client.Kubeconfig = f.Get("kubeconfig", "")
		c.Winkernel.NetworkName, c.Winkernel.SourceVIP = f.Get("network-name", ""), f.Get("source-vip", "")
		c.Winkernel.EnableDSR, c.Windows.RunAsService = f.On("enable-dsr"), f.On("windows-service")
		var err error
		c.Gates, err = parseGates(f.Get("feature-gates", ""))
		return c.complete(p), err
	}
	text, err := p.Machine.Files.ReadFile(cli.Whole(p, path))
	if err != nil {
		return c, fmt.Errorf("failed complete: open %s: %w", path, err)
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("failed complete: %w", err)
	}
	if c.Kind != "KubeProxyConfiguration" {
		return c, fmt.Errorf("failed complete: no kind %q is registered", c.Kind)
	}
	// The name of the host is the one thing that a flag overrides, and being a service
	// is known before the file is read.
	c.Hostname = f.Get("hostname-override", c.Hostname)
	c.Windows.RunAsService = f.On("windows-service")
	return c.complete(p), nil
}

func parseGates(text string) (map[string]bool, error) {
	gates := map[string]bool{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("missing bool value for %s", pair)
		}
		gates[name] = value == "true"
	}
	return gates, nil
}

func (c proxyConfig) complete(p *machine.Process) proxyConfig {
	c.Winkernel.NetworkName = cmp.Or(c.Winkernel.NetworkName, p.Env.Get("KUBE_NETWORK"))
	return c
}

// validate refuses what kube-proxy of a version does. The gate WinDSR is alpha and off before Kubernetes
// 1.33, beta and on in it, and locked from 1.34 on (pkg/features/kube_features.go).
func (c proxyConfig) validate(version string) error {
	if c.Mode != "" && c.Mode != "kernelspace" {
		return fmt.Errorf("KubeProxyConfiguration.ProxyMode: Invalid value: %q: must be kernelspace or blank (blank means the most-available proxy [currently 'kernelspace'])", c.Mode)
	}
	for gate, on := range c.Gates {
		switch {
		case !slices.Contains([]string{"WinDSR", "WinOverlay"}, gate):
			return fmt.Errorf("unrecognized feature gate: %s", gate)
		case gate == "WinDSR" && !on && cli.Minor(version) >= 34:
			return errors.New("cannot set feature gate WinDSR to false, feature is locked to true")
		}
	}
	gate, given := c.Gates["WinDSR"]
	if c.Winkernel.EnableDSR && !gate && (given || cli.Minor(version) < 33) {
		return errors.New("unable to create proxier: WinDSR feature gate not enabled")
	}
	if c.Winkernel.NetworkName == "" {
		return errors.New("unable to create proxier: Environment variable KUBE_NETWORK and network-flag not initialized")
	}
	return nil
}

// awaitNetwork waits for the network without end, as kube-proxy does.
func awaitNetwork(ctx context.Context, p *machine.Process, name string) (network.HNSNetwork, error) {
	said := false
	for {
		if found, ok := p.Machine.Network.Network(name); ok {
			return found, nil
		}
		if !said {
			cli.Complain(p, "E proxier.go] \"Unable to find HNS Network specified, please check network name and CNI deployment\" hnsNetworkName=%q", name)
			said = true
		}
		if !cli.Sleep(ctx, cli.Pause) {
			return network.HNSNetwork{}, ctx.Err()
		}
	}
}

// sourceVIP makes the endpoint that packets to other nodes come from. An overlay needs
// its address to be given; it must be one of the node's pods.
func sourceVIP(m *machine.Machine, n network.HNSNetwork, address string) error {
	if !strings.EqualFold(n.Type, "Overlay") {
		return nil
	}
	if address == "" {
		return errors.New("unable to create proxier: source-vip flag not set")
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return fmt.Errorf("unable to create proxier: %w", err)
	}
	if !n.Subnet.Contains(ip) {
		return fmt.Errorf("source VIP %s endpoint creation failed: the address is not in %s of network %s", address, n.Subnet, n.Name)
	}
	_, err = m.Network.AddEndpoint(n.Name, network.Endpoint{Address: ip, MAC: "0E-2A" + hexOf(ip)})
	return err
}

// hexOf is an IPv4 address as the rest of a MAC address.
func hexOf(ip netip.Addr) string {
	var b strings.Builder
	for _, octet := range ip.AsSlice() {
		fmt.Fprintf(&b, "-%02X", octet)
	}
	return b.String()
}

// Ports of kube-proxy.
const (
	proxyHealthPort  = 10256
	proxyMetricsPort = 10249
)

// serveProxy listens and reads services, until it is stopped.
func serveProxy(ctx context.Context, p *machine.Process, api *rest.Client) error {
	for _, port := range []int{proxyHealthPort, proxyMetricsPort} {
		release, err := p.Machine.Bind(machine.TCP(port), p, nil)
		if err != nil {
			return fmt.Errorf("listen tcp 0.0.0.0:%d: bind: %w", port, err)
		}
		defer release()
	}
	for {
		for _, path := range []string{"/api/v1/services?limit=500", "/apis/discovery.k8s.io/v1/endpointslices?limit=500"} {
			if err := api.Get(ctx, path, &struct{}{}); err != nil && ctx.Err() == nil {
				p.Machine.Log("kube-proxy: %v", err)
			}
		}
		if !cli.Sleep(ctx, 30*time.Second) {
			return nil
		}
	}
}
