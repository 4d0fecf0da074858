// Package ci has the commands of 'kinit ci', which run jobs periodically and show their results.
package ci

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/diag"
)

func Command(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "ci",
		Usage:     "test specs periodically, and publish the results as a site",
		ArgsUsage: "COMMAND",
		Description: `A file of jobs names specs, hosts and times. A job deploys its spec, runs it again, which must
change nothing, verifies it, and in any case removes all of it. A file of jobs:

  job "web" {
    spec     = "web.hcl"
    hosts    = ["web1"]
    schedule = "0 3 * * *"
  }

docs/ci.md lists all arguments.`,
		UsageText:   command.Examples("kinit ci run ci.hcl", "kinit ci site results/ public/"),
		Subcommands: []*cli.Command{runCommand(a), serveCommand(a), siteCommand(a), exportCommand(a)},
		Action:      cli.ShowSubcommandHelp,
	}
}

// readFile reads the file of jobs that is the only argument, and shows its mistakes.
func readFile(a *app.App, c *cli.Context) (*jobs.File, error) {
	if c.NArg() != 1 {
		return nil, exit.Usagef(c.Command.HelpName, "it takes one FILE of jobs, %d were given", c.NArg())
	}
	command.Colours(a, c)
	path := a.Abs(c.Args().First())
	if err := a.Trust().Named(path); err != nil {
		return nil, fmt.Errorf("the file of jobs is %w", err)
	}
	file, sources, diags := jobs.Load(path, c.Args().First())
	if len(diags) > 0 {
		_, _ = io.WriteString(a.Err, "\n")
		a.Err.Problems(diags, sources)
	}
	if diags.HasErrors() {
		return nil, exit.Code(exit.Invalid)
	}
	if file.Results == "" {
		file.Results = filepath.Join(a.StateFolder(), "ci")
	}
	return file, nil
}

// readJobs reads the file of jobs, applies the flags to it, and returns the jobs that --job
// names.
func readJobs(a *app.App, c *cli.Context) (*jobs.File, []jobs.Job, error) {
	file, err := readFile(a, c)
	if err != nil {
		return nil, nil, err
	}
	for flag, folder := range map[string]*string{"results": &file.Results, "site": &file.Site} {
		if given := c.String(flag); given != "" {
			*folder = a.Abs(given)
		}
	}
	list, err := chosen(c, file)
	return file, list, err
}

// chosen returns the jobs that --job names, or all without it.
func chosen(c *cli.Context, file *jobs.File) ([]jobs.Job, error) {
	names := command.List(c, "job")
	if len(names) == 0 {
		return file.Jobs, nil
	}
	var out []jobs.Job
	for _, name := range names {
		j := file.Find(name)
		if j == nil {
			return nil, exit.Usagef(c.Command.HelpName, "%s has no job %q.%s", file.Path, name, diag.Near(name, file.Names()))
		}
		out = append(out, *j)
	}
	return slices.CompactFunc(out, func(a, b jobs.Job) bool { return a.Name == b.Name }), nil
}

func jobFlag() cli.Flag {
	return command.HeadSelect.List("job", "take only `JOBS`: names, separated by commas; default: all")
}

func folderFlags() []cli.Flag {
	return []cli.Flag{
		command.HeadOutput.Text("results", "keep results in `FOLDER`; default: as the file says, else kinit's own folder"),
		command.HeadOutput.Text("site", "write the site to `FOLDER` after each job; default: as the file says"),
	}
}
