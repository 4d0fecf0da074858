package reboot

import (
	"context"
	"os"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

// machine is a host behind a real SSH server. Its restart command asks the test to
// end the server with all its connections, which then comes back with another boot
// id; the machine itself stays up.
type machine struct {
	*moduletest.Local
	server *sshd.Server
	conn   transport.Conn
	files  module.Files
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{Local: moduletest.LocalHost(t, ""), server: sshd.Start(t)}
	config := ssh.Config{Address: m.server.Host, Port: m.server.Port, User: m.server.User,
		IdentityFiles: []string{m.server.ClientKey}, HostKeys: []string{m.server.HostKey}}
	var err error
	if m.conn, err = ssh.Dial(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.conn.Close() })
	if m.files, err = m.conn.Files(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.put(t, "boot_id", "first\n")
	m.put(t, "reboot-required", "")
	return m
}

func (m *machine) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(m.Path(name), []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}

// Run runs a command over the connection.
func (m *machine) Run(ctx context.Context, c module.Command) (module.Output, error) {
	code, err := m.conn.Exec(ctx, transport.Process{Line: "exec " + shell.POSIX(c.Argv...)})
	if err == nil && code != 0 {
		err = &module.ExitError{Command: shell.POSIX(c.Argv...), Code: code}
	}
	return module.Output{}, err
}

// Files returns the files over the connection.
func (m *machine) Files() module.Files { return m.files }

// task is a restart of the machine by a command that leaves a file for restart.
func (m *machine) task() *Task {
	task := Kind().New().(*Task)
	task.Marker, task.Within = m.Path("reboot-required"), "30s"
	task.Command = []string{"touch", m.Path("asked")}
	task.paths = paths{here: m.Path("none"), there: m.Path("boot_id")}
	return task
}

// restart waits for the command and restarts the server; back is called while it is
// down. It returns when it is up again, or at once when done is closed before.
func (m *machine) restart(t *testing.T, done <-chan struct{}, back func()) {
	for {
		if _, err := os.Stat(m.Path("asked")); err == nil {
			break
		}
		select {
		case <-done:
			t.Error("the restart was not asked for")
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	m.server.Stop()
	_ = os.Remove(m.Path("asked"))
	_ = os.Remove(m.Path("reboot-required"))
	time.Sleep(1500 * time.Millisecond) // so that a look finds it down
	back()
	if err := m.server.Restart(t); err != nil {
		t.Error(err)
	}
}
