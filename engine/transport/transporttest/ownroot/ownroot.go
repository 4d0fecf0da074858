// Package ownroot is a root of a test's own: a mount and UTS namespace over the real root,
// whose changes are in memory and end with the test. Processes and the network are apart only
// if that is asked for.
package ownroot

import (
	"bufio"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// build makes the overlay at $1 and stays in it until its input ends, which it does at the latest with
// the test's process. /run, /tmp and /var/lib/kinit are empty, the last because other tests change it
// on the machine meanwhile, which an overlay does not follow: not even a removal there is sure to work.
// /etc/machine-id is the root's own. The folders that follow are the machine's. As the first of its
// processes the shell takes in those that daemons leave.
//
//go:embed build.sh
var build string

// Start makes a root at the folder base, which is empty, and returns the number of the
// process that keeps it. The folders of the machine that are named are seen in it. It
// needs root and overlays, and ends with the test.
func Start(t testing.TB, base string, folders ...string) (string, error) {
	t.Helper()
	return start(t, 0, base, folders)
}

// Apart makes a root like Start. Its processes are apart too: they see no others, and end with
// it. It has a network of its own, with a loopback device that is down.
func Apart(t testing.TB, base string, folders ...string) (string, error) {
	t.Helper()
	return start(t, syscall.CLONE_NEWPID|syscall.CLONE_NEWNET|syscall.CLONE_NEWIPC, base, folders)
}

func start(t testing.TB, apart uintptr, base string, folders []string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", build, "sh", base}, folders...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS | apart}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait() // the namespace goes with its last process
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		_ = input.Close()
		_ = cmd.Wait() // until it has written its errors
		return "", fmt.Errorf("make an overlay: %v: %s", err, stderr.String())
	}
	return strconv.Itoa(cmd.Process.Pid), nil
}

// Enter is what comes before a command that is to run in the root of a process. The command
// is among its processes, but is not in its network.
func Enter(pid string) []string {
	return []string{"nsenter", "--target=" + pid, "--mount", "--uts", "--root", "--wd"}
}

// Libvirt is a script for a mount namespace of a test's own, in which a libvirtd is to run.
// The daemon's folders are empty then. Its guests run as root, without control groups and
// namespaces, which a test may not be able to make.
const Libvirt = `
for own in /var/lib/libvirt /etc/libvirt /run/libvirt /var/log/libvirt /var/cache/libvirt; do
	mkdir -p "$own"
	mount -t tmpfs tmpfs "$own"
done
mkdir -p /var/lib/libvirt/images /var/log/libvirt/qemu /etc/libvirt/qemu
cat >/etc/libvirt/qemu.conf <<END
user = "root"
group = "root"
security_driver = "none"
cgroup_controllers = [ ]
stdio_handler = "file"
namespaces = [ ]
END
`
