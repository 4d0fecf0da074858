package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func (w *world) statusCommand() *cli.Command {
	return manual{
		path:     "status",
		examples: []string{"kinit status k8s-libvirt-1-1-1 --hosts nyctea,tyto"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInvalid, exitPending, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "status",
		Usage:     "show which hosts of a spec answer and how much of it is in place",
		ArgsUsage: "SPEC",
		Description: `Everything is read anew and nothing is changed. What a run would still do is told
by 'kinit plan'.`,
		Flags: flags(inputFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			var status engine.Status
			read := func(ctx context.Context, o engine.Options) (report *engine.Report) {
				o.Events = nil
				status, report = engine.State(ctx, o)
				return report
			}
			err := w.onSpec(c, job{do: read, mode: view.Read, pendingTold: true})
			return first(w.lines(statusLines(status)...), err)
		},
	})
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

// first returns the first non-nil error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
