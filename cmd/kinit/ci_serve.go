package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/ci/cycle"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/engine/filelock"
)

// renderEvery is how often the site is rendered even if no job ran, to update the ages
// on it and on badges.
const renderEvery = time.Hour

func (w *world) ciServe() *cli.Command {
	return manual{
		path:     "ci serve",
		examples: []string{"kinit ci serve ci.hcl", "kinit ci serve ci.hcl --job k8s-libvirt-1-1-1"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:      "serve",
		Usage:     "run jobs when they are due, until it is told to end",
		ArgsUsage: "FILE",
		Description: `What it needs to know between two starts is in the results: a time that passed while it was
not running is made up for, once. Jobs that share a host run one after another. SIGTERM and
Ctrl-C end it; jobs at work are ended and what they deployed is removed.`,
		Flags:  slices.Concat([]cli.Flag{jobFlag(), adoptFlag()}, ciFolderFlags(), []cli.Flag{ciOutputFlag(), noColorFlag()}),
		Action: w.serveJobs,
	})
}

func (w *world) serveJobs(c *cli.Context) error {
	if err := choice(c, "output", outputText, outputJSON); err != nil {
		return err
	}
	file, list, err := w.ciJobs(c)
	if err != nil {
		return err
	}
	release, err := onlyServer(c.Context, file)
	if err != nil {
		return err
	}
	defer release() // the process ends, and the lock with it
	w.withJobs(c, file, func(ctx context.Context, r *cycle.Runner) {
		r.RecoverAll(ctx, file.Jobs)
		var hourly sync.WaitGroup
		hourly.Go(func() { every(ctx, renderEvery, r.Tell.(*ciScreen).after) })
		r.Serve(ctx, list, w.sleep)
		hourly.Wait()
	})
	return nil
}

// every calls a function at an interval until ctx ends.
func every(ctx context.Context, interval time.Duration, f func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f()
		}
	}
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
