package ci

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/site"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
)

func siteCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "site",
		Usage:     "write results as a static site",
		ArgsUsage: "RESULTS OUT",
		Description: `The site needs no server: its folder is enough. Only what has changed is written. What may
contain a secret is not published but named, and the exit code is 1: files in which the run
of the job found one of its secrets, files that have changed since, and what looks like a key.`,
		UsageText: command.Examples(
			"kinit ci site results/ public/",
			"kinit ci site results/ public/ --title 'Nightly' --base-url https://ci.example.org/",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{
			command.HeadOutput.Text("title", "call the site `TEXT`"),
			command.HeadOutput.Text("base-url", "make links in feeds begin with `URL`, where the site will be"),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return exit.Usagef(c.Command.HelpName, "it takes RESULTS and OUT, %d arguments were given", c.NArg())
			}
			report, err := site.Write(site.Options{
				Results: a.Abs(c.Args().Get(0)), Out: a.Abs(c.Args().Get(1)), Title: c.String("title"), BaseURL: c.String("base-url"),
				Program: a.Version, Now: a.Now(),
			})
			if err != nil {
				return err
			}
			for _, what := range report.Withheld {
				if _, err := io.WriteString(a.Err, "not published: "+what+"\n"); err != nil {
					return err
				}
			}
			if err := a.Lines(fmt.Sprintf("%s, %s, %s.", view.Count(report.Jobs, "job"), view.Count(report.Runs, "run"), view.Count(report.Pages, "page"))); err != nil {
				return err
			}
			if len(report.Withheld) > 0 {
				return exit.Code(exit.Failed)
			}
			return nil
		},
	}
}
