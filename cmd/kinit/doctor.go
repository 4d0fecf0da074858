package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// doctorSpec is the spec inside kinit that examines hosts, and findingsOutput the name of
// its output.
const (
	doctorSpec     = "doctor"
	findingsOutput = "findings"
)

func (w *world) doctorCommand() *cli.Command {
	return manual{
		path: "doctor",
		examples: []string{
			"kinit doctor nyctea tyto",
			"kinit doctor localhost --var virt_type=qemu --output json",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "doctor",
		Usage:     "tell whether hosts are fit to be hypervisors, and what to do",
		ArgsUsage: "HOST...",
		Description: `Looked at are the processor, KVM (by making a virtual machine), memory, disks, packages,
kernel modules, libvirt, the MTU and the time. Nothing is changed. What a run of a cluster
will bring about by itself is a note and no failure. The probes are the playbook "doctor",
which 'kinit run doctor --hosts HOST' does too; its variables are those of clusters.`,
		Flags: slices.Concat(doctorFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usageErrorf(c.Command.HelpName, "it takes hosts, as in 'kinit doctor nyctea tyto'")
			}
			return w.examine(c, c.Args().Slice())
		},
	})
}

// doctorFlags returns the input flags without the one that the arguments replace.
func doctorFlags() []cli.Flag { return inputFlags()[1:] }

// examine examines hosts one after another, so that one that does not answer does not
// affect the findings of the others. An unreachable host sets the exit code, as everywhere.
func (w *world) examine(c *cli.Context, hosts []string) error {
	worst := exitOK
	for _, host := range hosts {
		err := w.examineHost(c, host)
		var code codeError
		switch {
		case errors.As(err, &code):
			worst = max(worst, int(code))
		case err != nil:
			return err
		}
		if worst == exitInterrupted {
			break
		}
	}
	return ending(worst)
}

func (w *world) examineHost(c *cli.Context, host string) error {
	findings, err := w.findings(c, host)
	if err != nil {
		return err
	}
	for _, one := range byHost(findings) {
		if err := w.tell(c, one); err != nil {
			return err
		}
	}
	for _, f := range findings {
		if f.Level == view.LevelFail {
			return codeError(exitFailed)
		}
	}
	return nil
}

// findings reads the playbook's output for a host.
func (w *world) findings(c *cli.Context, host string) ([]view.Finding, error) {
	o, err := w.inputs(c, doctorSpec)
	if err != nil {
		return nil, err
	}
	o.Hosts = []string{host}
	ctx, u, err := w.begin(c, o, shows{mode: view.Read})
	if err != nil {
		return nil, err
	}
	text, report := engine.Value(ctx, u.options, findingsOutput)
	if err := u.end(report); err != nil {
		return nil, err
	}
	var findings []view.Finding
	if err := json.Unmarshal([]byte(text), &findings); err != nil {
		return nil, fmt.Errorf("read the output %q of the spec %q: %w", findingsOutput, doctorSpec, err)
	}
	return findings, nil
}

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

// tell shows the findings of a host in the requested format.
func (w *world) tell(c *cli.Context, findings []view.Finding) error {
	switch c.String("output") {
	case outputJSON:
		for _, f := range findings {
			line, err := json.Marshal(struct {
				Kind string `json:"kind"`
				view.Finding
			}{"finding", f})
			if err != nil {
				return err
			}
			if err := w.lines(string(line)); err != nil {
				return err
			}
		}
		return nil
	case outputQuiet:
		var failed []view.Finding
		for _, f := range findings {
			if f.Level == view.LevelFail {
				failed = append(failed, f)
			}
		}
		if findings = failed; len(failed) == 0 {
			return nil
		}
	}
	return w.out.Findings(findings)
}
