package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

// libvirtURI is the system's libvirt, which runs the nodes.
const libvirtURI = "qemu:///system"

// firstVNC is the TCP port of VNC's display 0, by RFC 6143.
const firstVNC = 5900

func (w *world) consoleCommand() *cli.Command {
	return manual{
		path: "console",
		examples: []string{
			"kinit console k8s-libvirt-1-1-1 k8s-controller-01",
			"kinit console k8s-libvirt-1-1-1 k8s-controller-01 --vnc",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitUnreachable, exitInterrupted},
	}.write(&cli.Command{
		Name:      "console",
		Usage:     "open the serial console of a node, or forward its screen",
		ArgsUsage: "SPEC NODE",
		Description: `The console is reached through the node's hypervisor, so it works when the node has no
network. Ctrl-] leaves it. With --vnc the node's screen is forwarded to a port of this
machine's loopback until Ctrl-C. The login on the hypervisor must be one that libvirt
lets in, such as root.`,
		Flags: flags(inputFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "vnc", Category: headSelect, Usage: "forward the node's screen and print where it is"},
			&cli.BoolFlag{Name: "force", Category: headSelect, Usage: "end somebody else's session on the console"},
		}, outputFlags()),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usageErrorf(c.Command.HelpName, "it takes a SPEC and a NODE, %d arguments were given", c.NArg())
			}
			return w.console(c, c.Args().Get(0), c.Args().Get(1))
		},
	})
}

// console opens a node's console or forwards its screen.
func (w *world) console(c *cli.Context, spec, node string) error {
	o, err := w.inputs(c, spec)
	if err != nil {
		return err
	}
	code := 0
	open := func(ctx context.Context, o engine.Options) *engine.Report {
		o.Events = nil
		return engine.ConnectUnder(ctx, o, node, func(conn transport.Conn) (err error) {
			if c.Bool("vnc") {
				return w.forwardScreen(ctx, conn, node)
			}
			code, err = serial(ctx, conn, node, c.Bool("force"))
			return err
		})
	}
	if err := w.perform(c, job{do: open, mode: view.Read}, o); err != nil {
		return err
	}
	if code != 0 {
		return codeError(exitFailed)
	}
	return nil
}

// serial lends the terminal to the console of a domain. virsh knows Ctrl-] itself.
func serial(ctx context.Context, conn transport.Conn, domain string, force bool) (int, error) {
	argv := []string{"virsh", "--connect", libvirtURI, "console", domain}
	if force {
		argv = append(argv, "--force")
	}
	return lend(ctx, conn, shell.POSIX(argv...), true)
}

// forwardScreen forwards a port of the loopback to the domain's VNC server, until ctx
// ends, which is how it is meant to end.
func (w *world) forwardScreen(ctx context.Context, conn transport.Conn, domain string) error {
	port, err := vncPort(ctx, conn, domain)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on the loopback: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	if err := w.lines("The screen of " + domain + " is at " + listener.Addr().String() + " (VNC). Ctrl-C ends it."); err != nil {
		return errors.Join(err, listener.Close())
	}
	var viewers sync.WaitGroup
	defer viewers.Wait()
	for {
		viewer, err := listener.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("wait for a viewer: %w", err)
		}
		viewers.Go(func() { w.relay(ctx, conn, viewer, port) })
	}
}

// relay connects one viewer with the screen.
func (w *world) relay(ctx context.Context, conn transport.Conn, viewer net.Conn, port int) {
	defer viewer.Close()
	screen, err := conn.Dial(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		_, _ = fmt.Fprintf(w.err, "the screen does not answer: %v\n", err)
		return
	}
	defer screen.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = viewer.Close(), screen.Close() })
	defer stop()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(viewer, screen)
		_ = viewer.Close() // ends the other direction
	})
	_, _ = io.Copy(screen, viewer)
	_ = screen.Close()
	back.Wait()
}

// vncPort asks libvirt where a domain's VNC server is, on the hypervisor's loopback.
func vncPort(ctx context.Context, conn transport.Conn, domain string) (int, error) {
	var out, problems bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{
		Line:   shell.POSIX("virsh", "--connect", libvirtURI, "vncdisplay", domain),
		Stdout: &out, Stderr: &problems,
	})
	if err != nil {
		return 0, err
	}
	if code != 0 {
		return 0, fmt.Errorf("%s has no screen that can be forwarded: %s", domain, strings.TrimSpace(problems.String()))
	}
	display := strings.TrimSpace(out.String()) // such as 127.0.0.1:0 or :0
	number, err := strconv.Atoi(display[strings.LastIndexByte(display, ':')+1:])
	if err != nil {
		return 0, fmt.Errorf("%s has no screen that can be forwarded: virsh says %q", domain, display)
	}
	return firstVNC + number, nil
}
