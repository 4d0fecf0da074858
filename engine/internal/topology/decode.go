package topology

import (
	"net/netip"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/spec"
)

// The defaults of a cluster block.
const (
	defaultDomain        = "kinit.local" // below the cluster's name
	defaultCIDR          = "10.0.0.0/24"
	defaultNodeOffset    = 1
	defaultGatewayOffset = -2
	defaultPodOffset     = -3
	defaultVCPUs         = 2
	defaultMemory        = "4GiB"
	defaultDisk          = "25GiB"
	defaultOS            = "linux"
)

// clusterBlock is the cluster block before evaluation. Absent arguments are nil.
type clusterBlock struct {
	Hypervisors *int           `hcl:"hypervisors,optional"`
	Driver      *string        `hcl:"driver,optional"`
	Formerly    *string        `hcl:"formerly,optional"`
	Domain      *string        `hcl:"domain,optional"`
	Pods        *int           `hcl:"pods,optional"`
	Vars        cty.Value      `hcl:"vars,optional"`
	Networks    []networkBlock `hcl:"network,block"`
	Pools       []poolBlock    `hcl:"pool,block"`
	Nodes       []nodeBlock    `hcl:"node,block"`
	Single      []podBlock     `hcl:"pod,block"`
}

type networkBlock struct {
	CIDR          *string `hcl:"cidr,optional"`
	NodeOffset    *int    `hcl:"node_offset,optional"`
	GatewayOffset *int    `hcl:"gateway_offset,optional"`
	PodOffset     *int    `hcl:"pod_offset,optional"`
}

type poolBlock struct {
	Name        string    `hcl:"name,label"`
	Driver      *string   `hcl:"driver,optional"`
	Count       *int      `hcl:"count,optional"`
	Hosts       []string  `hcl:"hosts,optional"`
	Overlay     *bool     `hcl:"overlay,optional"`
	VCPUs       *int      `hcl:"vcpus,optional"`
	Memory      *string   `hcl:"memory,optional"`
	Disk        *string   `hcl:"disk,optional"`
	OS          *string   `hcl:"os,optional"`
	Pattern     *string   `hcl:"name,optional"`
	Hypervisors []string  `hcl:"hypervisors,optional"`
	Vars        cty.Value `hcl:"vars,optional"`
}

type nodeBlock struct {
	Name       string    `hcl:"name,label"`
	Hypervisor *string   `hcl:"hypervisor,optional"`
	VCPUs      *int      `hcl:"vcpus,optional"`
	Memory     *string   `hcl:"memory,optional"`
	Disk       *string   `hcl:"disk,optional"`
	Vars       cty.Value `hcl:"vars,optional"`
}

type podBlock struct {
	Name       string  `hcl:"name,label"`
	Hypervisor *string `hcl:"hypervisor,optional"`
	Count      *int    `hcl:"count,optional"`
}

// Decode evaluates a cluster block. Its pools may have any of the drivers.
func Decode(block *spec.Cluster, drivers []*spec.Driver, ctx *hcl.EvalContext) (Cluster, diag.List) {
	d := &decoder{body: block.Body, drivers: drivers}
	if d.findUnknown(block.Body, ctx); d.Diags.HasErrors() {
		d.Diags.Sort()
		return Cluster{}, d.Diags
	}
	var raw clusterBlock
	if problems := gohcl.DecodeBody(block.Body, ctx, &raw); problems.HasErrors() {
		return Cluster{}, diag.FromHCL(problems)
	}
	c := Cluster{
		Name:        block.Name,
		Domain:      or(raw.Domain, block.Name+"."+defaultDomain),
		Formerly:    or(raw.Formerly, ""),
		Hypervisors: or(raw.Hypervisors, 1),
		Range:       block.Range,
	}
	d.name("cluster", c.Name, block.NameRange)
	if raw.Formerly != nil {
		d.name("cluster", c.Formerly, argument(d.body, "formerly", block.Range))
	}
	d.atLeast(c.Hypervisors, 1, d.body, "hypervisors")
	c.Vars = d.vars(raw.Vars, block.Body, block.Range)
	c.Network = d.network(raw.Networks)
	if d.standard = d.ofCluster(raw.Driver); d.standard != nil {
		c.Driver = d.standard.Name
	}
	c.Pools = d.pools(raw.Pools)
	c.Nodes = d.nodes(raw.Nodes)
	c.Pods = d.pods(raw.Pods, raw.Single)
	d.Diags.Sort()
	return c, d.Diags
}

