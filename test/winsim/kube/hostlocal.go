package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"kinit/test/winsim/kube/cli"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
)

// ipamConfig is a configuration of the plugin host-local (CNI specification 0.3.1).
type ipamConfig struct {
	CNIVersion string `json:"cniVersion"`
	Name       string `json:"name"`
	IPAM       struct {
		Type    string `json:"type"`
		DataDir string `json:"dataDir"`
		Ranges  [][]struct {
			Subnet  netip.Prefix `json:"subnet"`
			Gateway netip.Addr   `json:"gateway"`
		} `json:"ranges"`
	} `json:"ipam"`
}

// Codes of failures that plugins tell.
const (
	cniUnknown     = 999 // of plugins themselves
	cniDecode      = 6
	cniEnvironment = 4
)

// HostLocal is host-local.exe, the CNI plugin that gives out addresses and keeps them in
// files. It adds and checks that nothing is added twice.
func HostLocal(_ context.Context, p *machine.Process) uint32 {
	var c ipamConfig
	text, err := io.ReadAll(p.Stdin)
	if err == nil {
		err = json.Unmarshal([]byte(strings.TrimPrefix(string(text), "\ufeff")), &c)
	}
	if err != nil {
		return cniFailure(p, cniDecode, err)
	}
	for _, name := range []string{"CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"} {
		if p.Env.Get(name) == "" {
			return cniFailure(p, cniEnvironment, fmt.Errorf("required env variables [%s] missing", name))
		}
	}
	if command := p.Env.Get("CNI_COMMAND"); command != "ADD" {
		p.Machine.Unknown("host-local.exe with the command %q", command)
		return 1
	}
	address, gateway, err := c.reserve(p)
	if err != nil {
		return cniFailure(p, cniUnknown, err)
	}
	type ip struct {
		Version string       `json:"version"`
		Address netip.Prefix `json:"address"`
		Gateway netip.Addr   `json:"gateway"`
	}
	return cniSay(p, 0, map[string]any{"cniVersion": c.CNIVersion, "dns": struct{}{}, "ips": []ip{{Version: "4", Address: address, Gateway: gateway}}})
}

func cniFailure(p *machine.Process, code int, err error) uint32 {
	return cniSay(p, 1, map[string]any{"code": code, "msg": err.Error()})
}

func cniSay(p *machine.Process, exit uint32, answer map[string]any) uint32 {
	text, err := json.MarshalIndent(answer, "", "    ")
	if err != nil {
		cli.Complain(p, "%v", err)
		return 1
	}
	cli.Say(p, "%s", text)
	return exit
}

// reserve takes the address after the one that was taken last, and keeps it for the
// container.
func (c ipamConfig) reserve(p *machine.Process) (address netip.Prefix, gateway netip.Addr, err error) {
	if c.IPAM.Type != "host-local" || len(c.IPAM.Ranges) != 1 || len(c.IPAM.Ranges[0]) != 1 {
		return address, gateway, errors.New("one range of addresses is simulated, in ipam.ranges")
	}
	subnet := c.IPAM.Ranges[0][0].Subnet
	if subnet != subnet.Masked() || !subnet.Addr().Is4() {
		return address, gateway, fmt.Errorf("network has host bits set. For a subnet mask of length %d the network address is %s", subnet.Bits(), subnet.Masked().Addr())
	}
	gateway = c.IPAM.Ranges[0][0].Gateway
	if !gateway.IsValid() {
		gateway = subnet.Addr().Next()
	}
	s := store{files: p.Machine.Files, folder: cli.Whole(p, cmp.Or(c.IPAM.DataDir, "/var/lib/cni/networks")) + `\` + c.Name}
	free, err := s.reserve(subnet, gateway, p.Env.Get("CNI_CONTAINERID"), p.Env.Get("CNI_IFNAME"))
	return netip.PrefixFrom(free, subnet.Bits()), gateway, err
}

// store is a folder with a file for each address that is taken.
type store struct {
	files  *ntfs.FS
	folder string
}

// lastReserved is the file with the address that was taken last.
const lastReserved = "last_reserved_ip.0"

func (s store) reserve(subnet netip.Prefix, gateway netip.Addr, container, device string) (netip.Addr, error) {
	if err := s.files.Mkdir(s.folder); err != nil {
		return netip.Addr{}, err
	}
	entries, err := s.files.List(s.folder)
	if err != nil {
		return netip.Addr{}, err
	}
	owner, last := container+"\r\n"+device, subnet.Addr()
	taken := []netip.Addr{gateway}
	for _, entry := range entries {
		text, err := s.files.ReadFile(entry.Path)
		if err != nil {
			return netip.Addr{}, err
		}
		name := entry.Name
		if name == lastReserved {
			name = string(text)
		}
		ip, err := netip.ParseAddr(name)
		switch {
		case err != nil: // it is none of the plugin's files
		case entry.Name == lastReserved:
			last = ip
		case string(text) == owner:
			return netip.Addr{}, fmt.Errorf("failed to allocate for range 0: %s has been allocated to %s, duplicate allocation is not allowed", ip, container)
		default:
			taken = append(taken, ip)
		}
	}
	free, ok := next(subnet, last, taken)
	if !ok {
		return netip.Addr{}, fmt.Errorf("failed to allocate for range 0: no IP addresses available in range set: %s", subnet)
	}
	return free, errors.Join(
		s.files.WriteFile(s.folder+`\`+free.String(), []byte(owner)),
		s.files.WriteFile(s.folder+`\`+lastReserved, []byte(free.String())))
}

// next is the first address after one that is not taken, around the subnet once. The
// first and the last address are not assigned.
func next(subnet netip.Prefix, after netip.Addr, taken []netip.Addr) (netip.Addr, bool) {
	first := subnet.Addr().Next()
	for range 1 << (32 - subnet.Bits()) {
		after = after.Next()
		if !subnet.Contains(after) || !subnet.Contains(after.Next()) {
			after = first
		}
		if !slices.Contains(taken, after) {
			return after, true
		}
	}
	return netip.Addr{}, false
}
