package main

import (
	"cmp"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
)

// The values of --format, beside text and json.
const (
	formatHTML  = "html"
	formatJUnit = "junit"
)

func reportCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make a report of a run from its log",
		ArgsUsage: "[RUN]",
		Description: `RUN is the name of a run as 'kinit history' shows it, or the beginning of the name; a spec,
which stands for its last run; or the path of a log. The default is the last run. HTML is
written to a file with the name of the run, the other formats to standard output.`,
		UsageText: command.Examples(
			"kinit report",
			"kinit report site.hcl --out site.html",
			"kinit report 20250301T120000Z-site --format text",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{
			command.HeadOutput.Choice("format", "write it as `FORMAT`: html, junit, text (as the terminal showed it), json",
				formatHTML, formatJUnit, command.OutputText, command.OutputJSON),
			outFlag("write to `FILE`; - is standard output"),
			command.HeadOutput.Switch("verbose", "as text, show steps with diffs and retries", "v"),
			command.NoColorFlag(),
		},
		Action: func(c *cli.Context) error { return makeReport(a, c) },
	}
}

func outFlag(usage string) cli.Flag {
	return command.HeadOutput.Text("out", usage, "o")
}

func makeReport(a *app.App, c *cli.Context) error {
	log, _, err := findRun(a, c)
	if err != nil {
		return err
	}
	file, format := app.StandardOutput, app.Format{}
	switch c.String("format") {
	case formatHTML:
		file, format = log.ID+".html", command.HTMLFormat()
	case formatJUnit:
		format = command.JUnitFormat()
	}
	return writeOut(a, cmp.Or(c.String("out"), file), format, func(to io.Writer) error { return reportFormat(a, c, to, log) })
}

// writeOut writes a file and prints its name, or writes to standard output.
func writeOut(a *app.App, file string, format app.Format, write func(io.Writer) error) error {
	err := a.WriteFile(file, format, write)
	if err != nil || file == app.StandardOutput {
		return err
	}
	return a.Lines(file)
}

func reportFormat(a *app.App, c *cli.Context, to io.Writer, log *runlog.Run) error {
	switch c.String("format") {
	case formatHTML:
		return report.Write(to, replay.Of(log))
	case formatJUnit:
		return junit.Write(to, replay.Of(log))
	}
	screen := view.Screen{Writer: to}
	if toFile := c.String("out") != "" && c.String("out") != app.StandardOutput; !toFile {
		command.Colours(a, c)
		screen = a.Out
	}
	if c.String("format") == command.OutputJSON {
		replay.Show(log, view.NewJSON(log.Header.Spec, screen, screen))
		return nil
	}
	replay.Show(log, replay.Text(log, screen, screen, c.Bool("verbose")))
	return nil
}

// findRun reads the run that the only argument names, or the last run without it.
func findRun(a *app.App, c *cli.Context) (*runlog.Run, string, error) {
	if c.NArg() > 1 {
		return nil, "", exit.Usagef(c.Command.HelpName, "it takes one RUN, %d were given", c.NArg())
	}
	text := c.Args().First()
	if text != "" && filepath.Base(text) != text {
		text = a.Abs(text)
	}
	path, err := runlog.Find(a.RunsFolder(), text)
	if err != nil {
		return nil, "", err
	}
	log, err := runlog.Read(path)
	return log, path, err
}