// findUnknown reports arguments that need the cluster itself.
func (d *decoder) findUnknown(body *hclsyntax.Body, ctx *hcl.EvalContext) {
	for name, attr := range body.Attributes {
		value, problems := bounds.Value(attr.Expr, ctx)
		if !problems.HasErrors() && !value.IsWhollyKnown() {
			d.Errorf(attr.Expr.Range(), "Invalid reference", "The argument %q of a cluster must be known before the cluster is, so it cannot refer to the cluster itself, to a host or to values of tasks.", name)
		}
	}
	for _, b := range body.Blocks {
		d.findUnknown(b.Body, ctx)
	}
}

func (d *decoder) blocks(kind string) []*hclsyntax.Block {
	var found []*hclsyntax.Block
	for _, b := range d.body.Blocks {
		if b.Type == kind {
			found = append(found, b)
		}
	}
	return found
}

func (d *decoder) network(raw []networkBlock) Network {
	n := Network{NodeOffset: defaultNodeOffset, GatewayOffset: defaultGatewayOffset, PodOffset: defaultPodOffset}
	n.Prefix = netip.MustParsePrefix(defaultCIDR)
	if len(raw) == 0 {
		return n
	}
	blocks := d.blocks("network")
	n.Range = blocks[0].DefRange()
	if len(raw) > 1 {
		d.Errorf(blocks[1].DefRange(), "Duplicate network", "A cluster has one network.")
	}
	n.NodeOffset = or(raw[0].NodeOffset, n.NodeOffset)
	n.GatewayOffset = or(raw[0].GatewayOffset, n.GatewayOffset)
	n.PodOffset = or(raw[0].PodOffset, n.PodOffset)
	text := or(raw[0].CIDR, defaultCIDR)
	prefix, err := netip.ParsePrefix(text)
	at := argument(blocks[0].Body, "cidr", n.Range)
	switch {
	case err != nil || !prefix.Addr().Is4():
		d.Errorf(at, "Invalid network", "%q is no IPv4 network such as %s.", text, defaultCIDR)
	case prefix.Bits() < 8 || prefix.Bits() > 29:
		d.Errorf(at, "Invalid network", "A network has a prefix from /8 to /29; %s has not.", text)
	case prefix != prefix.Masked():
		d.Errorf(at, "Invalid network", "%s is an address inside of a network; the network is %s.", text, prefix.Masked())
	default:
		n.Prefix = prefix
	}
	return n
}

func (d *decoder) pools(raw []poolBlock) []Pool {
	var pools []Pool
	seen := map[string]bool{}
	for i, b := range d.blocks("pool") {
		if seen[raw[i].Name] {
			d.Errorf(b.DefRange(), "Duplicate pool", "The pool %q is declared already.", raw[i].Name)
		}
		seen[raw[i].Name] = true
		pools = append(pools, d.pool(raw[i], b))
	}
	return pools
}

