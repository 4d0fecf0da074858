package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/cmd/kinit/app"
)

// mostTime is how long a run may take whatever its host does.
const mostTime = 2 * time.Minute

// measuredProgram is the name of kinit that writes its peak into the file peakFile names.
const (
	measuredProgram = "kinit-measured"
	peakFile        = "KINIT_PEAK_FILE"
)

// measuredRun is kinit, which tells at the end how much memory was resident at most.
func measuredRun() {
	code := run(app.New(programVersion()))
	_, peak := processMemory(os.Getpid())
	if err := os.WriteFile(os.Getenv(peakFile), []byte(strconv.FormatInt(peak, 10)), 0o600); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// measuredCommand is a run of the real program in a folder of its own.
type measuredCommand struct {
	*exec.Cmd
	said bytes.Buffer
	peak string // the file with its peak
}

func newMeasuredCommand(ctx context.Context, dir string, args ...string) *measuredCommand {
	r := &measuredCommand{Cmd: exec.CommandContext(ctx, measuredProgram, args...), peak: filepath.Join(dir, "peak")}
	r.Cancel, r.WaitDelay = func() error { return r.Process.Signal(syscall.SIGQUIT) }, 5*time.Second // it shows where it hangs
	r.Dir, r.Stdout, r.Stderr = dir, &r.said, &r.said
	r.Env = append(os.Environ(), "GOGC=100", "HOME="+dir, "SSH_AUTH_SOCK=", peakFile+"="+r.peak)
	return r
}

// most returns how much memory the run took at most, in bytes.
func (r *measuredCommand) most(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile(r.peak)
	if err != nil {
		t.Fatalf("it did not come to its end: %v\n%.200000s", err, r.said.String())
	}
	peak, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || peak == 0 {
		t.Fatalf("the peak is %q", text)
	}
	return peak
}

// farHost is the inventory of one host on the loopback interface, with further arguments.
func farHost(port int, arguments ...string) string {
	return fmt.Sprintf("host \"far\" {\n address = \"127.0.0.1\"\n port = %d\n %s\n}\n", port, strings.Join(arguments, "\n "))
}

// login is the arguments of a host that a key opens.
func login(user, keyFile, hostKey string) string {
	return fmt.Sprintf("user = %q\n identity_file = %q\n host_keys = [%q]", user, keyFile, hostKey)
}
