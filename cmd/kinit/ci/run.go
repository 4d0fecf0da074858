package ci

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/runner"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

func runCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run jobs once: deploy, again, verify, clean up",
		ArgsUsage: "FILE",
		Description: `Jobs that share a host run one after another, all others at the same time. Results are
written as they happen: if kinit is killed, the next run removes what was left behind before
it deploys anything. Ctrl-C ends the jobs, and what they deployed is removed.

A job works only on deployments that it made itself: it refuses one that was there before its first
run, or that somebody has made since. A refusal counts as a failure (exit code 1).

A failure of the infrastructure, such as a hypervisor that cannot be reached, is not a failure
of the product. Only after a failure of the infrastructure is a job repeated, as often as its
argument retries says. docs/ci.md describes the file, the results and the site.`,
		UsageText: command.Examples(
			"kinit ci run ci.hcl",
			"kinit ci run ci.hcl --job k8s-libvirt-1-1-1 --site public/",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Outside, exit.Interrupted),
		Flags: runFlags(),
		Action: func(c *cli.Context) error {
			file, list, err := readJobs(a, c)
			if err != nil {
				return err
			}
			with, err := given(a, c)
			if err != nil {
				return err
			}
			ctx, s := begin(a, c, file, with)
			done := s.runner.All(ctx, list, file.Jobs)
			interrupted := ctx.Err() != nil
			s.end()
			return exit.Error(exitCode(a, done, interrupted))
		},
	}
}

func runFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{jobFlag(), adoptFlag()}, command.PasswordFlags(), command.VaultFlags(), folderFlags(), []cli.Flag{
		command.OutputFlag("text, json (a phase per line)"), command.NoColorFlag(),
	})
}

func adoptFlag() cli.Flag {
	return command.HeadSelect.Switch("adopt", "take over a deployment that no run of the job made, and remove it in the end")
}

// exitCode returns the exit code of jobs: a failed product or a refusal takes precedence over failed
// infrastructure.
func exitCode(a *app.App, done []runner.Done, interrupted bool) int {
	code := exit.OK
	for _, d := range done {
		switch {
		case interrupted:
			code = exit.Interrupted
		case d.Err != nil && d.Result == nil:
			_, _ = io.WriteString(a.Err, "Error: "+d.Job.Name+": "+d.Err.Error()+"\n")
			code = exit.Failed
		case d.Err != nil || d.Result.Verdict() == result.Failed, d.Result.Verdict() == result.Refused:
			code = exit.Failed
		case d.Result.Verdict() != result.Passed && code == exit.OK:
			code = exit.Outside
		}
	}
	return code
}
