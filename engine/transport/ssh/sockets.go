package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// longestSocket is the most, in bytes, that the path of a unix socket may have:
// sun_path, unix(7), less the final zero.
const longestSocket = 107

// sockets are the sockets of a machine that have a private local one. They are safe for use
// by several goroutines.
type sockets struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	making  chan struct{} // holds a token while one is made
	mu      sync.Mutex
	dir     string
	sockets map[string]string // local by remote path
	open    map[io.Closer]bool
	closed  bool
	owned   sync.WaitGroup
}

// newSockets returns no sockets yet. dial connects from the machine.
func newSockets(dial func(ctx context.Context, network, address string) (net.Conn, error)) *sockets {
	return &sockets{
		dial: dial, making: make(chan struct{}, 1),
		sockets: map[string]string{}, open: map[io.Closer]bool{},
	}
}

// Socket returns the local socket that leads to the remote one. It dials the
// remote one first, so that a wrong path is known here and now.
func (f *sockets) Socket(ctx context.Context, path string) (string, error) {
	select {
	case f.making <- struct{}{}:
		defer func() { <-f.making }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if local, ok := f.known(path); ok {
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
	return f.serve(ctx, listener, path)
}

func (f *sockets) known(path string) (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	local, ok := f.sockets[path]
	return local, ok
}

// listen makes a socket in a folder that only this user can enter.
func (f *sockets) listen() (net.Listener, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		dir, err := os.MkdirTemp(socketFolder(), "kinit-")
		if err != nil {
			return nil, err
		}
		f.dir = dir
	}
	return net.Listen("unix", filepath.Join(f.dir, strconv.Itoa(len(f.sockets))))
}

// socketFolder is where temporary files go, unless its path is too long for a
// socket in it.
func socketFolder() string {
	if dir := os.TempDir(); len(dir)+len("/kinit-1234567890/100") <= longestSocket {
		return dir
	}
	return "/tmp"
}

// serve starts to accept on the socket, until Close.
func (f *sockets) serve(ctx context.Context, listener net.Listener, path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		_ = listener.Close()
		return "", fmt.Errorf("forward %s: %w", path, net.ErrClosed)
	}
	local := listener.Addr().String()
	f.sockets[path] = local
	f.open[listener] = true
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	f.owned.Go(func() {
		defer end()
		f.accept(life, listener, path)
	})
	return local, nil
}

// accept joins every connection to one of its own.
func (f *sockets) accept(ctx context.Context, listener net.Listener, path string) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return // closed
		}
		f.owned.Go(func() { f.join(ctx, near, path) })
	}
}

// join copies between a local connection and a new remote one until both ends
// have nothing more to say. A remote end that cannot be reached closes the near
// one, as a server that dies would.
func (f *sockets) join(ctx context.Context, near net.Conn, path string) {
	defer f.drop(near)
	if !f.track(near) {
		return
	}
	far, err := f.dial(ctx, "unix", path)
	if err != nil {
		return
	}
	defer f.drop(far)
	if !f.track(far) {
		return
	}
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

// track notes what Close has to close, unless that has happened.
func (f *sockets) track(c io.Closer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.open[c] = true
	return true
}

func (f *sockets) drop(c io.Closer) {
	_ = c.Close()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, c)
}

func (f *sockets) Close() error {
	f.mu.Lock()
	f.closed = true
	var errs error
	for c := range f.open {
		_ = c.Close()
	}
	dir := f.dir
	f.dir = ""
	f.mu.Unlock()
	f.owned.Wait()
	if dir != "" {
		errs = errors.Join(errs, os.RemoveAll(dir))
	}
	return errs
}
