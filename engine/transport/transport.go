// Package transport is the contract of a connection to a machine.
//
// A Conn runs command lines, accesses files and dials. The suite in transport/transporttest
// checks every implementation against these comments.
package transport

import (
	"context"
	"errors"
	"io"
	"net"

	"kinit/engine/module"
)

// The reasons why a machine cannot be used. Errors of a Conn wrap one of them.
var (
	// ErrUnreachable: no connection could be made, or it was lost.
	ErrUnreachable = errors.New("unreachable")
	// ErrAuth: the machine answered and refused every key.
	ErrAuth = errors.New("authentication failed")
	// ErrHostKey: the machine's host key is unknown or has changed.
	ErrHostKey = errors.New("host key not verified")
)

// ErrBecome is the error if the machine let the login in, and it cannot become the other user there.
var ErrBecome = errors.New("cannot become the user")

// ErrIncomplete is the error if the connection was lost near the end of a command: Exec
// returns the exit code, but part of the output may be missing.
var ErrIncomplete = errors.New("a part of its output may be missing")

// ErrFenced is the error if nothing was run or changed because the fence is missing:
// another run has taken over.
var ErrFenced = errors.New("another run has taken over")

// Process is a command to run.
type Process struct {
	// Line is a command line, already quoted for /bin/sh, or on a Windows machine the text
	// of a PowerShell script, of any length, whose standard input is the stream
	// $KinitInput.
	Line string
	// Env is added to the environment of the line's shell. It is never on a command line,
	// where every user of a machine could read it. A script for a Windows machine sets its
	// environment itself, since it is not on a command line.
	Env    map[string]string
	Stdin  io.Reader // nothing when nil
	Stdout io.Writer // called by one goroutine at a time
	Stderr io.Writer // called by one goroutine at a time
	// Fence is the path of a link, on a Windows machine of a file, that must exist when the
	// line begins; otherwise the line does not run and the error is ErrFenced. Empty means
	// no condition.
	Fence string
	// Urgent commands do not wait for others on the connection. Only one can run at a time.
	Urgent bool
}

// Fenceable is a file system that can check for a link with each change, in the same round
// trip if the system can do that. If the link is missing, nothing changes and the error is
// ErrFenced.
type Fenceable interface {
	Fenced(link string) module.Files
}

// Watchable is a Conn that reconnects after a loss.
type Watchable interface {
	// Watch returns a function that reports whether the connection was lost since. What was
	// carried over it, as by Dial and Socket, has then ended without a reason.
	Watch(ctx context.Context) (lost func(context.Context) bool, err error)
}

type atOnce struct{}

// AtOnce returns a context in which a Conn that has lost its machine calls it once, instead of
// for a while: for callers that wait for the machine themselves and say so.
func AtOnce(ctx context.Context) context.Context { return context.WithValue(ctx, atOnce{}, true) }

// IsAtOnce reports whether ctx comes from AtOnce.
func IsAtOnce(ctx context.Context) bool { return ctx.Value(atOnce{}) != nil }

// Conn is one verified connection to a machine, safe for use by several goroutines. It
// reconnects by itself if it was lost before anything was sent.
type Conn interface {
	// Exec runs the line in its own process group and returns its exit code. The code of a
	// process ended by signal n is 128+n; on Windows, which has no signals, codes are
	// signed 32-bit numbers. An error means that the code is not known, unless it is
	// ErrIncomplete. When ctx ends, the process group is killed before Exec returns ctx's
	// error.
	//
	// The command ends with the line's shell: processes that it left behind continue, and
	// their later output is dropped. If Stdin fails, the command is killed. Exec may return
	// during a Read of Stdin if the command did not wait for it.
	Exec(ctx context.Context, p Process) (int, error)
	// Files opens the machine's file system. It is closed with the Conn.
	Files(ctx context.Context) (module.Files, error)
	// Dial connects from the machine: network is "tcp" or "unix". If a transport cannot do
	// that, the error is errors.ErrUnsupported, as for Socket.
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Socket forwards a unix socket of the machine to a private local one, made once for
	// each path, and returns its path. Close removes it.
	Socket(ctx context.Context, path string) (string, error)
	// Close ends running commands and frees everything. It may be called twice.
	Close() error
}

// Size is a terminal's size in characters.
type Size struct{ Columns, Rows int }

// Terminal is the user's terminal, to be connected to a machine.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Name     string      // the value of TERM; empty asks for no terminal on the machine
	Size     Size        // at the start
	Resized  <-chan Size // may be nil
}

// Interactive is a Conn that can connect a terminal to a machine.
type Interactive interface {
	Conn
	// Interact runs a line, or the login shell for an empty one, with a terminal,
	// and returns its exit code. It ends when the line does or ctx ends.
	Interact(ctx context.Context, line string, t Terminal) (int, error)
}
