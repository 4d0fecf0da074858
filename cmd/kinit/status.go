package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func statusCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "status",
		Category:  command.LifeOfClusters,
		Usage:     "show which hosts of a spec answer and how much of it is in place",
		ArgsUsage: "SPEC",
		Description: `Everything is read again and nothing is changed. 'kinit plan' shows what a run would still
do.`,
		UsageText: command.Examples("kinit status k8s-libvirt-1-1-1 --hosts nyctea,tyto") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Pending, exit.Unreachable, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), []cli.Flag{command.GoneFlag()}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read, PendingFails: true})
			if err != nil {
				return err
			}
			status, report := engine.State(ctx, s.Options)
			err = s.End(report)
			return cmp.Or(a.Lines(statusLines(status)...), err)
		},
	}
}

// statusLines returns the status as two tables.
func statusLines(s engine.Status) []string {
	if len(s.Hosts) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%-24s %s", "HOST", "STATUS")}
	for _, h := range s.Hosts {
		lines = append(lines, fmt.Sprintf("%-24s %s", h.Host, h.Message))
	}
	lines = append(lines, "", fmt.Sprintf("%-12s %8s %6s %7s", "STAGE", "IN PLACE", "TO DO", "FAILED"))
	for _, stage := range s.Stages {
		lines = append(lines, fmt.Sprintf("%-12s %8d %6d %7d", stage.Stage, stage.InPlace, stage.ToDo, stage.Failed))
	}
	return lines
}
