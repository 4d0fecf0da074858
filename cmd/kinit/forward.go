package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"kinit/cmd/kinit/app"
	"kinit/engine/transport"
)

// forwarding is a port on this machine's loopback that leads to another address.
type forwarding struct {
	what string // a screen, a desktop
	node string
	kind string // the protocol, for people
	to   string // the address, as the far end of the connection reaches it
}

// forwardPort serves all connections until ctx ends, which is its normal end.
func forwardPort(ctx context.Context, a *app.App, conn transport.Conn, f forwarding) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on the loopback: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	if err := a.Lines("The " + f.what + " of " + f.node + " is at " + listener.Addr().String() + " (" + f.kind + "). Ctrl-C ends it."); err != nil {
		return errors.Join(err, listener.Close())
	}
	var viewers sync.WaitGroup
	defer viewers.Wait()
	for {
		viewer, err := listener.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("wait for a viewer: %w", err)
		}
		viewers.Go(func() { connectViewer(ctx, a, conn, viewer, f) })
	}
}

// connectViewer connects one viewer with the remote address.
func connectViewer(ctx context.Context, a *app.App, conn transport.Conn, viewer net.Conn, f forwarding) {
	defer viewer.Close()
	far, err := conn.Dial(ctx, "tcp", f.to)
	if err != nil {
		_, _ = fmt.Fprintf(a.Err, "the %s does not answer: %v\n", f.what, err)
		return
	}
	defer far.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = viewer.Close(), far.Close() })
	defer stop()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(viewer, far)
		_ = viewer.Close() // ends the other direction
	})
	_, _ = io.Copy(far, viewer)
	_ = far.Close()
	back.Wait()
}
