package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/bundle"
)

func (w *world) logsCommand() *cli.Command {
	return manual{
		path: "logs",
		examples: []string{
			"kinit logs k8s-libvirt-1-1-1",
			"kinit logs 20250301T120000Z-site --out evidence.tar.gz",
		},
		codes: []int{exitOK, exitFailed, exitUsage},
	}.write(&cli.Command{
		Name:      "logs",
		Usage:     "pack what is known of a run into one archive",
		ArgsUsage: "[SPEC|RUN]",
		Description: `The archive has the run's event log, its HTML report, JUnit XML and the text of
the terminal. Secrets are masked in all of them. A spec means its last run.`,
		Flags: []cli.Flag{outFlag("write to `FILE`; else to <run>.tar.gz; - is standard output")},
		Action: func(c *cli.Context) error {
			log, path, err := w.findRun(c)
			if err != nil {
				return err
			}
			file := c.String("out")
			if file == "" {
				file = log.ID + ".tar.gz"
			}
			if err := w.writeFile(file, func(to io.Writer) error { return bundle.Write(to, path) }); err != nil {
				return err
			}
			if file == standardOutput {
				return nil
			}
			return w.lines(file)
		},
	})
}
