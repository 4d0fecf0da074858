package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine/shell"
)

func planCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Category:  command.LifeOfClusters,
		Usage:     "read the hosts and show what a run would change",
		ArgsUsage: "SPEC",
		Description: `Nothing is changed. Where a task needs a host or a value that another task is still to
make, its changes are shown as known after that task. Hosts are asked first what they have of the
spec's cluster: that keeps its place. What a run would remove is shown at the top, with the flag that
'kinit run' needs for it. With --offline no host is
asked, so the cluster is shown as a new one.

A plan kept with --out contains the values of its variables, digests of its files, and what
each task would do. Of secret values it contains only slow digests.`,
		UsageText: command.Examples(
			"kinit plan k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit plan site.hcl -i inventory.hcl --only task.file.motd",
			"kinit plan site.hcl --out site.plan",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Pending, exit.Unreachable, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), command.SelectionFlags(), []cli.Flag{
			command.LostFlag(), command.FreshFactsFlag(), command.AdoptFlag(), command.RebalanceFlag(), command.RemoveFlag(), command.YesDestroyFlag(),
			command.HeadSelect.Switch("offline", "ask no host: show the tasks of the spec, of a cluster as if it were new"),
		}, command.OutputFlags(), command.DiffFlags("show every step with its diff; this is the default"), []cli.Flag{
			command.HeadOutput.Text("out", "keep the plan in `FILE`, for 'kinit run FILE'"),
		}),
		Action: func(c *cli.Context) error {
			if c.Bool("offline") && c.IsSet("out") {
				return exit.Usagef(c.Command.HelpName, "--offline asks no host, so there is no plan to keep with --out")
			}
			ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Plan, Diff: true, PendingFails: true})
			if err != nil {
				return err
			}
			file := c.String("out")
			if file == "" {
				return s.End(a.Engine.Plan(ctx, s.Options))
			}
			saved, report := savePlan(ctx, a, s.Options, file)
			err = s.End(report)
			if !saved || c.String("output") != command.OutputText {
				return err
			}
			return cmp.Or(a.Lines("The plan is saved. Apply it with: kinit run "+shell.POSIX(file)), err)
		},
	}
}
