// Package transport is the contract of a connection to a machine.
//
// A Conn runs command lines, gives files and dials. The suite in
// transport/transporttest holds every implementation to these sentences.
package transport

import (
	"context"
	"errors"
	"io"
	"net"

	"kinit/engine/module"
)

// The ways in which a machine cannot be used. Errors of a Conn wrap one of them.
var (
	// ErrUnreachable says that no connection could be made or that it was lost.
	ErrUnreachable = errors.New("unreachable")
	// ErrAuth says that the machine answered and refused every key.
	ErrAuth = errors.New("authentication failed")
	// ErrHostKey says that the machine's host key is unknown or has changed.
	ErrHostKey = errors.New("host key not verified")
)

// ErrIncomplete says that a command has ended with the exit code that Exec returns, and
// that a part of its output may be missing, because the connection was lost meanwhile.
var ErrIncomplete = errors.New("a part of its output may be missing")

// ErrFenced says that nothing was run or changed, because what must be there for that is
// not: another run has taken over.
var ErrFenced = errors.New("another run has taken over")

// Process is a command to run.
type Process struct {
	// Line is a command line, quoted for the machine's shell already: for /bin/sh, or on
	// a Windows machine the text of a PowerShell script, of any length, which finds its
	// standard input as the stream $KinitInput.
	Line string
	// Env is added to the environment of the line's shell. No process has it on its
	// command line, where every user of a machine could read it. A script for a Windows
	// machine sets its environment itself: it is on no command line.
	Env    map[string]string
	Stdin  io.Reader // nothing when nil
	Stdout io.Writer // called by one goroutine at a time
	Stderr io.Writer // called by one goroutine at a time
	// Fence is the path of a link, on a Windows machine of a file, that must be there at
	// the moment when the line begins, or it does not and the error is ErrFenced. Empty
	// asks for nothing.
	Fence string
	// Urgent does not wait for other commands on the connection. There is room for one.
	Urgent bool
}

// Fenceable is files of a machine that can look for a link too: with each change, in the
// same round trip where the system can do that. When it is not there nothing is changed,
// and the error is ErrFenced.
type Fenceable interface {
	Fenced(link string) module.Files
}

// Conn is one verified connection to a machine, safe for use by several
// goroutines. It reconnects by itself when it was lost and nothing had been sent
// yet.
type Conn interface {
	// Exec runs the line in its own process group and returns its exit code. The
	// code of a process ended by signal n is 128+n; on Windows, which has no signals,
	// codes have 32 bits and a sign. An error means that the code is not known,
	// unless it is ErrIncomplete. When ctx ends, the process group is killed before
	// Exec returns ctx's error.
	//
	// The command ends with the line's shell: processes that it left behind go on,
	// and what they write later is no part of the output. A Stdin that fails kills
	// the command. Exec may return while a Read of Stdin is still under way, when
	// the command did not wait for it.
	Exec(ctx context.Context, p Process) (int, error)
	// Files opens the machine's file system. It is closed with the Conn.
	Files(ctx context.Context) (module.Files, error)
	// Dial connects from the machine: network is "tcp" or "unix". A transport that
	// cannot do that says so, with errors.ErrUnsupported; so it is for Socket.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Socket forwards a unix socket of the machine to a private local one, made
	// once per path, and returns its path. It is removed with the Conn.
	Socket(ctx context.Context, path string) (string, error)
	// Close ends what still runs and frees everything. Calling it twice is fine.
	Close() error
}
