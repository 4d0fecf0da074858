package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/kube/rest"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/scm"
)

// What flannel takes on Windows and nothing else (pkg/backend/vxlan/vxlan_windows.go).
const (
	leastVNI  = 4096
	vxlanPort = 4789
	// overhead is what VXLAN adds to a packet.
	overhead = 50
)

// flanneldFlags are flanneld's flags; one dash is as good as two.
func flanneldFlags() cli.Set {
	return cli.Set{
		Values: []string{
			"iface", "iface-regex", "iface-can-reach", "subnet-file", "public-ip", "kube-api-url", "kube-annotation-prefix",
			"kubeconfig-file", "healthz-ip", "healthz-port", "net-config-path", "v", "iptables-resync", "subnet-lease-renew-margin",
		},
		Switches: []string{"ip-masq", "kube-subnet-mgr", "version", "iptables-forward-rules", "set-node-network-unavailable"},
	}
}

// netConf is flannel's network configuration.
type netConf struct {
	Network netip.Prefix `json:"Network"`
	Backend struct {
		Type          string `json:"Type"`
		Name          string `json:"Name"`
		MacPrefix     string `json:"MacPrefix"`
		VNI           int    `json:"VNI"`
		Port          int    `json:"Port"`
		GBP           bool   `json:"GBP"`
		DirectRouting bool   `json:"DirectRouting"`
	} `json:"Backend"`
}

// flanneld is a running flanneld.
type flanneld struct {
	p     *machine.Process
	flags cli.Flags
	conf  netConf
	api   *rest.Client
	node  string
}

// Flanneld is flanneld.exe. It is no service program: a service of it does not start.
func Flanneld(ctx context.Context, p *machine.Process) uint32 {
	f, err := flanneldFlags().Parse(p.Args)
	if err != nil {
		cli.Complain(p, "%v", err)
		return 2
	}
	if f.On("version") {
		cli.Complain(p, "%s", p.Version)
		return 0
	}
	d := &flanneld{p: p, flags: f}
	if err := d.run(ctx); err != nil && ctx.Err() == nil {
		p.Machine.Log("flanneld: %v", err)
		cli.Complain(p, "E main.go] %v", err)
		return 1
	}
	return 0
}

func (d *flanneld) run(ctx context.Context) error {
	if !d.flags.On("kube-subnet-mgr") {
		d.p.Machine.Unknown("flanneld without --kube-subnet-mgr")
		return errors.New("flanneld with etcd is not simulated")
	}
	a, err := rest.ReadKubeconfig(d.p.Machine, cli.Whole(d.p, d.flags.Get("kubeconfig-file", "")))
	if err != nil {
		return fmt.Errorf("failed to create SubnetManager: fail to create kubernetes config: %w", err)
	}
	if d.api, err = rest.NewClient(d.p.Machine, a); err != nil {
		return err
	}
	defer d.api.Close()
	if d.node = d.p.Env.Get("NODE_NAME"); d.node == "" {
		return errors.New("failed to create SubnetManager: env variables POD_NAME and POD_NAMESPACE must be set")
	}
	if err := d.configure(); err != nil {
		return err
	}
	if err := d.register(ctx); err != nil {
		return fmt.Errorf("error registering network: %w", err)
	}
	<-ctx.Done()
	return nil
}

