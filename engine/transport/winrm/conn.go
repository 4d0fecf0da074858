package winrm

import (
	"context"
	"errors"
	"fmt"
	"net"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/shells"
	"kinit/engine/transport/internal/windows"
)

// Conn is one Windows machine. Make it with Dial. It connects again by itself.
type Conn struct {
	config Config
	client *client
	shells *shells.Set[*shell]
	files  *windows.Files
	life   *life.Life // commands count as its work
}

var _ transport.Conn = (*Conn)(nil)

// Dial connects to a machine and makes a first shell on it. Errors are
// transport.ErrUnreachable, ErrAuth or ErrHostKey, and contain advice.
func Dial(ctx context.Context, config Config) (*Conn, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	client, err := newClient(config)
	if err != nil {
		return nil, err
	}
	life := life.New(config.label())
	c := &Conn{config: config, client: client, shells: newShells(client, life.Go), life: life}
	c.files = windows.New(c.Exec)
	s, err := c.shells.Take(ctx)
	if err != nil {
		client.wire.close()
		return nil, c.about("connect to", err)
	}
	c.shells.Put(ctx, s, true)
	return c, nil
}

func (c *Conn) about(what string, err error) error {
	return fmt.Errorf("%s %s: %w", what, c.config.label(), err)
}

// Exec runs the line, which is PowerShell. The package comment describes lost connections.
//
// Processes that a command leaves running end with its shell, at the latest when the Conn
// is closed: Windows keeps the processes of a shell in a job. A scheduled task or a service
// outlives it.
func (c *Conn) Exec(ctx context.Context, p transport.Process) (int, error) {
	return c.life.Do(ctx, func(ctx context.Context) (int, error) {
		code, err := c.exec(ctx, p)
		if err != nil {
			err = c.about("run on", err)
		}
		return code, err
	})
}

// Files returns the machine's file system, which uses scripts. Each access starts a
// process.
func (c *Conn) Files(ctx context.Context) (module.Files, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.files, nil
}

// Dial is not possible over WinRM.
func (c *Conn) Dial(_ context.Context, network, address string) (net.Conn, error) {
	return nil, c.about(fmt.Sprintf("dial %s %s from", network, address), errNoDial)
}

// Socket is not possible over WinRM.
func (c *Conn) Socket(_ context.Context, path string) (string, error) {
	return "", c.about(fmt.Sprintf("forward the socket %s of", path), errNoDial)
}

var errNoDial = fmt.Errorf("WinRM carries no connections from a machine: install OpenSSH's server on it and reach it by ssh: %w", errors.ErrUnsupported)

// Close kills the commands that still run, and deletes the shells.
func (c *Conn) Close() error {
	c.life.End()
	c.shells.Close(context.Background())
	c.client.wire.close()
	return nil
}
