package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/ci/site"
)

func (w *world) ciSite() *cli.Command {
	return manual{
		path: "ci site",
		examples: []string{
			"kinit ci site results/ public/",
			"kinit ci site results/ public/ --title 'Nightly' --base-url https://ci.example.org/",
		},
		codes: []int{exitOK, exitFailed, exitUsage},
	}.write(&cli.Command{
		Name:      "site",
		Usage:     "render results as a static site",
		ArgsUsage: "RESULTS OUT",
		Description: `The site needs no server and works from a folder. Only what has changed is written. What may
have a secret in it is withheld and named, and the exit code is 1: files in which the job's
run found one of its secrets, files that have changed since, and whatever looks like a key.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "title", Category: headOutput, Usage: "call the site `TEXT`"},
			&cli.StringFlag{Name: "base-url", Category: headOutput, Usage: "make links in feeds begin with `URL`, where the site will be"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usageErrorf(c.Command.HelpName, "it takes RESULTS and OUT, %d arguments were given", c.NArg())
			}
			report, err := site.Write(site.Options{
				Results: w.abs(c.Args().Get(0)), Out: w.abs(c.Args().Get(1)), Title: c.String("title"), BaseURL: c.String("base-url"),
				Program: w.version, Now: w.now(),
			})
			if err != nil {
				return err
			}
			for _, what := range report.Withheld {
				if _, err := io.WriteString(w.err, "not published: "+what+"\n"); err != nil {
					return err
				}
			}
			if err := w.lines(fmt.Sprintf("%s, %s, %s.", count(report.Jobs, "job"), count(report.Runs, "run"), count(report.Pages, "page"))); err != nil {
				return err
			}
			if len(report.Withheld) > 0 {
				return codeError(exitFailed)
			}
			return nil
		},
	})
}
