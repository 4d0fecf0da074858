package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
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

// firstVNC is the TCP port of VNC's display 0, by RFC 6143.
const firstVNC = 5900

func consoleCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "console",
		Category:  command.LifeOfClusters,
		Usage:     "open the console of a node, or forward its screen or desktop",
		ArgsUsage: "SPEC NODE",
		Description: `The console is reached through the node's hypervisor, so it works when the node has no
network. It is the serial console of a guest, which Ctrl-] leaves, or a shell in a container.

--vnc forwards the node's screen to a port of this machine's loopback until Ctrl-C. --rdp does
the same with the remote desktop of a Windows node, which needs the node's network. For a
Windows node --vnc is the default, unless --serial is given. libvirt or podman must let the
user in as whom kinit logs in on the hypervisor, such as root.`,
		UsageText: command.Examples(
			"kinit console k8s-libvirt-1-1-1 k8s-libvirt-controller-01",
			"kinit console k8s-libvirt-1-1-1 k8s-libvirt-controller-01 --vnc",
			"kinit console k8s-libvirt-1-1-1 k8s-libvirt-compute-01 --rdp --var compute_os=windows",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.LostFlag(),
			command.HeadSelect.Switch("vnc", "forward the node's screen and print the address"),
			command.HeadSelect.Switch("rdp", "forward the node's remote desktop and print the address"),
			command.HeadSelect.Switch("serial", "open the serial console, also of a Windows node"),
			command.HeadSelect.Switch("force", "end another user's session on the console"),
		}, command.OutputFlags()),
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return exit.Usagef(c.Command.HelpName, "it takes a SPEC and a NODE, %d arguments were given", c.NArg())
			}
			return openConsole(a, c, c.Args().Get(0), c.Args().Get(1))
		},
	}
}

// The ways to reach a node.
const (
	waySerial  = "serial"
	wayScreen  = "vnc"
	wayDesktop = "rdp"
)

// way returns the requested way; empty for the default of the node's system.
func way(c *cli.Context) (string, error) {
	given := slices.DeleteFunc([]string{waySerial, wayScreen, wayDesktop}, func(name string) bool { return !c.Bool(name) })
	if len(given) > 1 {
		return "", exit.Usagef(c.Command.HelpName, "--serial, --vnc and --rdp are three ways to one node: give one of them")
	}
	return strings.Join(given, ""), nil
}

// openConsole opens a node's console or forwards its screen or desktop.
func openConsole(a *app.App, c *cli.Context, spec, node string) error {
	way, err := way(c)
	if err != nil {
		return err
	}
	o, err := command.OptionsWithInventories(a, c, spec)
	if err != nil {
		return err
	}
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	code := 0
	report := engine.ConnectUnder(ctx, s.Options, node, func(conn transport.Conn, n engine.Node) (err error) {
		if way == "" && n.OS == module.Windows {
			way = wayScreen
		}
		switch way {
		case wayScreen:
			return forwardScreen(ctx, a, conn, n)
		case wayDesktop:
			return forwardDesktop(ctx, a, conn, n)
		}
		code, err = terminal(ctx, conn, n, c.Bool("force"))
		return err
	})
	if err := s.End(report); err != nil || code == 0 {
		return err
	}
	return exit.Code(exit.Failed)
}

// terminal connects the terminal to the console of a node, with the command that its
// driver provides.
func terminal(ctx context.Context, conn transport.Conn, n engine.Node, force bool) (int, error) {
	argv := n.Console
	if force && n.TakeConsole != nil {
		argv = n.TakeConsole
	}
	if len(argv) == 0 {
		return 0, lacks(n, "console")
	}
	return attach(ctx, conn, shell.POSIX(argv...), true)
}

// lacks returns the error for a node without the requested way, and names its cause.
func lacks(n engine.Node, what string) error {
	if n.Driver == "" {
		return fmt.Errorf("%s has no %s: the playbook's host block for it gives no command for one, as in %s = [\"…\"]", n.Name, what, what)
	}
	return fmt.Errorf("%s has no %s: its driver %q knows none", n.Name, what, n.Driver)
}

// forwardScreen forwards a loopback port to the node's VNC server on the hypervisor's
// loopback.
func forwardScreen(ctx context.Context, a *app.App, conn transport.Conn, node engine.Node) error {
	port, err := vncPort(ctx, conn, node)
	if err != nil {
		return err
	}
	return forwardPort(ctx, a, conn, forwarding{
		what: "screen", node: node.Name, kind: "VNC", to: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
	})
}

// rdpPort is the TCP port of remote desktops, by MS-RDPBCGR.
const rdpPort = "3389"

// forwardDesktop forwards a loopback port to the node's remote desktop.
func forwardDesktop(ctx context.Context, a *app.App, conn transport.Conn, node engine.Node) error {
	if node.OS != module.Windows {
		return fmt.Errorf("%s runs no Windows and has no remote desktop: use --vnc", node.Name)
	}
	return forwardPort(ctx, a, conn, forwarding{
		what: "desktop", node: node.Name, kind: "RDP, as Administrator", to: net.JoinHostPort(node.Address, rdpPort),
	})
}

// vncPort asks the hypervisor for the loopback port of a node's VNC server.
func vncPort(ctx context.Context, conn transport.Conn, node engine.Node) (int, error) {
	if len(node.Screen) == 0 {
		return 0, lacks(node, "screen")
	}
	var out, problems bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{
		Line:   shell.POSIX(node.Screen...),
		Stdout: &out, Stderr: &problems,
	})
	if err != nil {
		return 0, err
	}
	if code != 0 {
		return 0, fmt.Errorf("%s has no screen that can be forwarded: %s", node.Name, strings.TrimSpace(problems.String()))
	}
	display := strings.TrimSpace(out.String()) // such as 127.0.0.1:0 or :0
	number, err := strconv.Atoi(display[strings.LastIndexByte(display, ':')+1:])
	if err != nil {
		return 0, fmt.Errorf("%s has no screen that can be forwarded: %s says %q", node.Name, node.Screen[0], display)
	}
	return firstVNC + number, nil
}
