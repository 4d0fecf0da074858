package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"kinit/cmd/kinit/exit"
	"kinit/engine/transport/transporttest/sshd"
)

// virsh stands in for libvirt's client on the hypervisor: a console that says what is
// typed, and a screen on the port that is in the file beside it.
const virsh = `#!/bin/sh
here=$(dirname "$0")
test "$1 $2" = "--connect qemu:///system" || exit 9
shift 2
case "$*" in
"console shop-web-01") test -t 0 || exit 8; read -r line; echo "console heard $line" ;;
"console shop-web-01 --force") echo "taken over" ;;
"console shop-web-02") echo "error: The domain is not running" >&2; exit 1 ;;
"vncdisplay shop-web-01") echo "127.0.0.1:$(cat "$here/display")"; echo ;;
"vncdisplay shop-win-01") echo "127.0.0.1:$(cat "$here/display")"; echo ;;
"console shop-win-01") echo "the serial port" ;;
"vncdisplay shop-web-02") echo "error: no VNC display found" >&2; exit 1 ;;
*) exit 7 ;;
esac
`

// The Windows node has its address on the loopback, where tests can be a desktop.
const shopSpec = `cluster "shop" {
  network { cidr = "127.0.77.0/24" }
  pool "win" {
    count = 1
    os    = "windows"
  }
  pool "web" { count = 2 }
  pool "box" { count = 1 }
}

host "node" {
  for_each     = { for name, node in cluster.nodes : name => node if node.pool != "box" }
  name         = each.key
  address      = each.value.ip
  via          = each.value.hypervisor
  console      = ["virsh", "--connect", "qemu:///system", "console", each.key]
  take_console = ["virsh", "--connect", "qemu:///system", "console", each.key, "--force"]
  screen       = ["virsh", "--connect", "qemu:///system", "vncdisplay", each.key]
}

host "box" {
  for_each = { for node in cluster.pools.box : node.name => node }
  name     = each.key
  address  = each.value.ip
  via      = each.value.hypervisor
  console  = ["echo", "a shell in", each.key]
}
`

// drivenSpec has a node of a driver that knows no console.
const drivenSpec = `driver "rack" {
  summary = "nodes are in racks"
  default = true
}

cluster "shop" {
  network { cidr = "127.0.78.0/24" }
  pool "web" { count = 1 }
}
`

// steelSpec has a node that is a machine of the inventory.
const steelSpec = `driver "steel" {
  summary  = "nodes are machines that exist"
  existing = true
}

cluster "shop" {
  pool "web" { hosts = ["steel1"] }
}
`

// hypervisor is a real SSH server with a virsh, and a folder with a spec for it.
func hypervisor(t *testing.T) (folder string) {
	t.Helper()
	bin := t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "virsh"), virsh, 0o755)
	server := sshd.Start(t, "SetEnv HOME="+bin+" PATH="+bin+":/usr/bin:/bin")
	folder = t.TempDir()
	write(filepath.Join(folder, "site.hcl"), shopSpec, 0o644)
	write(filepath.Join(folder, "rack.hcl"), drivenSpec, 0o644)
	write(filepath.Join(folder, "steel.hcl"), steelSpec, 0o644)
	write(filepath.Join(folder, "machines.hcl"), "host \"steel1\" { address = \"192.0.2.1\" }\n", 0o644)
	write(filepath.Join(folder, "bin"), bin, 0o644)
	write(filepath.Join(folder, "inventory.hcl"), fmt.Sprintf("host \"nyctea\" {\n  address = %q\n  port = %d\n  user = %q\n  identity_file = %q\n  host_keys = [%q]\n}\n",
		server.Host, server.Port, server.User, server.ClientKey, strings.TrimSpace(server.HostKey)), 0o644)
	return folder
}

// kinit is the real program in a folder.
func kinit(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	// Under this name the test binary is the program, see TestMain.
	cmd.Args = append([]string{"kinit"}, args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "HOME="+folder)
	return cmd
}