// configure reads the network's configuration and refuses what Windows cannot do.
func (d *flanneld) configure() error {
	path := d.flags.Get("net-config-path", "/etc/kube-flannel/net-conf.json")
	text, err := d.p.Machine.Files.ReadFile(cli.Whole(d.p, path))
	if err != nil {
		return fmt.Errorf("failed to create SubnetManager: failed to read net conf: open %s: %w", path, err)
	}
	d.conf.Backend.VNI, d.conf.Backend.Port, d.conf.Backend.MacPrefix = leastVNI, vxlanPort, "0E-2A"
	if err := json.Unmarshal(text, &d.conf); err != nil {
		return fmt.Errorf("failed to create SubnetManager: error parsing subnet config: %w", err)
	}
	b := d.conf.Backend
	switch {
	case b.Type == "host-gw":
		return nil
	case b.Type != "vxlan":
		return fmt.Errorf("unknown backend type: %s", b.Type)
	case b.VNI < leastVNI:
		return fmt.Errorf("invalid VXLAN backend config. VNI [%d] must be greater than or equal to %d on Windows", b.VNI, leastVNI)
	case b.Port != vxlanPort:
		return fmt.Errorf("invalid VXLAN backend config. Port [%d] is not supported on Windows. Omit the setting to default to port %d", b.Port, vxlanPort)
	case b.DirectRouting:
		return errors.New("invalid VXLAN backend config. DirectRouting is not supported on Windows")
	case b.GBP:
		return errors.New("invalid VXLAN backend config. GBP is not supported on Windows")
	case len(b.MacPrefix) != 5 || b.MacPrefix[2] != '-':
		return fmt.Errorf("invalid VXLAN backend config.MacPrefix [%s] is invalid, prefix must be of the format xx-xx e.g. 0E-2A", b.MacPrefix)
	}
	return nil
}

// register makes the network on the machine and says in the node's annotations how its
// pods are reached.
func (d *flanneld) register(ctx context.Context) error {
	if err := checkHNS(d.p.Machine); err != nil {
		return err
	}
	adapter, err := d.adapter()
	if err != nil {
		return err
	}
	subnet, err := d.subnet(ctx)
	if err != nil {
		return err
	}
	made, err := d.ensureNetwork(subnet)
	if err != nil {
		return err
	}
	if err := d.announce(ctx, adapter.Address.Addr(), made); err != nil {
		return err
	}
	if err := d.writeSubnetFile(subnet, adapter.MTU); err != nil {
		return err
	}
	return d.markAvailable(ctx)
}

// checkHNS wants the Host Network Service.
func checkHNS(m *machine.Machine) error {
	if m.Features.State("Containers") != feature.Installed {
		return errors.New("platform does not support feature \"RemoteSubnet\": the feature Containers is not installed")
	}
	if status, err := m.Services.Status("hns"); err != nil || status.State != scm.Running {
		return errors.New("the Host Network Service does not run")
	}
	return nil
}

// adapter is the interface that pods of other nodes are reached through.
func (d *flanneld) adapter() (network.Adapter, error) {
	name := d.flags.Get("iface", "")
	if name == "" {
		a, ok := d.p.Machine.Network.Primary()
		if !ok {
			return a, errors.New("failed to find any valid interface to use: failed to get default interface: unable to find default route")
		}
		return a, nil
	}
	for _, a := range d.p.Machine.Network.Adapters() {
		if a.Address.IsValid() && (strings.EqualFold(a.Name, name) || a.Address.Addr().String() == name) {
			return a, nil
		}
	}
	return network.Adapter{}, fmt.Errorf("failed to find interface to use that matches the interfaces and/or regexes provided: %s", name)
}

// subnet is the node's part of the pods' network.
func (d *flanneld) subnet(ctx context.Context) (netip.Prefix, error) {
	var n rest.Node
	if err := d.api.Get(ctx, rest.NodesPath+"/"+d.node, &n); err != nil {
		return netip.Prefix{}, fmt.Errorf("failed to acquire lease: %w", err)
	}
	if n.Spec.PodCIDR == "" {
		return netip.Prefix{}, fmt.Errorf("failed to acquire lease: node %q pod cidr not assigned", d.node)
	}
	subnet, err := netip.ParsePrefix(n.Spec.PodCIDR)
	if err != nil {
		return netip.Prefix{}, err
	}
	if !d.conf.Network.Contains(subnet.Addr()) {
		return netip.Prefix{}, fmt.Errorf("failed to acquire lease: subnet %q specified in the flannel net config doesn't contain %q PodCIDR of the %q node", d.conf.Network, subnet, d.node)
	}
	return subnet, nil
}

// networkName is what the network of the Host Network Service is called.
func (d *flanneld) networkName() string {
	switch {
	case d.conf.Backend.Name != "":
		return d.conf.Backend.Name
	case d.conf.Backend.Type == "host-gw":
		return "cbr0"
	default:
		return fmt.Sprintf("flannel.%d", d.conf.Backend.VNI)
	}
}

