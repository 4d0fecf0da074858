package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
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
		Flags: slices.Concat(inputFlags(), selectionFlags(), []cli.Flag{
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
			if err != nil {
				return err
			}
			var o engine.Options
			do, s := w.engine.run, shows{mode: view.Run, logged: true, unnamed: !c.IsSet("hosts")}
			switch {
			case saved != nil && c.NArg() == 1:
				o, err = w.savedOptions(c, saved)
				do, s.unnamed = applying(saved), false
			case c.Bool("check"):
				o, err = w.specOptions(c)
				do, s = w.engine.plan, shows{mode: view.Plan, logged: c.IsSet("junit") || c.IsSet("report")}
			default:
				o, err = w.specOptions(c)
			}
			if err != nil {
				return err
			}
			ctx, u, err := w.begin(c, o, s)
			if err != nil {
				return err
			}
			if step {
				do = stepwise(do, u.screen.(*view.Text))
			}
			return u.end(do(ctx, u.options))
		},
	})
}
