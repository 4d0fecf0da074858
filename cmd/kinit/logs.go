package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/bundle"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

func logsCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "logs",
		Usage:     "pack what is known of a run into one archive",
		ArgsUsage: "[SPEC|RUN]",
		Description: `The archive has the run's event log, its HTML report, JUnit XML and the text of
the terminal. Secrets are masked in all of them. A spec means its last run.`,
		UsageText: command.Examples(
			"kinit logs k8s-libvirt-1-1-1",
			"kinit logs 20250301T120000Z-site --out evidence.tar.gz",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{outFlag("write to `FILE`; else to <run>.tar.gz; - is standard output")},
		Action: func(c *cli.Context) error {
			log, path, err := findRun(a, c)
			if err != nil {
				return err
			}
			file := c.String("out")
			if file == "" {
				file = log.ID + ".tar.gz"
			}
			if err := a.WriteFile(file, func(to io.Writer) error { return bundle.Write(to, path) }); err != nil {
				return err
			}
			if file == app.StandardOutput {
				return nil
			}
			return a.Lines(file)
		},
	}
}
