package main

import (
	"cmp"
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
		Usage:     "pack the log and the reports of a run into one archive",
		ArgsUsage: "[SPEC|RUN]",
		Description: `The archive contains the run's event log, HTML report, JUnit XML and terminal output. Secrets
are masked in all of them. A SPEC stands for its last run; the default is the last run.`,
		UsageText: command.Examples(
			"kinit logs k8s-libvirt-1-1-1",
			"kinit logs 20250301T120000Z-site --out evidence.tar.gz",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{outFlag("write to `FILE`; default: <run>.tar.gz; - is standard output")},
		Action: func(c *cli.Context) error {
			log, path, err := findRun(a, c)
			if err != nil {
				return err
			}
			file := cmp.Or(c.String("out"), log.ID+".tar.gz")
			return writeOut(a, file, app.Format{Name: "an archive of kinit's", Start: bundle.Start}, func(to io.Writer) error { return bundle.Write(to, path) })
		},
	}
}
