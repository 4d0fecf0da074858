package moduletest

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/shell"
)

// FakeHost is a host whose commands are scripted with On and Handle and whose
// files are in memory. Anything that is not scripted fails the test.
type FakeHost struct {
	ledger
	// FS is the host's file system; tests read and write it directly.
	FS *MemFiles
	// Dialer answers Dial. Without one, dialling fails the test.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// Sockets maps a socket path of the host to a local one.
	Sockets map[string]string

	t        testing.TB
	lock     sync.Mutex
	scripts  map[string]*Script
	handlers []func(Call) (Reply, bool)
	calls    []Call
	changes  []string
}

// Call is a command that was run, with its whole standard input.
type Call struct {
	Argv  []string
	Env   map[string]string
	Dir   string
	Stdin string
}

// Line returns the command line of the call, quoted for sh.
func (c Call) Line() string { return shell.POSIX(c.Argv...) }

// Reply is the result of a scripted command.
type Reply struct {
	Stdout, Stderr string
	Code           int
	// Changes is set if the command changes the host; the suite rejects it in a dry run.
	Changes bool
	// Effect may be nil. It must not call the FakeHost, but may change its FS and the data behind
	// its replies. Only replies of scripts have one.
	Effect func(Call)
}

// NewFakeHost returns a host named "fake". owner may be empty.
func NewFakeHost(t testing.TB, owner string) *FakeHost {
	return &FakeHost{
		ledger:  ledger{name: "fake", owner: owner},
		FS:      NewMemFiles(),
		t:       t,
		scripts: map[string]*Script{},
	}
}

// Handle adds a function for commands that On does not script, for programs with a state.
// It returns false for a command that it does not handle. Handlers are called in the order
// they were added, one call at a time.
func (f *FakeHost) Handle(answer func(Call) (Reply, bool)) {
	f.handlers = append(f.handlers, answer)
}

// Calls returns every command that was run, in order.
func (f *FakeHost) Calls() []Call {
	f.lock.Lock()
	defer f.lock.Unlock()
	return slices.Clone(f.calls)
}

// Lines returns the command lines that were run, in order.
func (f *FakeHost) Lines() []string {
	return lists.Map(f.Calls(), Call.Line)
}

// Changes returns the command lines that changed the host, in order.
func (f *FakeHost) Changes() []string {
	f.lock.Lock()
	defer f.lock.Unlock()
	return slices.Clone(f.changes)
}

// Run answers a scripted command.
func (f *FakeHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if err := ctx.Err(); err != nil {
		return module.Output{}, err
	}
	call := Call{Argv: c.Argv, Env: c.Env, Dir: c.Dir}
	if c.Stdin != nil {
		text, err := io.ReadAll(c.Stdin)
		if err != nil {
			return module.Output{}, err
		}
		call.Stdin = string(text)
	}
	r, err := f.answer(call)
	if err != nil {
		return module.Output{}, err
	}
	if c.Line != nil {
		for line := range strings.Lines(r.Stdout + r.Stderr) {
			c.Line(strings.TrimSuffix(line, "\n"))
		}
	}
	return f.ended(c, module.Output{Stdout: r.Stdout, Stderr: r.Stderr, Duration: time.Millisecond}, r.Code)
}

// answer finds the script or handler of a call.
func (f *FakeHost) answer(call Call) (Reply, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.calls = append(f.calls, call)
	reply, known := f.scripted(call)
	if !known {
		return Reply{}, f.unscripted("command: " + call.Line())
	}
	if reply.Changes {
		f.changes = append(f.changes, call.Line())
	}
	return reply, nil
}

func (f *FakeHost) scripted(call Call) (Reply, bool) {
	if s := f.scripts[key(call.Argv)]; s != nil {
		return s.next(call), true
	}
	for _, answer := range f.handlers {
		if reply, mine := answer(call); mine {
			return reply, true
		}
	}
	return Reply{}, false
}

// unscripted fails the test for something that was not scripted.
func (f *FakeHost) unscripted(what string) error {
	err := errors.New("unscripted " + what)
	f.t.Error(err.Error())
	return err
}

// Files returns FS.
func (f *FakeHost) Files() module.Files { return f.FS }

// Dial asks the Dialer.
func (f *FakeHost) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.Dialer == nil {
		return nil, f.unscripted("dial: " + network + " " + address)
	}
	return f.Dialer(ctx, network, address)
}

// Socket looks the path up in Sockets.
func (f *FakeHost) Socket(ctx context.Context, path string) (string, error) {
	local, known := f.Sockets[path]
	if !known {
		return "", f.unscripted("socket: " + path)
	}
	return local, ctx.Err()
}

// Snapshot lists the state that a dry run must not change.
func (f *FakeHost) Snapshot() string {
	return f.FS.Snapshot() + f.markLines() + strings.Join(f.Changes(), "\n")
}

var _ module.Host = (*FakeHost)(nil)
