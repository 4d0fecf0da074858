// Package ownroot is a root of a test's own: a mount and UTS namespace over the real root,
// whose changes are in memory and end with the test. Processes and the network are not
// apart.
package ownroot

import (
	"bufio"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// build makes the overlay at $1 and stays in it until its input ends, which it does at the
// latest with the test's process. /run and /tmp are empty; the folders that follow are the
// machine's.
//
//go:embed build.sh
var build string

// Start makes a root at the folder base, which is empty, and returns the number of the
// process that keeps it. The folders of the machine that are named are seen in it. It
// needs root and overlays, and ends with the test.
func Start(t testing.TB, base string, folders ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("unshare", append([]string{"--mount", "--uts", "--propagation=private", "sh", "-c", build, "sh", base}, folders...)...)
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
		return "", fmt.Errorf("make an overlay: %v: %s", err, stderr.String())
	}
	return strconv.Itoa(cmd.Process.Pid), nil
}

// Enter is what comes before a command that is to run in the root of a process.
func Enter(pid string) []string {
	return []string{"nsenter", "--target=" + pid, "--mount", "--uts", "--root", "--wd"}
}
