package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"kinit/engine/transport/internal/life"
)

// longestSocket is the most, in bytes, that the path of a unix socket may have:
// sun_path, unix(7), less the final zero.
const longestSocket = 107

// sockets are the sockets of a machine that have a private local one. They are safe for use
// by several goroutines.
type sockets struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	life *life.Life // forwarding is its work

	making chan struct{} // holds a token while one is made
	dir    string
	local  map[string]string // by remote path
}

// newSockets returns no sockets yet. dial connects from the machine.
func newSockets(dial func(ctx context.Context, network, address string) (net.Conn, error), l *life.Life) *sockets {
	return &sockets{dial: dial, life: l, making: make(chan struct{}, 1), local: map[string]string{}}
}

// Socket returns the local socket that leads to the remote one. It dials the
// remote one first, so that a wrong path is known here and now.
func (f *sockets) Socket(ctx context.Context, path string) (string, error) {
	if err := f.life.Enter(); err != nil {
		return "", err
	}
	defer f.life.Leave()
	ctx, free := f.life.During(ctx)
	defer free()
	local, err := f.make(ctx, path)
	if err != nil {
		return "", cmp.Or(f.life.Ended(), err)
	}
	return local, nil
}

// make makes the local socket of a remote one, unless there is one.
func (f *sockets) make(ctx context.Context, path string) (string, error) {
	select {
	case f.making <- struct{}{}:
		defer func() { <-f.making }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if local, ok := f.local[path]; ok {
		return local, nil
	}
	probe, err := f.dial(ctx, "unix", path)
	if err != nil {
		return "", err
	}
	_ = probe.Close()
	listener, err := f.listen()
	if err != nil {
		return "", fmt.Errorf("forward %s: %w", path, err)
	}
	if !f.life.Go(func() { f.accept(context.WithoutCancel(ctx), listener, path) }) {
		return "", fmt.Errorf("forward %s: %w", path, errors.Join(net.ErrClosed, listener.Close()))
	}
	f.local[path] = listener.Addr().String()
	return f.local[path], nil
}

// listen makes a socket in a folder that only this user can enter.
func (f *sockets) listen() (net.Listener, error) {
	if f.dir == "" {
		dir, err := os.MkdirTemp(socketFolder(), "kinit-")
		if err != nil {
			return nil, err
		}
		f.dir = dir
	}
	return net.Listen("unix", filepath.Join(f.dir, strconv.Itoa(len(f.local))))
}

// socketFolder is where temporary files go, unless its path is too long for a
// socket in it.
func socketFolder() string {
	if dir := os.TempDir(); len(dir)+len("/kinit-1234567890/100") <= longestSocket {
		return dir
	}
	return "/tmp"
}

// accept joins every connection to one of its own, until the life ends.
func (f *sockets) accept(ctx context.Context, listener net.Listener, path string) {
	over, free := f.life.During(ctx)
	defer free()
	defer listener.Close()
	defer context.AfterFunc(over, func() { _ = listener.Close() })()
	for {
		near, err := listener.Accept()
		if err != nil {
			return // closed, or there are no more files to open
		}
		if !f.life.Go(func() { f.join(ctx, near, path) }) {
			_ = near.Close()
		}
	}
}

// join copies between a local connection and a new remote one until both ends
// have nothing more to say. A remote end that cannot be reached closes the near
// one, as a server that dies would.
func (f *sockets) join(ctx context.Context, near net.Conn, path string) {
	defer near.Close()
	ctx, free := f.life.During(ctx)
	defer free()
	far, err := f.dial(ctx, "unix", path)
	if err != nil {
		return
	}
	defer far.Close()
	defer context.AfterFunc(ctx, func() {
		_ = near.Close()
		_ = far.Close()
	})()
	var both sync.WaitGroup
	both.Go(func() { pass(far, near) })
	both.Go(func() { pass(near, far) })
	both.Wait()
}

// pass copies one direction and ends the other side where it ends.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from) // either end may go at any time
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// Close removes the sockets. The life has ended.
func (f *sockets) Close() error {
	dir := f.dir
	f.dir = ""
	if dir == "" {
		return nil
	}
	return os.RemoveAll(dir)
}
