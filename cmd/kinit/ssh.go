package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

func (w *world) sshCommand() *cli.Command {
	return manual{
		path: "ssh",
		examples: []string{
			"kinit ssh k8s-libvirt-1-1-1 k8s-controller-01",
			"kinit ssh k8s-libvirt-1-1-1 k8s-controller-01 -- journalctl -u kubelet -n 20",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "ssh",
		Usage:     "log in to a host of a spec, or run a command there",
		ArgsUsage: "SPEC HOST [-- COMMAND...]",
		Description: `HOST is a hypervisor or a guest; guests are reached through their hypervisors. The
exit code is the command's.`,
		Flags: flags(inputFlags(), outputFlags()),
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 2 {
				return usageErrorf(c.Command.HelpName, "ssh takes a spec and a host")
			}
			return w.logIn(c, args[0], args[1], args[2:])
		},
	})
}

// logIn connects to a host and lends it the terminal. The remote exit code
// becomes the program's.
func (w *world) logIn(c *cli.Context, spec, host string, argv []string) error {
	o, err := w.options(c, spec)
	if err != nil {
		return err
	}
	if o.Inventories, err = w.inventoryFiles(c.StringSlice("inventory")); err != nil {
		return err
	}
	code := 0
	connect := func(ctx context.Context, o engine.Options) *engine.Report {
		o.Events = nil
		return engine.Connect(ctx, o, host, func(conn transport.Conn) (err error) {
			code, err = interact(ctx, conn, argv)
			return err
		})
	}
	if err := w.perform(c, job{do: connect, mode: view.Read}, o); err != nil {
		return err
	}
	if code != 0 {
		return codeError(code)
	}
	return nil
}

// interact runs a command, or the login shell with a terminal.
func interact(ctx context.Context, conn transport.Conn, argv []string) (int, error) {
	person, ok := conn.(transport.Interactive)
	if !ok {
		return 0, fmt.Errorf("this kind of connection has no terminal")
	}
	t := transport.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	fd := int(os.Stdin.Fd())
	if len(argv) > 0 || !term.IsTerminal(fd) {
		return person.Interact(ctx, shell.POSIX(argv...), t)
	}
	before, err := term.MakeRaw(fd)
	if err != nil {
		return 0, fmt.Errorf("prepare the terminal: %w", err)
	}
	defer term.Restore(fd, before)
	t.Name, t.Size = os.Getenv("TERM"), size(fd)
	sizes, stop := resizes(ctx, fd)
	defer stop()
	t.Resized = sizes
	return person.Interact(ctx, "", t)
}

// resizes tells the terminal's size whenever it changes.
func resizes(ctx context.Context, fd int) (<-chan transport.Size, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	sizes := make(chan transport.Size)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			select {
			case sizes <- size(fd):
			case <-ctx.Done():
				return
			}
		}
	}()
	return sizes, func() { signal.Stop(changed); cancel(); <-done }
}

func size(fd int) transport.Size {
	columns, rows, err := term.GetSize(fd)
	if err != nil {
		return transport.Size{Columns: 80, Rows: 24}
	}
	return transport.Size{Columns: columns, Rows: rows}
}
