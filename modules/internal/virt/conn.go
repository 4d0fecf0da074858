// Package virt talks to libvirt on a host: connections over a forwarded socket,
// the XML of a domain, its state and changes, and what belongs to whom.
//
// It is the only package that imports libvirt. Which change is wanted is decided
// by the modules.
package virt

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"libvirt.org/go/libvirt"

	"kinit/engine/module"
	"kinit/modules/internal/relay"
)

// Conn is one connection to a host's libvirt. It is used by one goroutine at a
// time and must be closed. Once the context of a call has ended the connection
// is of no further use.
type Conn struct {
	lv    *libvirt.Connect
	relay *relay.Relay // nil for the test driver
	// domainType replaces the type of every domain that is defined, for the test
	// driver, which knows only its own.
	domainType string
}

// Opener opens a connection to a host's libvirt; Open is one.
type Opener func(ctx context.Context, h module.Host) (*Conn, error)

// Do opens a connection, calls f and closes it.
func (open Opener) Do(ctx context.Context, h module.Host, f func(*Conn) error) error {
	c, err := open(ctx, h)
	if err != nil {
		return err
	}
	return errors.Join(f(c), c.Close())
}

// Open connects to the host's libvirt through the host's own connection. The
// error is ErrNotInstalled where there is no libvirt, ErrNotRunning where it does
// not answer, and ErrNoLibrary where this machine lacks libvirt's client library.
func Open(ctx context.Context, h module.Host) (*Conn, error) {
	remote, err := findSocket(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := CheckLibrary(); err != nil {
		return nil, err
	}
	local, err := h.Socket(ctx, remote)
	if err != nil {
		return nil, fmt.Errorf("forward %s of %s: %w", remote, h.Name(), err)
	}
	r, err := relay.New(local)
	if err != nil {
		return nil, err
	}
	c := &Conn{relay: r}
	if err := c.connect(ctx, "qemu+unix:///system?socket="+url.QueryEscape(r.Path())); err != nil {
		return nil, notAnswering(h.Name(), errors.Join(r.Failure(), err, c.Close()))
	}
	return c, nil
}

// OpenTest connects to libvirt's in-memory test driver, for the tests of
// modules. What it holds lasts as long as one such connection is open and is
// shared within the process.
func OpenTest(ctx context.Context) (*Conn, error) {
	if err := CheckLibrary(); err != nil {
		return nil, err
	}
	c := &Conn{domainType: "test"}
	if err := c.connect(ctx, "test:///default"); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Conn) connect(ctx context.Context, uri string) error {
	return c.call(ctx, "connect", func() error {
		lv, err := libvirt.NewConnect(uri)
		c.lv = lv
		return err
	})
}

// Close ends the connection. Domains keep running.
func (c *Conn) Close() error {
	var err error
	if c.lv != nil {
		_, err = c.lv.Close()
		c.lv = nil
	}
	if c.relay != nil {
		err = errors.Join(err, c.relay.Close())
	}
	return err
}

// call runs one libvirt call and waits for it. libvirt knows no contexts: when
// ctx ends first, the relay is cut, and the call fails because its peer is gone.
func (c *Conn) call(ctx context.Context, what string, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.relay != nil {
		stop := context.AfterFunc(ctx, c.relay.Cut)
		defer stop()
	}
	err := f()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return explain(what, err)
}
