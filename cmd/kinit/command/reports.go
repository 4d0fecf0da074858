package command

import (
	"errors"
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
	for _, r := range []struct {
		flag  string
		write func(io.Writer, *replay.Run) error
	}{{"junit", junit.Write}, {"report", report.Write}} {
		file := c.String(r.flag)
		if file == "" {
			continue
		}
		var read *runlog.Run
		err := errors.New("it is made of the log of the run, and there is none")
		if log != nil {
			read, err = runlog.Read(log.Path())
		}
		if err == nil {
			err = a.WriteFile(file, func(to io.Writer) error { return r.write(to, replay.Of(read)) })
		}
		if err != nil {
			screen.Notice(fmt.Sprintf("there is no %s: %v", file, err))
		}
	}
}
