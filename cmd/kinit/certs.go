package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/health"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// renewalTask is the name of the task of a playbook that renews the certificates of Kubernetes.
const renewalTask = "renewal"

func certsCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "certs",
		Category:  command.LifeOfClusters,
		Usage:     "show the certificates of a cluster and when they end, or renew them",
		ArgsUsage: "SPEC",
		Description: `The certificates are read again from the hypervisors and nodes, those that end first at the top;
no key leaves its host. Each 'kinit run' renews kinit's own in the last third of their life, and
those of Kubernetes in their last 30 days. Kubelets renew the certificates by which they log in.
Authorities are not renewed.

With --renew the certificates of Kubernetes are renewed now, whenever they end: on one controller
after the other, whose programs start again one by one. With several controllers another API
server answers meanwhile. The exit code is 1 if a certificate has ended.`,
		UsageText: command.Examples(
			"kinit certs k8s-podman-3-2-2 --hosts nyctea,tyto",
			"kinit certs k8s-podman-3-2-2 --hosts nyctea,tyto --renew",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.LostFlag(), command.AdoptFlag(), withinFlag(),
			command.HeadSelect.Switch("renew", "renew the certificates of Kubernetes now"),
		}, command.OutputFlagsOf("one object or events"), command.ReportFlags()),
		Action: func(c *cli.Context) error {
			switch {
			case c.Bool("renew") && c.IsSet("within"):
				return exit.Usagef(c.Command.HelpName, "--within goes without --renew")
			case c.Bool("renew"):
				return renew(a, c)
			case c.IsSet("junit") || c.IsSet("report") || c.IsSet("adopt"):
				return exit.Usagef(c.Command.HelpName, "--junit, --report and --adopt go with --renew")
			}
			return showCertificates(a, c)
		},
	}
}

// renew does the task of the playbook that renews certificates, and nothing else.
func renew(a *app.App, c *cli.Context) error {
	o, err := command.SpecOptions(a, c)
	if err != nil {
		return err
	}
	o.Only, o.Renew = []string{renewalTask}, true
	return command.Use(a, c, o, command.RunMode(c), a.Engine.Run)
}

func showCertificates(a *app.App, c *cli.Context) error {
	ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	s.Options.Within, s.Options.Forks = c.Duration("within"), statusForks
	observed, report := engine.Observe(ctx, s.Options, health.CertificateOutputs()...)
	redactOutputs(observed, s.Redact)
	list, problem := health.Certificates(observed, a.Now())
	report, code := s.CloseRecording(report)
	if code == exit.OK && slices.ContainsFunc(list, func(c health.Certificate) bool { return c.Ended && c.Matters() }) {
		code = exit.Failed
	}
	if c.String("output") == command.OutputJSON && report.Tasks > 0 && !report.Interrupted {
		return cmp.Or(problem, a.JSONLine(health.CertificateList{Kind: "certificates", Spec: s.Options.Spec, Cluster: report.Cluster, ExitCode: code, Certificates: list}), exit.Error(code))
	}
	s.Screen.Close(report, code)
	if len(list) == 0 || c.String("output") == command.OutputQuiet {
		return cmp.Or(problem, exit.Error(code))
	}
	return cmp.Or(problem, a.Lines(health.CertificateLines(list)...), exit.Error(code))
}
