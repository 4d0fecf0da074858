package main

import (
	"context"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/ci/cycle"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
)

func (w *world) ciRun() *cli.Command {
	return manual{
		path: "ci run",
		examples: []string{
			"kinit ci run ci.hcl",
			"kinit ci run ci.hcl --job k8s-libvirt-1-1-1 --site public/",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitOutside, exitInterrupted},
	}.write(&cli.Command{
		Name:      "run",
		Usage:     "run jobs once: deploy, again, verify, clean up",
		ArgsUsage: "FILE",
		Description: `Jobs that share a host run one after another, all others at the same time. What they come
to is kept as it happens: when this is killed, the next run removes what was left behind
before it deploys anything. Ctrl-C ends the jobs, and what they deployed is removed.

A failure of the infrastructure, such as a hypervisor that cannot be reached, is told apart
from one of the product; only after the first is a job begun anew, as often as its retries
say. docs/ci.md describes the file, the results and the site.`,
		Flags:  slices.Concat([]cli.Flag{jobFlag(), adoptFlag()}, ciFolderFlags(), []cli.Flag{ciOutputFlag(), noColorFlag()}),
		Action: w.runJobs,
	})
}

func ciOutputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Category: headOutput, Value: outputText, Usage: "show it as `FORMAT`: text, json (a phase a line)"}
}

func (w *world) runJobs(c *cli.Context) error {
	if err := choice(c, "output", outputText, outputJSON); err != nil {
		return err
	}
	file, list, err := w.ciJobs(c)
	if err != nil {
		return err
	}
	var done []cycle.Done
	interrupted := w.withJobs(c, file, func(ctx context.Context, r *cycle.Runner) {
		done = r.All(ctx, list, file.Jobs)
	})
	return w.jobsCode(done, interrupted)
}

// stoppingJobs is the notice at the first signal.
const stoppingJobs = "stopping: jobs are being ended and what they deployed is removed; press again to leave at once"

// withJobs calls f with a runner of jobs and renders the site after each job. It reports
// whether a signal ended it.
func (w *world) withJobs(c *cli.Context, file *jobs.File, f func(ctx context.Context, r *cycle.Runner)) (interrupted bool) {
	var one sync.Mutex
	screen := newCIScreen(w, c.String("output") == outputJSON)
	render := func() {
		one.Lock()
		defer one.Unlock()
		report, err := w.renderSite(file)
		if err != nil {
			screen.say("the site is not what it should be: " + err.Error())
			return
		}
		for _, what := range report.Withheld {
			screen.say("not published: " + what)
		}
	}
	screen.after = render
	ctx, stop := w.interruptible(c.Context, stoppingJobs, screen.say)
	defer stop()
	screen.start()
	f(ctx, w.ciRunner(file, screen, c.Bool("adopt")))
	interrupted = ctx.Err() != nil
	screen.end()
	return interrupted
}

// jobsCode returns the exit code of jobs: a failed product takes precedence over failed
// infrastructure.
func (w *world) jobsCode(done []cycle.Done, interrupted bool) error {
	code := exitOK
	for _, d := range done {
		switch {
		case interrupted:
			code = exitInterrupted
		case d.Err != nil && d.Result == nil:
			w.sayError(d)
			code = exitFailed
		case d.Err != nil || d.Result.Verdict() == result.Failed:
			code = exitFailed
		case d.Result.Verdict() != result.Passed && code == exitOK:
			code = exitOutside
		}
	}
	return ending(code)
}
