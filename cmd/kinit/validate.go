package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
)

func (w *world) validateCommand() *cli.Command {
	return manual{
		path: "validate",
		examples: []string{
			"kinit validate k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit validate site.hcl -i inventory.hcl --output json",
		},
		codes: []int{exitOK, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:        "validate",
		Usage:       "check a spec and its inventories without touching a host",
		ArgsUsage:   "SPEC",
		Description: `Syntax, references, arguments of modules and the topology are checked.`,
		Flags:       slices.Concat(inputFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			ctx, u, err := w.onSpec(c, shows{mode: view.Validate})
			if err != nil {
				return err
			}
			return u.end(w.engine.validate(ctx, u.options))
		},
	})
}
