package virt

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// relay passes one private unix socket on to another. It exists so that a
// libvirt call, which nothing can interrupt, ends when the relay is cut.
type relay struct {
	dir    string
	listen net.Listener
	done   sync.WaitGroup

	mu    sync.Mutex
	open  []net.Conn
	isCut bool
	err   error
}

// newRelay listens in a folder that only this user may enter.
func newRelay(target string) (*relay, error) {
	dir, err := os.MkdirTemp("", "kinit-virt-")
	if err != nil {
		return nil, err
	}
	r := &relay{dir: dir}
	r.listen, err = net.Listen("unix", r.path())
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r.done.Go(func() { r.accept(target) })
	return r, nil
}

func (r *relay) path() string { return filepath.Join(r.dir, "libvirt") }

// accept serves callers until the listener is closed.
func (r *relay) accept(target string) {
	for {
		near, err := r.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", target)
		if err != nil {
			r.fail(err)
			near.Close()
			continue
		}
		if r.keep(near, far) {
			r.done.Go(func() { pass(near, far) })
			r.done.Go(func() { pass(far, near) })
		}
	}
}

// pass copies one direction; either end going away ends both.
func pass(to, from net.Conn) {
	io.Copy(to, from)
	to.Close()
	from.Close()
}

// keep remembers a pair of connections, or closes it when the relay was cut.
func (r *relay) keep(pair ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, pair...)
	if r.isCut {
		closeAll(pair)
	}
	return !r.isCut
}

func (r *relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// failure is why the target could not be reached, or nil.
func (r *relay) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// cut ends every connection at once. Calling it twice is fine.
func (r *relay) cut() {
	r.listen.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	closeAll(r.open)
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		c.Close()
	}
}

// close cuts, waits for what still runs and removes the socket.
func (r *relay) close() error {
	r.cut()
	r.done.Wait()
	return os.RemoveAll(r.dir)
}
