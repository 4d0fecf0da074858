package command

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
)

// The values of --format, beside text and json.
const (
	FormatHTML  = "html"
	FormatJUnit = "junit"
)

// ReportFlags request files that are made from the run's log after the run.
func ReportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "junit", Category: HeadOutput, Usage: "write JUnit XML for CI to `FILE`"},
		&cli.StringFlag{Name: "report", Category: HeadOutput, Usage: "write a self-contained HTML report to `FILE`"},
	}
}

// writeReports writes the files that the flags of a run request. The run is over, so a
// failure to write one does not change its exit code.
func writeReports(a *app.App, c *cli.Context, log *runlog.Log, screen view.View) {
	for _, format := range []string{FormatJUnit, "report"} {
		file := c.String(format)
		if file == "" {
			continue
		}
		if err := writeReport(a, log, format, file); err != nil {
			screen.Notice(fmt.Sprintf("there is no %s: %v", file, err))
		}
	}
}

func writeReport(a *app.App, log *runlog.Log, format, file string) error {
	if log == nil {
		return fmt.Errorf("it is made of the log of the run, and there is none")
	}
	read, err := runlog.Read(log.Path())
	if err != nil {
		return err
	}
	run := replay.Of(read)
	return a.WriteFile(file, func(to io.Writer) error {
		if format == FormatJUnit {
			return junit.Write(to, run)
		}
		return report.Write(to, run)
	})
}