func (d *decoder) pool(raw poolBlock, b *hclsyntax.Block) Pool {
	p := Pool{
		Name:        raw.Name,
		Count:       or(raw.Count, 1),
		Hosts:       raw.Hosts,
		Overlay:     or(raw.Overlay, false),
		VCPUs:       or(raw.VCPUs, defaultVCPUs),
		OS:          or(raw.OS, defaultOS),
		Pattern:     or(raw.Pattern, ""),
		Hypervisors: raw.Hypervisors,
		Range:       b.DefRange(),
		saysOS:      raw.OS != nil,
	}
	p.Vars = d.vars(raw.Vars, b.Body, p.Range)
	p.Pinned = argument(b.Body, "hypervisors", p.Range)
	p.named = argument(b.Body, "hosts", p.Range)
	p.overlaid = argument(b.Body, "overlay", p.Range)
	d.name("pool", p.Name, p.Range)
	d.atLeast(p.Count, 0, b.Body, "count")
	if p.Count > mostNodes {
		d.Errorf(argument(b.Body, "count", p.Range), "Invalid number", "A pool has at most %d nodes, not %d.", mostNodes, p.Count)
		p.Count = 0
	}
	d.atLeast(p.VCPUs, 1, b.Body, "vcpus")
	d.ofPool(&p, raw.Driver, raw.Count, b)
	if raw.Overlay != nil && p.Hosts == nil {
		d.Errorf(p.overlaid, "Conflicting arguments", "The pool %q names no hosts, and nodes that a driver makes are always on the cluster's overlay: leave overlay out.", p.Name)
	}
	p.Memory = d.size(or(raw.Memory, defaultMemory), b.Body, "memory")
	p.Disk = d.size(or(raw.Disk, defaultDisk), b.Body, "disk")
	if raw.Pattern != nil && !numbered.MatchString(p.Pattern) {
		d.Errorf(argument(b.Body, "name", p.Range), "Invalid name", "The name of a pool's nodes has one number, as in \"web-%%02d\".")
	}
	return p
}

// pods reads how many pods there are, or those that have blocks.
func (d *decoder) pods(count *int, raw []podBlock) []PodSettings {
	blocks := d.blocks("pod")
	if count != nil && len(raw) > 0 {
		d.Errorf(blocks[0].DefRange(), "Conflicting arguments", "A cluster has a number of pods or blocks of them. Leave pods out.")
	}
	d.atLeast(or(count, 1), 0, d.body, "pods")
	if len(raw) == 0 {
		return slices.Repeat([]PodSettings{{Count: 1}}, max(0, or(count, 1)))
	}
	var all []PodSettings
	for i, b := range blocks {
		if slices.ContainsFunc(all, func(p PodSettings) bool { return p.Name == raw[i].Name }) {
			d.Errorf(b.DefRange(), "Duplicate pod", "The pod %q has a block already.", raw[i].Name)
		}
		p := PodSettings{
			Name: raw[i].Name, Hypervisor: or(raw[i].Hypervisor, ""), Count: or(raw[i].Count, 1),
			placed: argument(b.Body, "hypervisor", b.DefRange()), counted: argument(b.Body, "count", b.DefRange()),
		}
		d.atLeast(p.Count, 1, b.Body, "count")
		p.Count = max(1, p.Count)
		all = append(all, p)
	}
	return all
}

// nodes reads what single nodes have for themselves.
func (d *decoder) nodes(raw []nodeBlock) map[string]NodeSettings {
	all := map[string]NodeSettings{}
	for i, b := range d.blocks("node") {
		n := NodeSettings{Hypervisor: or(raw[i].Hypervisor, ""), VCPUs: raw[i].VCPUs, Range: b.DefRange()}
		if _, twice := all[raw[i].Name]; twice {
			d.Errorf(n.Range, "Duplicate node", "The node %q has a block already.", raw[i].Name)
		}
		n.placed = argument(b.Body, "hypervisor", n.Range)
		n.Vars = d.vars(raw[i].Vars, b.Body, n.Range)
		if n.VCPUs != nil {
			d.atLeast(*n.VCPUs, 1, b.Body, "vcpus")
		}
		if text := raw[i].Memory; text != nil {
			n.Memory = new(d.size(*text, b.Body, "memory"))
		}
		if text := raw[i].Disk; text != nil {
			n.Disk = new(d.size(*text, b.Body, "disk"))
		}
		all[raw[i].Name] = n
	}
	return all
}

// mostNodes is the maximum of one pool: more than a cluster's network can have, and few
// enough for a message.
const mostNodes = 10_000
