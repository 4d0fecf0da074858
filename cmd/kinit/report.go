package main

import (
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
)

func (w *world) reportCommand() *cli.Command {
	return manual{
		path: "report",
		examples: []string{
			"kinit report",
			"kinit report site.hcl --out site.html",
			"kinit report 20250301T120000Z-site --format text",
		},
		codes: []int{exitOK, exitFailed, exitUsage},
	}.write(&cli.Command{
		Name:      "report",
		Usage:     "make a report of a run from its log",
		ArgsUsage: "[RUN]",
		Description: `RUN is a run's name as 'kinit history' shows it or the beginning of it, a spec
(its last run), or the path of a log; the last run when it is left out. HTML goes
to a file named after the run; the other formats to standard output.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Category: headOutput, Value: formatHTML,
				Usage: "write it as `FORMAT`: html, junit, text (as the terminal showed it), json"},
			outFlag("write to `FILE`; - is standard output"),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: headOutput, Usage: "as text, show steps with diffs and retries"},
			noColorFlag(),
		},
		Action: w.makeReport,
	})
}

func outFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Category: headOutput, Usage: usage}
}

func (w *world) makeReport(c *cli.Context) error {
	if err := choice(c, "format", formatHTML, formatJUnit, outputText, outputJSON); err != nil {
		return err
	}
	log, _, err := w.findRun(c)
	if err != nil {
		return err
	}
	format, file := c.String("format"), c.String("out")
	if file == "" && format == formatHTML {
		file = log.ID + ".html"
	}
	if file == "" {
		file = standardOutput
	}
	if err := w.writeFile(file, func(to io.Writer) error { return w.reportFormat(c, to, log) }); err != nil {
		return err
	}
	if file == standardOutput {
		return nil
	}
	return w.lines(file)
}

// reportFormat writes a run in the requested format.
func (w *world) reportFormat(c *cli.Context, to io.Writer, log *runlog.Run) error {
	switch c.String("format") {
	case formatHTML:
		return report.Write(to, replay.Of(log))
	case formatJUnit:
		return junit.Write(to, replay.Of(log))
	}
	screen := view.Screen{Writer: to}
	if toFile := c.String("out") != "" && c.String("out") != standardOutput; !toFile {
		w.colours(c)
		screen = w.out
	}
	if c.String("format") == outputJSON {
		replay.Show(log, view.NewJSON(log.Header.Spec, screen, screen))
		return nil
	}
	replay.Show(log, replay.Text(log, screen, screen, c.Bool("verbose")))
	return nil
}

// findRun reads the run that the only argument names, or the last run without it.
func (w *world) findRun(c *cli.Context) (*runlog.Run, string, error) {
	if c.NArg() > 1 {
		return nil, "", usageErrorf(c.Command.HelpName, "it takes one RUN, %d were given", c.NArg())
	}
	text := c.Args().First()
	if text != "" && filepath.Base(text) != text && !filepath.IsAbs(text) {
		text = filepath.Join(w.cwd, text)
	}
	path, err := runlog.Find(w.runsFolder(), text)
	if err != nil {
		return nil, "", err
	}
	log, err := runlog.Read(path)
	return log, path, err
}
