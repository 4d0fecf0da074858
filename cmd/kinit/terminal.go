package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"kinit/engine/transport"
)

// interactive returns the connection as one with terminals, or an error if it has none.
func interactive(conn transport.Conn) (transport.Interactive, error) {
	remote, ok := conn.(transport.Interactive)
	if !ok {
		return nil, errors.New("this kind of connection has no terminal: give a command after --, or use kinit console")
	}
	return remote, nil
}

// attach runs a line, or the login shell for an empty one, with the terminal of this process.
// If this process has none and must is set, the remote line gets a terminal all the same.
func attach(ctx context.Context, conn transport.Conn, line string, must bool) (int, error) {
	remote, err := interactive(conn)
	if err != nil {
		return 0, err
	}
	t := transport.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		if must {
			t.Name, t.Size = "dumb", transport.Size{Columns: 80, Rows: 24}
		}
		return remote.Interact(ctx, line, t)
	}
	before, err := term.MakeRaw(fd)
	if err != nil {
		return 0, fmt.Errorf("prepare the terminal: %w", err)
	}
	defer term.Restore(fd, before)
	t.Name, t.Size = os.Getenv("TERM"), size(fd)
	sizes, stop := resizes(ctx, fd)
	defer stop()
	t.Resized = sizes
	return remote.Interact(ctx, line, t)
}

// resizes sends the terminal's size whenever it changes.
func resizes(ctx context.Context, fd int) (<-chan transport.Size, func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	sizes := make(chan transport.Size)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			select {
			case sizes <- size(fd):
			case <-ctx.Done():
				return
			}
		}
	}()
	return sizes, func() { signal.Stop(changed); cancel(); <-done }
}

func size(fd int) transport.Size {
	columns, rows, err := term.GetSize(fd)
	if err != nil {
		return transport.Size{Columns: 80, Rows: 24}
	}
	return transport.Size{Columns: columns, Rows: rows}
}