// ensureNetwork takes the existing network, or recreates it.
func (d *flanneld) ensureNetwork(subnet netip.Prefix) (network.HNSNetwork, error) {
	stack := d.p.Machine.Network
	want := network.HNSNetwork{Name: d.networkName(), Type: "Overlay", Subnet: subnet, Gateway: subnet.Masked().Addr().Next(), VSID: d.conf.Backend.VNI}
	if d.conf.Backend.Type == "host-gw" {
		want.Type, want.VSID = "L2Bridge", 0
	}
	if old, ok := stack.Network(want.Name); ok {
		if strings.EqualFold(old.Type, want.Type) && old.Subnet == want.Subnet {
			return old, nil
		}
		if err := stack.RemoveNetwork(want.Name); err != nil {
			return network.HNSNetwork{}, fmt.Errorf("failed to delete existing HostComputeNetwork %s: %w", want.Name, err)
		}
	}
	made, err := stack.AddNetwork(want)
	if err != nil {
		return made, fmt.Errorf("failed to create HostComputeNetwork %s: %w", want.Name, err)
	}
	return made, nil
}

// announceTime is how long the network may take to come back after it was cut.
const announceTime = 30 * time.Second

// announce writes the annotations, as soon as the network is back.
func (d *flanneld) announce(ctx context.Context, public netip.Addr, made network.HNSNetwork) error {
	prefix := d.flags.Get("kube-annotation-prefix", "flannel.alpha.coreos.com") + "/"
	data := "null"
	if d.conf.Backend.Type == "vxlan" {
		mac, err := net.ParseMAC(made.RouterMAC)
		if err != nil {
			return fmt.Errorf("cannot parse DR MAC %v: %w", made.RouterMAC, err)
		}
		data = fmt.Sprintf(`{"VNI":%d,"VtepMAC":%q}`, d.conf.Backend.VNI, mac)
	}
	change := rest.Node{Metadata: rest.Metadata{Annotations: map[string]string{
		prefix + "backend-type": d.conf.Backend.Type, prefix + "backend-data": data,
		prefix + "public-ip": public.String(), prefix + "kube-subnet-manager": "true",
	}}}
	var err error
	cli.Until(ctx, announceTime, func() bool {
		err = d.api.Patch(ctx, rest.NodesPath+"/"+d.node+"/status", change)
		return err == nil
	})
	if err != nil {
		return fmt.Errorf("failed to acquire lease: %w", err)
	}
	return nil
}

// writeSubnetFile writes what the CNI plugin reads.
func (d *flanneld) writeSubnetFile(subnet netip.Prefix, mtu int) error {
	path := cli.Whole(d.p, d.flags.Get("subnet-file", "/run/flannel/subnet.env"))
	if err := d.p.Machine.Files.Mkdir(cli.FolderOf(path)); err != nil {
		return err
	}
	if d.conf.Backend.Type == "vxlan" {
		mtu -= overhead
	}
	first := netip.PrefixFrom(subnet.Masked().Addr().Next(), subnet.Bits())
	text := fmt.Sprintf("FLANNEL_NETWORK=%s\nFLANNEL_SUBNET=%s\nFLANNEL_MTU=%d\nFLANNEL_IPMASQ=%v\n", d.conf.Network, first, mtu, d.flags.On("ip-masq"))
	return d.p.Machine.Files.WriteFile(path, []byte(text))
}

// markAvailable says in the node's conditions that its network is there.
func (d *flanneld) markAvailable(ctx context.Context) error {
	now := d.p.Machine.Now().UTC().Format(time.RFC3339)
	change := rest.Node{Status: rest.NodeStatus{Conditions: []rest.Condition{{
		Type: "NetworkUnavailable", Status: "False", Heartbeat: now, Transition: now, Reason: "FlannelIsUp", Message: "Flannel is running on this node",
	}}}}
	return d.api.Patch(ctx, rest.NodesPath+"/"+d.node+"/status", change)
}
