package ovsport

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/modules/internal/fingerprint"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/vswitch"
	"kinit/modules/internal/ownership"
)

// pair is the current state of both ends of a veth.
type pair struct{ outside, inside link.State }

// pair reports whether the two belong together: each names the other's index.
func (p pair) pair() bool {
	return p.outside.Exists && p.inside.Exists &&
		p.outside.Peer == p.inside.Index && p.inside.Peer == p.outside.Index
}

func (t *Veth) read(ctx context.Context, h module.Host) (pair, error) {
	outside, err := link.Read(ctx, h, t.outside())
	if err != nil {
		return pair{}, err
	}
	inside, err := link.Read(ctx, h, t.inside())
	if err != nil {
		return pair{}, fmt.Errorf("look into network namespace %s: %w", t.netns(), err)
	}
	return pair{outside, inside}, nil
}

// makePair makes both ends, after removing an end that a deleted pod left, and a pair whose
// making was interrupted.
func (t *Veth) makePair(ctx context.Context, h module.Host) error {
	have, err := t.read(ctx, h)
	if err != nil || have.pair() {
		return err
	}
	// Open vSwitch keeps the device open that it has opened: in the userspace datapath a new device with
	// the same name would receive nothing.
	if err := ovn.Do(ctx, h, ovn.Switch(), vswitch.DropPort(t.Name)); err != nil {
		return err
	}
	owner := ownership.Signature(h)
	for _, device := range []string{t.Name, t.unmarked(owner)} {
		if err := link.Delete(ctx, h, device); err != nil {
			return err
		}
	}
	return link.RunAll(ctx, h, t.create(t.netns(), owner))
}

// unmarked is the name of the end on the host until it has its mark. The kernel takes none
// when it makes a device, so the name itself must be the owner's.
func (t *Veth) unmarked(owner string) string {
	return "kinit-" + fingerprint.Of(owner, t.Name)[:9]
}

func (t *Veth) create(netns, owner string) [][]string {
	name := t.unmarked(owner)
	return [][]string{
		{"ip", "link", "add", "name", name, "type", "veth", "peer", "name", t.Peer, "netns", netns},
		{"ip", "link", "set", "dev", name, "alias", vswitch.Alias(owner)},
		{"ip", "link", "set", "dev", name, "name", t.Name},
	}
}

// script attaches the namespace whose path is its first argument. It does nothing if that
// is already done, so that starting a unit does not interrupt a working connection.
func (t *Veth) script(owner string) string {
	const here = "NETNS"
	inside := t.inside()
	inside.Netns = here
	name := shell.POSIX(t.Name)
	lines := []string{
		"#!/bin/sh", "set -eu",
		"near=$(ip -o link show dev " + name + " 2>/dev/null | cut -d : -f 1)",
		"nsenter " + shell.POSIX("--net="+here) + " ip -o link show dev " + shell.POSIX(t.Peer) + " 2>/dev/null | grep -q \"@if${near:-none}:\" && exit 0",
		"ovs-vsctl --if-exists del-port " + name,
		"ip link del dev " + name + " 2>/dev/null || true",
		"ip link del dev " + t.unmarked(owner) + " 2>/dev/null || true",
	}
	for _, argv := range append(t.create(here, owner), t.addPort(owner)) {
		lines = append(lines, shell.POSIX(argv...))
	}
	text := strings.Join(lines, "\n") + "\n" + link.Script(t.outside()) + link.Script(inside)
	text = strings.ReplaceAll(text, "netns "+here, `netns "$1"`)
	return strings.ReplaceAll(text, shell.POSIX("--net="+here), `--net="$1"`)
}

func (t *Veth) addPort(owner string) []string {
	row := t.row()
	argv := []string{"ovs-vsctl", "add-port", row.Bridge, row.Name}
	argv = append(argv, setIDs("Port", row.Name, ovn.Owned(owner, row.Marks))...)
	return append(argv, setIDs("Interface", row.Name, row.IDs)...)
}

func setIDs(table, record string, ids map[string]string) []string {
	if len(ids) == 0 {
		return nil
	}
	argv := []string{"--", "set", table, record}
	for _, key := range slices.Sorted(maps.Keys(ids)) {
		argv = append(argv, fmt.Sprintf("external_ids:%s=%q", key, ids[key]))
	}
	return argv
}
