package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

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

// reportFlags request files that are made from the run's log after the run.
func reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "junit", Category: headOutput, Usage: "write JUnit XML for CI to `FILE`"},
		&cli.StringFlag{Name: "report", Category: headOutput, Usage: "write a self-contained HTML report to `FILE`"},
	}
}

// writeReports writes the files that the flags of a run request. The run is over, so a
// failure to write one does not change its exit code.
func (w *world) writeReports(c *cli.Context, log *runlog.Log, screen view.View) {
	for _, format := range []string{formatJUnit, "report"} {
		file := c.String(format)
		if file == "" {
			continue
		}
		if err := w.writeReport(log, format, file); err != nil {
			screen.Notice(fmt.Sprintf("there is no %s: %v", file, err))
		}
	}
}

func (w *world) writeReport(log *runlog.Log, format, file string) error {
	if log == nil {
		return fmt.Errorf("it is made of the log of the run, and there is none")
	}
	read, err := runlog.Read(log.Path())
	if err != nil {
		return err
	}
	run := replay.Of(read)
	return w.writeFile(file, func(to io.Writer) error {
		if format == formatJUnit {
			return junit.Write(to, run)
		}
		return report.Write(to, run)
	})
}
