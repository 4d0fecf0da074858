// Package relay passes a private unix socket on to another one, for libraries that dial a
// socket themselves. Their connections can be cut from outside, and their end can be held
// back while the library could not bear it.
package relay

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Relay is a socket that leads to another one, until it is closed. It is safe for use by
// several goroutines.
type Relay struct {
	dir    string
	listen net.Listener
	meter  io.Writer // gets what the target sends
	done   sync.WaitGroup
	ended  chan struct{} // closed when a connection to the target has ended
	end    func()
	free   chan struct{} // closed when callers may notice that
	let    func()

	mu    sync.Mutex
	open  []net.Conn
	isCut bool
	err   error
}

// New listens in a folder that only this user may enter. The relay must be closed.
func New(target string) (*Relay, error) {
	r, err := NewHeld(target, io.Discard)
	if err == nil {
		r.Release()
	}
	return r, err
}

// NewHeld is New for callers that must not notice that the target has ended their
// connection before Release is called. The meter gets what the target sends before the caller does; its error ends the connection
// and is the Failure. Callers make one connection.
func NewHeld(target string, meter io.Writer) (*Relay, error) {
	dir, err := os.MkdirTemp("", "kinit-relay-")
	if err != nil {
		return nil, err
	}
	r := &Relay{dir: dir, meter: meter, ended: make(chan struct{}), free: make(chan struct{})}
	r.end = sync.OnceFunc(func() { close(r.ended) })
	r.let = sync.OnceFunc(func() { close(r.free) })
	r.listen, err = net.Listen("unix", r.Path())
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	r.done.Go(func() { r.accept(target) })
	return r, nil
}

// Path is the socket to dial.
func (r *Relay) Path() string { return filepath.Join(r.dir, "s") }

// Ended is closed when a connection to the target has ended, or could not be made.
func (r *Relay) Ended() <-chan struct{} { return r.ended }

// Release lets callers notice the end of their connections.
func (r *Relay) Release() { r.let() }

// accept serves callers until the listener is closed.
func (r *Relay) accept(target string) {
	for {
		near, err := r.listen.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", target)
		if err != nil {
			r.fail(err)
			r.end()
			near.Close()
			continue
		}
		if r.keep(near, far) {
			r.done.Go(func() { pass(far, near) })
			r.done.Go(func() { r.answer(near, far) })
		}
	}
}

// answer passes on what the target says, until one of both goes away.
func (r *Relay) answer(near, far net.Conn) {
	// Either end going away ends both.
	_, _ = io.Copy(near, io.TeeReader(far, writerFunc(func(text []byte) (int, error) {
		n, err := r.meter.Write(text)
		if err != nil {
			r.fail(err)
		}
		return n, err
	})))
	r.end()
	<-r.free
	near.Close()
	far.Close()
}

type writerFunc func(text []byte) (int, error)

func (w writerFunc) Write(text []byte) (int, error) { return w(text) }

// pass copies one direction; either end going away ends both.
func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

// keep remembers a pair of connections, or closes it when the relay was cut.
func (r *Relay) keep(pair ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = append(r.open, pair...)
	if r.isCut {
		closeAll(pair)
	}
	return !r.isCut
}

func (r *Relay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// Failure is why the target could not be reached, or the meter's error, or nil.
func (r *Relay) Failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Cut ends every connection at once. Calling it twice is fine.
func (r *Relay) Cut() {
	r.let()
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

// Close cuts, waits for what still runs and removes the socket.
func (r *Relay) Close() error {
	r.Cut()
	r.done.Wait()
	return os.RemoveAll(r.dir)
}
