package main

import (
	"context"
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
		Category:  command.LifeOfClusters,
		Usage:     "bring about what a spec describes",
		ArgsUsage: "SPEC|PLANFILE",
		Description: `SPEC is a file, or the name of a spec that ships with kinit. A run changes only what is not
yet as the spec says. What it has done stays when it fails or is interrupted; the next run
continues from there.

The nodes of a cluster stay on their hypervisors and keep their addresses, whatever the order of
--hosts and the size of the pools. A node moves if --rebalance says so, or its own setting, as in
--set node.compute-01.hypervisor=tyto: it is recreated there and removed from the old host.

A run removes a node, a volume or an address only if a flag names it, as --remove compute-02 does. On a
terminal it asks about what is not named; without one it refuses, and says which flag to give.
--stop-after cleanup and --recreate name everything, --lost what was on the host.

Another kubernetes_version upgrades a cluster that exists, one node after the other; 'kinit plan'
shows how.

A host that --lost names gets no task. It must not answer, or must have been reinstalled. The nodes
that were there leave the cluster; then a second run recreates them on the other hosts, with their
names and addresses. --junit and --report then name the files of the second run. Those of the first
are beside them, such as junit.leave.xml beside junit.xml.

PLANFILE is a file that 'kinit plan --out' wrote. kinit plans again, and does the plan only if
each task would do exactly what was saved; else it does nothing and names the differences.
Tasks whose changes were known only after others are done without this comparison, and so are
those of on_failure. A task may do less than was saved, if an earlier task did it already. If
hosts change during the run, it stops at the first task that would do something else. Secret
values must be given again: --var NAME=VALUE, or KINIT_VAR_NAME.

--recreate makes two runs, too: the first one removes what exists, and the second one builds.

With --step, a task that reads values of a task that was left out is left out too; quit ends
the run as Ctrl-C does.`,
		UsageText: command.Examples(
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit run k8s-libvirt-1-1-1 --hosts nyctea,tyto --stop-after cleanup",
			"kinit run site.plan --var token=secret",
			"kinit run site.hcl -i inventory.hcl --var motd='hello, world' --check",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), command.SelectionFlags(), []cli.Flag{
			command.LostFlag(), command.FreshFactsFlag(), command.AdoptFlag(), command.RebalanceFlag(), command.RemoveFlag(), command.YesDestroyFlag(),
			command.HeadSelect.Switch("check", "show what would change, and change nothing; exit code 0 also with changes"),
			command.HeadSelect.Switch("step", "before each task, show what it would change and ask on the terminal"),
		}, command.OutputFlags(), []cli.Flag{
			command.HeadOutput.Text("full-output", "keep complete outputs in `FOLDER`, where they are too long for the log"),
		}, command.DiffFlags("show every step with its diff"), command.ReportFlags()),
		Action: func(c *cli.Context) error {
			step := c.Bool("step")
			switch {
			case step && c.Bool("check"):
				return exit.Usagef(c.Command.HelpName, "--check changes nothing, so --step has nothing to ask")
			case step && (a.Err.Size == nil || c.String("output") == command.OutputJSON):
				return exit.Usagef(c.Command.HelpName, "--step needs a terminal, and kinit has none")
			}
			saved, err := savedPlan(a, c.Args().First())
			if err != nil {
				return err
			}
			var o engine.Options
			do, mode := a.Engine.Run, command.RunMode(c)
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
			removes := false // a run of its own removes what --recreate builds again
			once := func(o engine.Options, first bool) (again bool, err error) {
				ctx, s, err := command.Begin(a, c, o, mode)
				if err != nil {
					return false, err
				}
				report := do
				if step {
					report = stepwise(do, s.Screen.(*view.Text))
				}
				done := report(ctx, s.Options)
				if again = first && !c.Bool("check") && (removes || comesBack(o, done)); again {
					s.Part(leaving)
				}
				return again, s.End(done)
			}
			begin := o
			if removes = saved == nil && !c.Bool("check") && removesFirst(c.Context, o); removes {
				begin.StopAfter, begin.CleansUp, begin.Precedes = command.CleanupStage, true, true
			}
			again, err := once(begin, true)
			if err == nil && again {
				o.Recreate, o.Rebuilds, o.Continues = o.Recreate && !removes, removes, true
				_, err = once(o, false)
			}
			return err
		},
	}
}

// removesFirst reports whether a run of its own removes what --recreate builds again, as the clean-up stage of the
// spec does. A clean-up also undoes what the stages before it have prepared, which the rest of the same run would
// lack. A run of a part of the tasks is one run.
func removesFirst(ctx context.Context, o engine.Options) bool {
	if !o.Recreate || o.StopAfter == command.CleanupStage || selects(o) {
		return false
	}
	graph, _ := engine.Order(ctx, o)
	return graph != nil && slices.ContainsFunc(graph.Stages, func(s engine.GraphStage) bool { return s.Name == command.CleanupStage })
}

// selects reports whether options select a part of the tasks, other than by the stage to stop after.
func selects(o engine.Options) bool {
	return o.StartAt != "" || len(o.Only)+len(o.Skip)+len(o.Limit)+len(o.Tags)+len(o.SkipTags) > 0
}

// comesBack reports whether the nodes of lost hosts have left, so that a second run recreates them. A run of a part of
// the tasks may not have come so far.
func comesBack(o engine.Options, report *engine.Report) bool {
	return o.StopAfter == "" && !selects(o) && len(o.Lost) > 0 && len(report.Returning) > 0
}
