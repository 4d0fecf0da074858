package ovsport

import (
	"context"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/modules/internal/link"
	"kinit/modules/internal/ovn/vswitch"
)

// pair is both ends of a veth, as they are.
type pair struct{ outside, inside link.State }

// pair tells whether the two belong together: each names the other's index.
func (p pair) pair() bool {
	return p.outside.Exists && p.inside.Exists &&
		p.outside.Peer == p.inside.Index && p.inside.Peer == p.outside.Index
}

// read reads both ends.
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

// makePair makes both ends, after removing an end that is left of a pod that has
// gone.
func (t *Veth) makePair(ctx context.Context, h module.Host) error {
	have, err := t.read(ctx, h)
	if err != nil || have.pair() {
		return err
	}
	if have.outside.Exists {
		if err := link.Delete(ctx, h, t.Name); err != nil {
			return err
		}
	}
	return link.RunAll(ctx, h, t.create(t.netns(), h.Owner()))
}

// create are the commands that make the pair.
func (t *Veth) create(netns, owner string) [][]string {
	commands := [][]string{{"ip", "link", "add", "name", t.Name, "type", "veth", "peer", "name", t.Peer, "netns", netns}}
	if owner != "" {
		commands = append(commands, []string{"ip", "link", "set", "dev", t.Name, "alias", vswitch.Alias(owner)})
	}
	return commands
}

// script attaches the namespace whose path is its first argument. The port's row
// is still in Open vSwitch's database then.
func (t *Veth) script(owner string) string {
	const here = "NETNS"
	inside := t.inside()
	inside.Netns = here
	lines := []string{"#!/bin/sh", "set -eu", `ip link del dev ` + shell.POSIX(t.Name) + ` 2>/dev/null || true`}
	for _, argv := range t.create(here, owner) {
		lines = append(lines, shell.POSIX(argv...))
	}
	text := strings.Join(lines, "\n") + "\n" + link.Script(t.outside()) + link.Script(inside)
	text = strings.ReplaceAll(text, "netns "+here, `netns "$1"`)
	return strings.ReplaceAll(text, shell.POSIX("--net="+here), `--net="$1"`)
}
