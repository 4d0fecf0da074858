package ssh_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

// benchmarkConn connects to a server on this machine.
func benchmarkConn(b *testing.B) *ssh.Conn {
	b.Helper()
	conn, err := ssh.Dial(b.Context(), config(sshd.Start(b)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	run(b, conn, transport.Process{Line: "true"}) // starts the worker
	return conn
}

func run(b *testing.B, conn *ssh.Conn, p transport.Process) {
	b.Helper()
	if code, err := conn.Exec(b.Context(), p); code != 0 || err != nil {
		b.Fatalf("code %d, error %v", code, err)
	}
}

// BenchmarkExec measures a command that does nothing, on a worker that is there.
func BenchmarkExec(b *testing.B) {
	conn := benchmarkConn(b)
	for b.Loop() {
		run(b, conn, transport.Process{Line: "true"})
	}
}

// BenchmarkExecFenced measures the same while a link must be there.
func BenchmarkExecFenced(b *testing.B) {
	conn := benchmarkConn(b)
	link := filepath.Join(b.TempDir(), "link")
	if err := os.Symlink("/", link); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		run(b, conn, transport.Process{Line: "true", Fence: link})
	}
}

// BenchmarkExecParallel measures the same from many goroutines.
func BenchmarkExecParallel(b *testing.B) {
	conn := benchmarkConn(b)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			run(b, conn, transport.Process{Line: "true"})
		}
	})
}

// BenchmarkExecShortInput measures a command whose input is sent along.
func BenchmarkExecShortInput(b *testing.B) {
	conn := benchmarkConn(b)
	text := bytes.Repeat([]byte("0123456789abcde\n"), 256) // 4 KiB
	for b.Loop() {
		run(b, conn, transport.Process{Line: "cat >/dev/null", Stdin: bytes.NewReader(text)})
	}
}

// BenchmarkExecStreamedInput measures a command that takes its worker's session.
func BenchmarkExecStreamedInput(b *testing.B) {
	conn := benchmarkConn(b)
	for b.Loop() {
		run(b, conn, transport.Process{Line: "cat >/dev/null", Stdin: io.LimitReader(bytes.NewReader([]byte("text")), 4)})
	}
}

// BenchmarkKill measures how long a cancelled command takes to be gone.
func BenchmarkKill(b *testing.B) {
	conn := benchmarkConn(b)
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), 20*time.Millisecond)
		_, err := conn.Exec(ctx, transport.Process{Line: "exec sleep 100"})
		if err == nil {
			b.Fatal("not killed")
		}
		cancel()
	}
}

// BenchmarkDial measures connecting, up to the first command.
func BenchmarkDial(b *testing.B) {
	server := sshd.Start(b)
	for b.Loop() {
		conn, err := ssh.Dial(b.Context(), config(server))
		if err != nil {
			b.Fatal(err)
		}
		run(b, conn, transport.Process{Line: "true"})
		_ = conn.Close()
	}
}

// BenchmarkWriteSmall measures replacing a file of 1 KiB.
func BenchmarkWriteSmall(b *testing.B) {
	benchmarkWrite(b, 1<<10)
}

// BenchmarkWriteLarge measures replacing a file of 64 MiB.
func BenchmarkWriteLarge(b *testing.B) {
	benchmarkWrite(b, 64<<20)
}

func benchmarkWrite(b *testing.B, size int) {
	conn := benchmarkConn(b)
	files, err := conn.Files(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	text := make([]byte, size)
	name := b.TempDir() + "/file"
	b.SetBytes(int64(size))
	for b.Loop() {
		if err := files.Write(b.Context(), name, bytes.NewReader(text), module.Attr{Mode: 0o600}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadLarge measures reading a file of 64 MiB.
func BenchmarkReadLarge(b *testing.B) {
	const size = 64 << 20
	conn := benchmarkConn(b)
	files, err := conn.Files(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	name := b.TempDir() + "/file"
	if err := files.Write(b.Context(), name, bytes.NewReader(make([]byte, size)), module.Attr{}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		file, err := files.Open(b.Context(), name)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, file); err != nil {
			b.Fatal(err)
		}
		_ = file.Close()
	}
}
