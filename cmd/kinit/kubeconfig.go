package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
)

// kubeconfigOutput is the name by which playbooks give a kubeconfig.
const kubeconfigOutput = "kubeconfig"

func (w *world) kubeconfigCommand() *cli.Command {
	return manual{
		path: "kubeconfig",
		examples: []string{
			"kinit kubeconfig k8s-libvirt-1-1-1 > kc",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "kubeconfig",
		Usage:     "print the kubeconfig of a cluster",
		ArgsUsage: "SPEC",
		Description: `It holds the key of an administrator: keep it as a secret. It is read from the
hypervisors and nothing is changed.`,
		Flags: flags(inputFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			var text string
			read := func(ctx context.Context, o engine.Options) (report *engine.Report) {
				o.Events = nil
				text, report = engine.Value(ctx, o, kubeconfigOutput)
				return report
			}
			if err := w.onSpec(c, job{do: read, mode: view.Read}); err != nil {
				return err
			}
			_, err := w.out.Write([]byte(text))
			return err
		},
	})
}
