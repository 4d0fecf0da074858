package main

import (
	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
)

func (w *world) runCommand() *cli.Command {
	return manual{
		path: "run",
		examples: []string{
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto --stop-after cleanup",
			"kinit run site.hcl -i inventory.hcl --var motd='hello, world' --check",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "run",
		Usage:     "bring about what a spec says, or converge again",
		ArgsUsage: "SPEC",
		Description: `SPEC is a file, or the name of a spec that ships with kinit. What a run has done
stays when it fails or is interrupted; the next run goes on from there.`,
		Flags: flags(inputFlags(), selectionFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "check", Category: headSelect,
				Usage: "change nothing and show what would change, as plan does"},
		}, outputFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "diff", Category: headOutput, Usage: "show every step with its diff"},
		}, reportFlags()),
		Action: func(c *cli.Context) error {
			if c.Bool("check") {
				return w.onSpec(c, job{do: w.engine.plan, mode: view.Plan, pendingIsOK: true, logged: c.IsSet("junit") || c.IsSet("report")})
			}
			return w.onSpec(c, job{do: w.engine.run, mode: view.Run, logged: true})
		},
	})
}

// onSpec does a job with the spec, the inventories and the flags of a command
// line.
func (w *world) onSpec(c *cli.Context, j job) error {
	name, err := spec(c)
	if err != nil {
		return err
	}
	o, err := w.options(c, name)
	if err != nil {
		return err
	}
	if o.Inventories, err = w.inventoryFiles(c); err != nil {
		return err
	}
	return w.perform(c, j, o)
}
