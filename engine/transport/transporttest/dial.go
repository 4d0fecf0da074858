package transporttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"kinit/engine/transport"
)

func (s suite) dial(t *testing.T) {
	s.behaviour(t, "dial/tcp", func(t *testing.T) {
		ctx, conn := s.conn(t)
		talk(ctx, t, conn, "tcp", serveEcho(t, "tcp", "127.0.0.1:0"), random(3<<20))
	})
	s.behaviour(t, "dial/tcp by name", func(t *testing.T) {
		ctx, conn := s.conn(t)
		_, port, _ := net.SplitHostPort(serveEcho(t, "tcp", "127.0.0.1:0"))
		talk(ctx, t, conn, "tcp", net.JoinHostPort("localhost", port), []byte("hello"))
	})
	s.behaviour(t, "dial/unix", func(t *testing.T) {
		ctx, conn := s.conn(t)
		talk(ctx, t, conn, "unix", serveEcho(t, "unix", socketPath(t)), random(3<<20))
	})
	s.behaviour(t, "dial/nothing listens", func(t *testing.T) {
		ctx, conn := s.conn(t)
		_, err := conn.Dial(ctx, "unix", socketPath(t))
		refused(t, err, "a missing socket was dialled")
		_, err = conn.Dial(ctx, "tcp", "127.0.0.1:1")
		refused(t, err, "a closed port was dialled")
		_, err = conn.Dial(ctx, "udp", "127.0.0.1:1")
		refused(t, err, "udp was dialled")
		s.goesOn(ctx, t, conn)
	})
	s.behaviour(t, "dial/socket", s.socket)
}

func (s suite) socket(t *testing.T) {
	ctx, conn := s.conn(t)
	remote := serveEcho(t, "unix", socketPath(t))
	local, err := conn.Socket(ctx, remote)
	if err != nil {
		t.Fatal(err)
	}
	again, err := conn.Socket(ctx, remote)
	check(t, err)
	want(t, "the second path", again, local)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			to, err := net.Dial("unix", local)
			if err != nil {
				t.Error(err)
				return
			}
			exchange(t, to, random(1<<20))
		})
	}
	all.Wait()
	if local != remote {
		info, err := os.Stat(filepath.Dir(local))
		check(t, err)
		want(t, "permissions of the folder", info.Mode().Perm(), 0o700)
	}
	_, err = conn.Socket(ctx, socketPath(t))
	refused(t, err, "a missing socket was forwarded")
	check(t, conn.Close())
	if local != remote {
		_, err := os.Stat(filepath.Dir(local))
		wantIs(t, err, os.ErrNotExist)
	}
}

// socketPath returns a short path for a socket.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kinit-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	return dir + "/socket"
}

// serveEcho listens and gives everybody back what they send.
func serveEcho(t *testing.T, network, address string) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		check(t, listener.Close())
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			})
		}
	})
	return listener.Addr().String()
}

// talk dials, and exchanges a text.
func talk(ctx context.Context, t *testing.T, conn transport.Conn, network, address string, text []byte) {
	t.Helper()
	to, err := conn.Dial(ctx, network, address)
	if err != nil {
		t.Fatal(err)
	}
	exchange(t, to, text)
}

// exchange sends a text, says that this was all, and wants it back.
func exchange(t *testing.T, conn net.Conn, text []byte) {
	t.Helper()
	defer conn.Close()
	sent := make(chan error, 1)
	go func() {
		_, err := conn.Write(text)
		sent <- errors.Join(err, conn.(interface{ CloseWrite() error }).CloseWrite())
	}()
	got, err := io.ReadAll(conn)
	check(t, errors.Join(err, <-sent))
	if sha256.Sum256(got) != sha256.Sum256(text) {
		t.Errorf("%d bytes came back, want the %d that were sent (equal start: %v)",
			len(got), len(text), bytes.HasPrefix(text, got))
	}
}
