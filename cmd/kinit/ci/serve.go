package ci

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine/filelock"
)

// renderInterval is how often the site is rendered even if no job ran, to update the ages
// on it and on badges.
const renderInterval = time.Hour

func serveCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "run jobs when they are due, until it is interrupted",
		ArgsUsage: "FILE",
		Description: `A job that was due while this command was not running is run once when it starts again; it
reads the last run of each job in the results. Jobs that share a host run one after another.
SIGTERM or Ctrl-C ends the jobs that run, and what they deployed is removed.`,
		UsageText: command.Examples("kinit ci serve ci.hcl", "kinit ci serve ci.hcl --job k8s-libvirt-1-1-1") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags:  runFlags(),
		Action: func(c *cli.Context) error { return serveJobs(a, c) },
	}
}

func serveJobs(a *app.App, c *cli.Context) error {
	file, list, err := readJobs(a, c)
	if err != nil {
		return err
	}
	release, err := onlyServer(c.Context, file)
	if err != nil {
		return err
	}
	defer release() // the process ends, and the lock with it
	with, err := given(a, c)
	if err != nil {
		return err
	}
	ctx, s := begin(a, c, file, with)
	s.runner.RecoverAll(ctx, file.Jobs)
	var hourly sync.WaitGroup
	hourly.Go(func() { view.Every(ctx.Done(), renderInterval, s.renderSite) })
	s.runner.Serve(ctx, list, a.Sleep)
	hourly.Wait()
	s.end()
	return nil
}

// onlyServer ensures that no other process serves the results of this file.
func onlyServer(ctx context.Context, file *jobs.File) (func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	release, err := filelock.Wait(ctx, filepath.Join(file.Results, ".serve.lock"), nil)
	if err != nil {
		return nil, fmt.Errorf("another program serves jobs into %s: %w", file.Results, err)
	}
	return release, nil
}