func TestConsoleReachesTheNodeThroughItsHypervisor(t *testing.T) {
	t.Parallel()
	folder := hypervisor(t)
	for name, tc := range map[string]struct {
		spec string // site.hcl where it is empty
		args []string
		code int
		out  string // a regular expression
		err  string
	}{
		"the console":             {args: []string{"shop-web-01"}, out: "console heard hello"},
		"taking it":               {args: []string{"shop-web-01", "--force"}, out: "taken over"},
		"not running":             {args: []string{"shop-web-02"}, code: 1, out: "error: The domain is not running"},
		"no screen":               {args: []string{"shop-web-02", "--vnc"}, code: 1, err: `shop-web-02 has no screen that can be forwarded: error: no VNC display found`},
		"serial of Windows":       {args: []string{"shop-win-01", "--serial"}, out: "the serial port"},
		"a shell":                 {args: []string{"shop-box-01"}, out: "a shell in shop-box-01"},
		"no shell to take over":   {args: []string{"shop-box-01", "--force"}, out: "a shell in shop-box-01"},
		"no command for a screen": {args: []string{"shop-box-01", "--vnc"}, code: 1, err: `shop-box-01 has no screen: the playbook's host block for it gives no command for one, as in screen = \["…"\]`},
		"no console of a driver":  {spec: "rack.hcl", args: []string{"shop-web-01"}, code: 1, err: `shop-web-01 has no console: its driver "rack" knows none`},
		"no screen of a driver":   {spec: "rack.hcl", args: []string{"shop-web-01", "--vnc"}, code: 1, err: `shop-web-01 has no screen: its driver "rack" knows none`},
		"a machine that exists":   {spec: "steel.hcl", args: []string{"steel1", "-i", "inventory.hcl", "-i", "machines.hcl", "--hosts", "nyctea"}, code: 1, err: `The node "steel1" is a machine that exists by itself, so no hypervisor leads\s+to its console. 'kinit ssh' logs in to it.`},
		"two ways":                {args: []string{"shop-win-01", "--serial", "--vnc"}, code: 2, err: `--serial, --vnc and --rdp are three ways to one node: give one of them`},
		"no desktop":              {args: []string{"shop-web-01", "--rdp"}, code: 1, err: `shop-web-01 runs no Windows and has no remote desktop: use --vnc`},
		"no node":                 {args: []string{"shop-wep-01"}, code: 1, err: `The spec has no node "shop-wep-01". Did you mean "shop-web-01"\?`},
		"no argument":             {code: 2, err: `it takes a SPEC and a NODE, 1 arguments were given`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := "site.hcl"
			if tc.spec != "" {
				spec = tc.spec
			}
			cmd := kinit(t.Context(), folder, append([]string{"console", spec}, tc.args...)...)
			var out, problems bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("hello\n"), &out, &problems
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tc.code {
				t.Errorf("got exit code %d\n%s%s", code, out.String(), problems.String())
			}
			if !regexp.MustCompile(tc.out).Match(out.Bytes()) || !regexp.MustCompile(tc.err).Match(problems.Bytes()) {
				t.Errorf("got\n%s\nand\n%s", out.String(), problems.String())
			}
		})
	}
}

func TestConsoleForwardsTheScreenToTheLoopback(t *testing.T) {
	t.Parallel()
	folder := hypervisor(t)
	screen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	go greet(screen)
	bin, err := os.ReadFile(filepath.Join(folder, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	display := screen.Addr().(*net.TCPAddr).Port - firstVNC
	if err := os.WriteFile(filepath.Join(string(bin), "display"), []byte(fmt.Sprint(display)), 0o644); err != nil {
		t.Fatal(err)
	}
	forwarded(t, folder, `screen of shop-web-01 is at (\S+) \(VNC\)`, "shop-web-01", "--vnc")
	forwarded(t, folder, `screen of shop-win-01 is at (\S+) \(VNC\)`, "shop-win-01")
}

func TestConsoleForwardsTheDesktopOfAWindowsNode(t *testing.T) {
	t.Parallel()
	folder := hypervisor(t)
	desktop, err := net.Listen("tcp", "127.0.77.1:"+rdpPort)
	if err != nil {
		t.Skipf("this machine's loopback has no 127.0.77.1: %v", err)
	}
	defer desktop.Close()
	go greet(desktop)
	forwarded(t, folder, `desktop of shop-win-01 is at (\S+) \(RDP, as Administrator\)`, "shop-win-01", "--rdp")
}

// forwarded runs the console, connects twice to where it says, and interrupts it.
func forwarded(t *testing.T, folder, told string, args ...string) {
	t.Helper()
	cmd := kinit(t.Context(), folder, append([]string{"console", "site.hcl"}, args...)...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(pipe).ReadString('\n')
	where := regexp.MustCompile(`^The ` + told + `\. Ctrl-C ends it\.\n$`).FindStringSubmatch(line)
	if where == nil {
		t.Fatalf("got %q, %v", line, err)
	}
	for range 2 {
		if got := watch(t, where[1]); got != "RFB 003.008\nyou said hi" {
			t.Errorf("the far end says %q", got)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Interrupted {
		t.Errorf("got exit code %d", code)
	}
}

// greet is a screen: it says its version, and what it is told once.
func greet(screen net.Listener) {
	for {
		conn, err := screen.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "RFB 003.008\n")
		buffer := make([]byte, 2)
		_, _ = io.ReadFull(conn, buffer)
		_, _ = fmt.Fprintf(conn, "you said %s", buffer)
		_ = conn.Close()
	}
}

// watch connects to a screen, says hi and returns all it says.
func watch(t *testing.T, address string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "hi")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}
