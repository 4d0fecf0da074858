package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine/shell"
)

func (w *world) planCommand() *cli.Command {
	return manual{
		path: "plan",
		examples: []string{
			"kinit plan k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit plan site.hcl -i inventory.hcl --only task.file.motd",
			"kinit plan site.hcl --out site.plan",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitPending, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "plan",
		Usage:     "read the hosts and show what a run would change",
		ArgsUsage: "SPEC",
		Description: `Nothing is changed. What a task would do on a host or with a value that another
task has yet to bring about is shown as known after that task.

A plan kept with --out holds the values it was made with, digests of its files, and
what each task would do. Secret values are not in it, only slow digests of them.`,
		Flags: slices.Concat(inputFlags(), selectionFlags(), []cli.Flag{freshFactsFlag(), adoptFlag()}, outputFlags(), diffFlags("show every step with its diff, as is done without it"), []cli.Flag{
			&cli.StringFlag{Name: "out", Category: headOutput, Usage: "keep the plan in `FILE`, for 'kinit run FILE'"},
		}),
		Action: func(c *cli.Context) error {
			ctx, u, err := w.onSpec(c, shows{mode: view.Plan, diff: true, pendingFails: true})
			if err != nil {
				return err
			}
			file := c.String("out")
			if file == "" {
				return u.end(w.engine.plan(ctx, u.options))
			}
			saved, report := w.savePlan(ctx, u.options, file)
			err = u.end(report)
			if !saved || c.String("output") != outputText {
				return err
			}
			return cmp.Or(w.lines("The plan is saved. Apply it with: kinit run "+shell.POSIX(file)), err)
		},
	})
}
