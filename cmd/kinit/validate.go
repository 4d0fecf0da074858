package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
)

func validateCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "check a spec and its inventories without touching a host",
		ArgsUsage: "SPEC",
		Description: `Syntax, references, arguments of modules and the topology are checked. No host is asked, so a
cluster is checked as a new one. SPEC may be a folder with playbook files.`,
		UsageText: command.Examples(
			"kinit validate k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit validate site.hcl -i inventory.hcl --output json",
		) + command.ExitCodes(exit.OK, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.OutputFlags()),
		Action: func(c *cli.Context) error {
			o, err := command.SpecOptions(a, c)
			if err != nil {
				return err
			}
			return command.Use(a, c, o, command.Mode{View: view.Validate}, a.Engine.Validate)
		},
	}
}
