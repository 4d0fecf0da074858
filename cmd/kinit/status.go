package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/health"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

// statusForks is how many tasks a status looks at at the same time: they only read.
const statusForks = 32

func statusCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "status",
		Category:  command.LifeOfClusters,
		Usage:     "show what is not as a spec declares, and how its cluster is",
		ArgsUsage: "SPEC",
		Description: `Everything is read again and nothing is changed; no lock is taken, and none is waited for. The
hosts are shown, and of a cluster its nodes, members of etcd, services and certificates; then
what is not as declared, with the command that repairs it. A host that does not answer within
--within is named, and nothing waits for it again.

A periodic job can act on the exit code: 0 is as declared, with 4 'kinit run' has something to
do, with 1 something is broken, with 5 a host does not answer; the exit code reflects the
most severe finding: 5, then 1, then 4. A certificate that is not renewed
and ends within 30 days is broken. With --output json there is one object, which
docs/operating.md describes.`,
		UsageText: command.Examples("kinit status k8s-libvirt-1-1-1 --hosts nyctea,tyto") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Pending, exit.Unreachable, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{command.LostFlag(), withinFlag()}, command.OutputFlagsOf("one object")),
		Action: func(c *cli.Context) error {
			ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read, PendingFails: true})
			if err != nil {
				return err
			}
			s.Options.Within, s.Options.Forks = c.Duration("within"), statusForks
			state, report := engine.State(ctx, s.Options, health.Outputs()...)
			redact(&state, s.Redact)
			status, problem := health.Of(state, s.Options.Spec, repairs(c, s.Options.Spec, report), a.Now())
			report, code := s.CloseRecording(report)
			code = statusCode(code, status)
			status.ExitCode = code
			if c.String("output") == command.OutputJSON && report.Tasks > 0 && !report.Interrupted {
				return cmp.Or(problem, a.JSONLine(status), exit.Error(code))
			}
			report.Diagnostics = withoutHosts(report.Diagnostics, state)
			s.Screen.Close(report, code)
			if c.String("output") == command.OutputQuiet {
				status = health.Status{Differences: status.Differences}
			}
			return cmp.Or(problem, a.Lines(status.Lines()...), exit.Error(code))
		},
	}
}

// statusCode returns the exit code of the gravest finding: something that is broken counts before
// changes that are pending.
func statusCode(code int, s health.Status) int {
	if code == exit.OK && !s.AsDeclared || code == exit.Pending && s.Broken() {
		return exit.Failed
	}
	return code
}

// withoutHosts returns the problems without those of hosts that do not answer, which the status names.
func withoutHosts(list diag.List, s engine.Status) diag.List {
	silent := map[string]bool{}
	for _, h := range s.Hosts {
		silent[h.Host] = !h.Answers
	}
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool { return silent[d.Host] && errors.Is(d.Cause, transport.ErrUnreachable) })
}

// withinFlag limits the time that a silent host costs.
func withinFlag() cli.Flag {
	return &cli.DurationFlag{Name: "within", Category: string(command.HeadSelect), Value: 4 * time.Second,
		Usage: "take a host for silent if it does not answer within `TIME`; default: 4s"}
}

func redact(s *engine.Status, mask func(string) string) {
	redactOutputs(s.Observed, mask)
	for i := range s.Hosts {
		s.Hosts[i].Message = mask(s.Hosts[i].Message)
	}
	for i, d := range s.Differences {
		s.Differences[i].Message = mask(d.Message)
		for j, step := range d.Steps {
			d.Steps[j] = mask(step)
		}
	}
}

// redactOutputs masks secrets in the values of outputs.
func redactOutputs(observed map[string]string, mask func(string) string) {
	for name, value := range observed {
		observed[name] = mask(value)
	}
}

// repairs returns the command lines that repair a spec, with the same hosts and files. Values of
// variables may be secret, so they are only named. A run is given the flag that names what it removes. Where a run would be
// refused, none is proposed: the report says why, and what to do.
func repairs(c *cli.Context, spec string, report *engine.Report) health.Repairs {
	input := []string{shell.POSIX(spec)}
	for _, name := range []string{"hosts", "inventory", "var-file", "set"} {
		for _, value := range c.StringSlice(name) {
			input = append(input, "--"+name, shell.POSIX(value))
		}
	}
	for _, pair := range c.StringSlice("var") {
		name, _, _ := strings.Cut(pair, "=")
		input = append(input, "--var", shell.POSIX(name)+"=...")
	}
	line := func(verb string, words ...string) string {
		return strings.Join(slices.Concat([]string{"kinit", verb}, input, words), " ")
	}
	unnamed := event.RemovedNames(event.Unnamed(report.Removals))
	run := func(words ...string) string {
		if report.Refused() {
			return ""
		}
		if len(unnamed) > 0 {
			words = append(words, "--remove", shell.POSIX(strings.Join(unnamed, ",")))
		}
		return line("run", words...)
	}
	return health.Repairs{
		Run: run(), Renew: line("certs", "--renew"),
		Lost: func(host string) string { return run("--lost", shell.POSIX(host)) },
		Log: func(node string) string {
			return line("ssh", shell.POSIX(node), "--", "journalctl", "--unit", "kubelet", "--lines", "50")
		},
	}
}
