package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// doctorSpec is the spec inside kinit that examines hosts, and findingsOutput the name of
// its output.
const (
	doctorSpec     = "doctor"
	findingsOutput = "findings"
)

func doctorCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "check whether hosts can be hypervisors, and say what to repair",
		ArgsUsage: "HOST...",
		Description: `It checks the processor, KVM (by making a virtual machine), memory, disks, packages, kernel
modules, libvirt, the MTU, the time, firewalls and SELinux, and changes nothing. What a run of
a cluster brings about by itself is a note, not a failure. The checks are the playbook "doctor",
which 'kinit run doctor --hosts HOST' runs too. Of the variables of clusters it has those of
hypervisors (docs/variables.md), and least_memory_gib.`,
		UsageText: command.Examples(
			"kinit doctor nyctea tyto",
			"kinit doctor localhost --var virt_type=qemu --output json",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags()[1:], command.PasswordFlags(), command.OutputFlagsOf("a finding per line")), // the arguments take the place of --hosts
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return exit.Usagef(c.Command.HelpName, "it takes hosts, as in 'kinit doctor nyctea tyto'")
			}
			return examineHosts(a, c, c.Args().Slice())
		},
	}
}

// examineHosts examines hosts one after another, so that one that does not answer does not
// affect the findings of the others. An unreachable host sets the exit code, as everywhere.
func examineHosts(a *app.App, c *cli.Context, hosts []string) error {
	worst := exit.OK
	for _, host := range hosts {
		err := examineHost(a, c, host)
		var code exit.Code
		switch {
		case errors.As(err, &code):
			worst = max(worst, int(code))
		case err != nil:
			return err
		}
		if worst == exit.Interrupted {
			break
		}
	}
	return exit.Error(worst)
}

func examineHost(a *app.App, c *cli.Context, host string) error {
	o, err := command.OptionsWithInventories(a, c, doctorSpec)
	if err != nil {
		return err
	}
	o.Hosts = []string{host}
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	text, report := engine.Value(ctx, s.Options, findingsOutput)
	if err := s.End(report); err != nil {
		return err
	}
	var findings []view.Finding
	if err := json.Unmarshal([]byte(text), &findings); err != nil {
		return fmt.Errorf("read the output %q of the spec %q: %w", findingsOutput, doctorSpec, err)
	}
	for _, one := range byHost(findings) {
		if err := showFindings(a, c, one); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(findings, fails) {
		return exit.Code(exit.Failed)
	}
	return nil
}

func fails(f view.Finding) bool { return f.Level == view.LevelFail }

// byHost groups the findings by host: an argument may be a group.
func byHost(findings []view.Finding) [][]view.Finding {
	var all [][]view.Finding
	for i, f := range findings {
		if i == 0 || f.Host != findings[i-1].Host {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], f)
	}
	return all
}

func showFindings(a *app.App, c *cli.Context, findings []view.Finding) error {
	switch c.String("output") {
	case command.OutputJSON:
		for _, f := range findings {
			if err := a.JSONLine(struct {
				Kind string `json:"kind"`
				view.Finding
			}{"finding", f}); err != nil {
				return err
			}
		}
		return nil
	case command.OutputQuiet:
		findings = slices.DeleteFunc(findings, func(f view.Finding) bool { return !fails(f) })
		if len(findings) == 0 {
			return nil
		}
	}
	return a.Out.Findings(findings)
}
