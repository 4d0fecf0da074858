//go:build linux && (amd64 || arm64)

package exectrace

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kinit/engine/need"
)

// inside is the variable of the process that is traced. Its descriptor 3 is a socket to
// the tracer.
const inside = "KINIT_EXECTRACE"

// patience is how long processes may stay after the test that started them has ended.
const patience = 20 * time.Second

// Kind is what a process was seen at.
type Kind int

// What is seen of processes.
const (
	Exec  Kind = iota // Words are the program and its arguments
	File              // Words is a name that a call makes, as it was given
	Title             // Words are the command line and the short name of a process that ends or takes a name
)

// Event is one sight of a process.
type Event struct {
	Kind  Kind
	PID   int
	Words []string
}

// Inside reports whether this process is the one that is traced.
func Inside() bool { return os.Getenv(inside) != "" }

// Again runs the test t, or the subtest that t is, once more under the tracer, and returns
// what all its processes did. A failure there fails t. In the test there, Inside is true.
func Again(t *testing.T) []Event {
	t.Helper()
	need.Root(t, "exectrace")
	var pattern []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	args := []string{"/proc/self/exe", "-test.run=" + strings.Join(pattern, "/"), "-test.count=1", "-test.v"}
	if deadline, ok := t.Deadline(); ok {
		args = append(args, "-test.timeout="+time.Until(deadline).String())
	}
	events, output, err := Run(args)
	if err != nil {
		t.Fatalf("under the tracer: %v\n%s", err, output)
	}
	if strings.Contains(output, "no tests to run") {
		t.Fatalf("under the tracer there is no test %s", t.Name())
	}
	if strings.Contains(output, "--- SKIP: "+t.Name()+" ") {
		t.Skip(output)
	}
	return events
}

// Run runs a program, whose first arguments may be the tester's own, and returns what its
// processes did and what it printed. The process that calls it has Enter in its TestMain.
func Run(argv []string) ([]Event, string, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, "", err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "tracer"), os.NewFile(uintptr(pair[1]), "traced")
	defer ours.Close()
	var output strings.Builder
	cmd := exec.Command("/proc/self/exe", argv...)
	cmd.Env = append(os.Environ(), inside+"=enter")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = patience
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return nil, "", err
	}
	listener, err := receive(ours)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return nil, output.String(), fmt.Errorf("take the filter: %w", err)
	}
	defer unix.Close(listener)
	ended := make(chan struct{})
	traced := make(chan sight, 1)
	go func() { traced <- follow(listener, ended) }()
	err = cmd.Wait()
	close(ended)
	s := <-traced
	if err == nil {
		err = s.err
	}
	return s.events, output.String(), err
}

// receive takes the descriptor of the filter that the traced process sends.
func receive(socket *os.File) (int, error) {
	space := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := syscall.Recvmsg(int(socket.Fd()), make([]byte, 1), space, 0)
	if err != nil {
		return 0, err
	}
	messages, err := syscall.ParseSocketControlMessage(space[:n])
	if err != nil {
		return 0, err
	}
	if len(messages) != 1 {
		return 0, fmt.Errorf("the process ended before it had a filter")
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}
