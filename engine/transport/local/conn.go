// Package local is the transport to the machine that kinit runs on.
//
// It runs /bin/sh, uses the file system directly and dials with the net package. As another
// user it runs commands, and an SFTP server for the files, by sudo, doas or su; it dials as
// the user who runs kinit.
package local

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/pkg/sftp"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/life"
	"kinit/engine/transport/internal/posix"
)

// Conn is this machine. Make it with New or As.
type Conn struct {
	files *posix.Files
	as    *other // nil means the user who runs kinit
	run   string // the name of the run, or empty
	life  *life.Life
}

var _ transport.Conn = (*Conn)(nil)

// New returns this machine.
func New() *Conn {
	c := &Conn{life: newLife()}
	c.files = posix.New(system{}, c.Exec)
	return c
}

func newLife() *life.Life { return life.New("local machine") }

// Mark names the run that the Conn is for, before it is used: its commands have the
// variable KINIT_RUN with that name, and KINIT_COMMAND with their process number, which
// distinguishes them from processes that they leave behind.
func (c *Conn) Mark(run string) { c.run = run }

// Files returns the machine's file system.
func (c *Conn) Files(ctx context.Context) (module.Files, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.as != nil {
		if _, _, err := c.as.Client(ctx); err != nil {
			return nil, err
		}
	}
	return c.files, nil
}

// Dial connects from this machine. The connection outlives Close.
func (c *Conn) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" && network != "unix" {
		return nil, fmt.Errorf("dial %s %s: only tcp and unix are supported", network, address)
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, address)
}

// Socket returns the path itself, when a program listens on it.
func (c *Conn) Socket(ctx context.Context, path string) (string, error) {
	probe, err := c.Dial(ctx, "unix", path)
	if err != nil {
		return "", err
	}
	return path, probe.Close()
}

// Close kills the commands that still run and waits for them.
func (c *Conn) Close() error {
	c.life.Stop()
	if c.as != nil {
		c.as.files.Close(func(client *sftp.Client) { _ = client.Close() }) // it may have ended already
	}
	c.life.End()
	return nil
}

// environment returns our environment without the variables of playbooks, which may be
// secret, and without those of a run that has started us.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "KINIT_VAR_") || name == "KINIT_RUN" || name == "KINIT_COMMAND" || name == "KINIT_WORKER"
	})
}

// home returns the folder where commands start: the user's home, or the root folder.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return "/"
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "/"
	}
	return dir
}
