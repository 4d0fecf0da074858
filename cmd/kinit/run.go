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
			"kinit run site.plan --var token=secret",
			"kinit run site.hcl -i inventory.hcl --var motd='hello, world' --check",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "run",
		Usage:     "bring about what a spec says, or converge again",
		ArgsUsage: "SPEC|PLANFILE",
		Description: `SPEC is a file, or the name of a spec that ships with kinit. What a run has done
stays when it fails or is interrupted; the next run goes on from there.

PLANFILE is what 'kinit plan --out' wrote. Everything is planned anew, and when each
task would do exactly what was saved, it is done; else nothing is, and what has moved is
named. Tasks whose changes were known only after others are done as they come, and so are
those of on_failure. A task may do less than was saved, when one before it did it already;
when the hosts are changed while it runs, it stops at the first task that would do
something else. Secret values are given again: --var NAME=VALUE, or KINIT_VAR_NAME.

With --step, tasks that read values of one that was left out are left out too, and
quit ends the run as Ctrl-C does.`,
		Flags: flags(inputFlags(), selectionFlags(), []cli.Flag{
			freshFactsFlag(), adoptFlag(),
			&cli.BoolFlag{Name: "check", Category: headSelect,
				Usage: "change nothing and show what would change; pending changes end with 0"},
			&cli.BoolFlag{Name: "step", Category: headSelect,
				Usage: "show what each task would change and ask on the terminal before it is done"},
		}, outputFlags(), []cli.Flag{
			&cli.StringFlag{Name: "full-output", Category: headOutput,
				Usage: "keep outputs that are too long for the log whole in `FOLDER`"},
		}, diffFlags("show every step with its diff"), reportFlags()),
		Action: func(c *cli.Context) error {
			step := c.Bool("step")
			switch {
			case step && c.Bool("check"):
				return usageErrorf(c.Command.HelpName, "--check changes nothing, so --step has nothing to ask")
			case step && (w.err.Size == nil || c.String("output") == outputJSON):
				return usageErrorf(c.Command.HelpName, "--step asks on a terminal, and there is none")
			}
			saved, err := w.savedPlan(c.Args().First())
			switch {
			case err != nil:
				return err
			case saved != nil && c.NArg() == 1:
				return w.apply(c, saved, job{mode: view.Run, logged: true, step: step})
			case c.Bool("check"):
				return w.onSpec(c, job{do: w.engine.plan, mode: view.Plan, pendingIsOK: true, logged: c.IsSet("junit") || c.IsSet("report")})
			}
			return w.onSpec(c, job{do: w.engine.run, mode: view.Run, logged: true, step: step, unnamed: !c.IsSet("hosts")})
		},
	})
}

// onSpec runs a job with the spec, the inventories and the flags of a command line.
func (w *world) onSpec(c *cli.Context, j job) error {
	name, err := spec(c)
	if err != nil {
		return err
	}
	o, err := w.inputs(c, name)
	if err != nil {
		return err
	}
	if j.mode != view.Run && j.mode != view.Plan {
		o.Reserved = nil // commands that only read a lab's cluster need no named hosts
	}
	return w.perform(c, j, o)
}
