package main

import (
	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
)

func (w *world) planCommand() *cli.Command {
	return manual{
		path: "plan",
		examples: []string{
			"kinit plan k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"kinit plan site.hcl -i inventory.hcl --only task.file.motd",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitPending, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "plan",
		Usage:     "read the hosts and show what a run would change",
		ArgsUsage: "SPEC",
		Description: `Nothing is changed. What a task would do on a host or with a value that another
task has yet to bring about is shown as known after that task.`,
		Flags:  flags(inputFlags(), selectionFlags(), outputFlags()),
		Action: func(c *cli.Context) error { return w.onSpec(c, job{do: w.engine.plan, mode: view.Plan, diff: true}) },
	})
}
