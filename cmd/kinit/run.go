package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func runCommand(a *app.App) *cli.Command {
	return &cli.Command{
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
		UsageText: command.Examples(
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto --stop-after cleanup",
			"kinit run site.plan --var token=secret",
			"kinit run site.hcl -i inventory.hcl --var motd='hello, world' --check",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Unreachable, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.SelectionFlags(), []cli.Flag{
			command.FreshFactsFlag(), command.AdoptFlag(),
			&cli.BoolFlag{Name: "check", Category: command.HeadSelect,
				Usage: "change nothing and show what would change; pending changes end with 0"},
			&cli.BoolFlag{Name: "step", Category: command.HeadSelect,
				Usage: "show what each task would change and ask on the terminal before it is done"},
		}, command.OutputFlags(), []cli.Flag{
			&cli.StringFlag{Name: "full-output", Category: command.HeadOutput,
				Usage: "keep outputs that are too long for the log whole in `FOLDER`"},
		}, command.DiffFlags("show every step with its diff"), command.ReportFlags()),
		Action: func(c *cli.Context) error {
			step := c.Bool("step")
			switch {
			case step && c.Bool("check"):
				return exit.Usagef(c.Command.HelpName, "--check changes nothing, so --step has nothing to ask")
			case step && (a.Err.Size == nil || c.String("output") == command.OutputJSON):
				return exit.Usagef(c.Command.HelpName, "--step asks on a terminal, and there is none")
			}
			saved, err := savedPlan(a, c.Args().First())
			if err != nil {
				return err
			}
			var o engine.Options
			do, mode := a.Engine.Run, command.Mode{View: view.Run, Logged: true, Unnamed: !c.IsSet("hosts")}
			if c.Bool("check") {
				do, mode = a.Engine.Plan, command.Mode{View: view.Plan, Logged: c.IsSet("junit") || c.IsSet("report")}
			}
			if saved != nil && c.NArg() == 1 {
				o, err = savedOptions(a, c, saved)
				do, mode.Unnamed = applying(saved), false
			} else {
				o, err = command.SpecOptions(a, c)
			}
			if err != nil {
				return err
			}
			ctx, s, err := command.Begin(a, c, o, mode)
			if err != nil {
				return err
			}
			if step {
				do = stepwise(do, s.Screen.(*view.Text))
			}
			return s.End(do(ctx, s.Options))
		},
	}
}
