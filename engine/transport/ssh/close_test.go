package ssh_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

// TestCloseLeavesNothing counts goroutines, so it is not parallel to others.
func TestCloseLeavesNothing(t *testing.T) {
	server := sshd.Start(t)
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := runtime.NumGoroutine()
	conn, err := ssh.Dial(t.Context(), config(server))
	if err != nil {
		t.Fatal(err)
	}
	var pids bytes.Buffer
	for range 3 {
		_, err := conn.Exec(t.Context(), transport.Process{Line: "echo $PPID", Stdout: &pids, Stdin: onlyReader{strings.NewReader("x")}})
		if err != nil {
			t.Fatal(err)
		}
	}
	crowd(t, conn)
	small(t, conn)
	says(t, conn, "echo $PPID >/dev/null; cat", "")
	local, err := conn.Socket(t.Context(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.Dial("unix", local)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return runtime.NumGoroutine() <= before })
	for _, pid := range strings.Fields(pids.String()) {
		await(t, func() bool { _, err := os.Stat("/proc/" + pid); return err != nil })
	}
}

// onlyReader hides how much there is to read.
type onlyReader struct{ from *strings.Reader }

func (r onlyReader) Read(b []byte) (int, error) { return r.from.Read(b) }
