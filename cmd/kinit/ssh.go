package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

func sshCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "ssh",
		Category:  command.LifeOfClusters,
		Usage:     "log in to a host of a spec, or run a command there",
		ArgsUsage: "SPEC HOST [-- COMMAND...]",
		Description: `HOST is a hypervisor or a guest; guests are reached through their hypervisors. The host
"services" of a cluster with Kubernetes is a place to work in: a shell on the hypervisor of the
services, with kubectl and the cluster's kubeconfig. The exit code is the command's. On a
Windows host the shell is PowerShell, and the words of the command, joined by spaces, are
PowerShell code. A host that is reached by WinRM has no terminal: only commands can be run there.`,
		UsageText: command.Examples(
			"kinit ssh k8s-libvirt-1-1-1 k8s-libvirt-controller-01",
			"kinit ssh k8s-libvirt-1-1-1 k8s-libvirt-controller-01 -- journalctl -u kubelet -n 20",
			"kinit ssh k8s-libvirt-1-1-1 k8s-libvirt-compute-01 -- Get-Service kubelet",
			"kinit ssh k8s-libvirt-1-1-1 services -- kubectl get nodes",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{command.LostFlag()}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 2 {
				return exit.Usagef(c.Command.HelpName, "it takes a SPEC and a HOST")
			}
			return logIn(a, c, args[0], args[1], args[2:])
		},
	}
}

// logIn connects the terminal to a host. The remote exit code becomes the program's.
func logIn(a *app.App, c *cli.Context, spec, host string, argv []string) error {
	o, err := command.OptionsWithInventories(a, c, spec)
	if err != nil {
		return err
	}
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	code := 0
	report := engine.Connect(ctx, s.Options, host, func(conn transport.Conn, system module.OS, words []string) (err error) {
		code, err = interact(ctx, conn, system, words, argv)
		return err
	})
	return cmp.Or(s.End(report), exit.Error(code))
}

// interact runs a command, or a shell with a terminal: the login shell, or the words that take
// its place.
func interact(ctx context.Context, conn transport.Conn, system module.OS, words, argv []string) (int, error) {
	line := commandLine(system, slices.Concat(words, argv))
	if len(argv) == 0 {
		return attach(ctx, conn, line, false)
	}
	remote, err := interactive(conn)
	if err == nil {
		return remote.Interact(ctx, line, transport.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	}
	// This machine itself and WinRM have no terminals, and a command needs none.
	return conn.Exec(ctx, transport.Process{Line: line, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

// commandLine returns the line for the host's shell. For PowerShell nothing is quoted: a
// quoted word is never the name of a parameter, so users quote in their own command.
func commandLine(system module.OS, argv []string) string {
	if system == module.Windows {
		return strings.Join(argv, " ")
	}
	return shell.POSIX(argv...)
}
