package link

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
)

// device is one entry of "ip -json -details addr".
type device struct {
	Index     int      `json:"ifindex"`
	Name      string   `json:"ifname"`
	LinkIndex int      `json:"link_index"`
	Link      string   `json:"link"`
	Flags     []string `json:"flags"`
	MTU       int      `json:"mtu"`
	Address   string   `json:"address"`
	Alias     string   `json:"ifalias"`
	Addresses []struct {
		Local   string `json:"local"`
		Length  int    `json:"prefixlen"`
		Scope   string `json:"scope"`
		Dynamic bool   `json:"dynamic"`
	} `json:"addr_info"`
}

// Read reads the device in want, as far as want needs it.
func Read(ctx context.Context, h module.Host, want Want) (State, error) {
	devices, err := list(ctx, h, want.Netns)
	if err != nil {
		return State{}, err
	}
	for _, d := range devices {
		if d.Name == want.Device {
			return d.complete(ctx, h, want, devices)
		}
	}
	return State{}, nil
}

// list reads every device of a namespace, with its alias (-details). A query by name would make a
// missing device an error that only its text distinguishes from others.
func list(ctx context.Context, h module.Host, netns string) ([]device, error) {
	var devices []device
	err := query(ctx, h, netns, &devices, "ip", "-json", "-details", "addr", "show")
	return devices, err
}

func (d device) complete(ctx context.Context, h module.Host, want Want, all []device) (State, error) {
	s := State{Exists: true, Index: d.Index, Peer: d.peer(all), Alias: d.Alias, MTU: d.MTU, MAC: d.Address}
	for _, flag := range d.Flags {
		s.Up = s.Up || flag == "UP"
	}
	for _, a := range d.Addresses {
		if a.Scope == "global" && !a.Dynamic {
			s.Addresses = append(s.Addresses, fmt.Sprintf("%s/%d", a.Local, a.Length))
		}
	}
	var err error
	if len(want.Routes) > 0 {
		s.Routes, err = routes(ctx, h, want)
	}
	if err == nil && want.TxOff {
		s.TxOff, err = txOff(ctx, h, want)
	}
	return s, err
}

// peer returns the index of a veth's other end. ip prints the end's name instead of
// its index if both are in the same namespace.
func (d device) peer(all []device) int {
	for _, other := range all {
		if d.Link != "" && other.Name == d.Link {
			return other.Index
		}
	}
	return d.LinkIndex
}

func routes(ctx context.Context, h module.Host, want Want) (map[string]string, error) {
	var entries []struct{ Dst, Gateway string }
	found := map[string]string{}
	if err := query(ctx, h, want.Netns, &entries, "ip", "-json", "route", "show", "dev", want.Device); err != nil {
		return nil, err
	}
	for _, e := range entries {
		found[destination(e.Dst)] = e.Gateway
	}
	return found, nil
}

// destination returns a route's destination with prefix length, which ip omits
// for a single host.
func destination(dst string) string {
	switch {
	case dst == "default", strings.Contains(dst, "/"):
		return dst
	case strings.Contains(dst, ":"):
		return dst + "/128"
	}
	return dst + "/32"
}

// txOff reports whether transmit checksums are computed in software.
func txOff(ctx context.Context, h module.Host, want Want) (bool, error) {
	var features []map[string]any
	if err := query(ctx, h, want.Netns, &features, "ethtool", "--json", "-k", want.Device); err != nil {
		return false, err
	}
	if len(features) == 0 {
		return false, nil
	}
	tx, _ := features[0]["tx-checksumming"].(map[string]any)
	active, known := tx["active"].(bool)
	return known && !active, nil
}

func query(ctx context.Context, h module.Host, netns string, into any, argv ...string) error {
	argv = inside(netns, [][]string{argv})[0]
	out, err := h.Run(ctx, module.Command{Argv: argv})
	if module.Exited(err, 127) {
		return fmt.Errorf("%s is not installed on %s: %w", argv[0], h.Name(), err)
	}
	if err != nil {
		return err
	}
	if strings.TrimSpace(out.Stdout) == "" {
		return nil
	}
	if err := bounds.DecodeJSON([]byte(out.Stdout), into); err != nil {
		return fmt.Errorf("read the output of %q: %w", strings.Join(argv, " "), err)
	}
	return nil
}
