package hostile

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/shell"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/ssh"
	"kinit/engine/transport/transporttest/sshd"
)

// host is this machine over a transport.
type host struct {
	*moduletest.Local
	conn  transport.Conn
	files module.Files
}

// Files are those of the transport.
func (h *host) Files() module.Files { return h.files }

// Run runs a command over the transport.
func (h *host) Run(ctx context.Context, c module.Command) (module.Output, error) {
	line := "export LC_ALL=C; "
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		line += "export " + name + "=" + shell.POSIX(c.Env[name]) + "; "
	}
	if c.Dir != "" {
		line += "cd " + shell.POSIX(c.Dir) + " || exit 126; "
	}
	var stdout, stderr bytes.Buffer
	code, err := h.conn.Exec(ctx, transport.Process{Line: line + "exec " + shell.POSIX(c.Argv...), Stdin: c.Stdin, Stdout: &stdout, Stderr: &stderr})
	out := module.Output{Stdout: stdout.String(), Stderr: stderr.String()}
	if err == nil && code != 0 {
		err = &module.ExitError{Command: strings.Join(c.Argv, " "), Code: code, Stdout: out.Stdout, Stderr: out.Stderr}
	}
	return out, err
}

// ways are the transports by which root comes to a machine.
func ways() map[string]func(t *testing.T) transport.Conn {
	return map[string]func(t *testing.T) transport.Conn{
		"local": func(*testing.T) transport.Conn { return local.New() },
		"ssh": func(t *testing.T) transport.Conn {
			server := sshd.Start(t)
			conn, err := ssh.Dial(t.Context(), ssh.Config{
				Name: "node1", Address: server.Host, Port: server.Port, User: server.User,
				IdentityFiles: []string{server.ClientKey}, KnownHosts: []string{server.KnownHosts},
			})
			if err != nil {
				t.Fatal(err)
			}
			return conn
		},
		"su": func(t *testing.T) transport.Conn {
			conn, err := local.As("root", "su", nil)
			if err != nil {
				t.Fatal(err)
			}
			return conn
		},
	}
}

// reach is the machine over a transport.
func reach(t *testing.T, dial func(t *testing.T) transport.Conn) *host {
	t.Helper()
	conn := dial(t)
	t.Cleanup(func() { _ = conn.Close() })
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &host{Local: moduletest.LocalHost(t, ""), conn: conn, files: files}
}
