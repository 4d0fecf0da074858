package local

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"

	"github.com/pkg/sftp"

	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/sftpfs"
)

var _ sftpfs.Source = (*other)(nil)

// Client returns the client of a live SFTP server.
func (o *other) Client(ctx context.Context) (*sftp.Client, sftpfs.Carrier, error) {
	client, err := o.files.Get(ctx, func() (*sftp.Client, error) { return o.start(ctx) })
	return client, o, err
}

// Spawn starts work that Close waits for.
func (o *other) Spawn(work func()) bool { return o.conn.life.Go(work) }

// Cut drops a client whose server has ended.
func (o *other) Cut(ctx context.Context, client *sftp.Client) { o.files.Forget(ctx, client) }

// start starts a server, whose end is waited for as work of the life.
func (o *other) start(ctx context.Context) (*sftp.Client, error) {
	if err := o.conn.life.Ended(); err != nil {
		return nil, err
	}
	var client *sftp.Client
	err := o.way.Start(ctx, func(e *become.Entry) (err error) {
		client, err = o.startBy(ctx, e)
		return err
	})
	return client, err
}

// startBy starts a server by an entry, if there is one.
func (o *other) startBy(ctx context.Context, e *become.Entry) (*sftp.Client, error) {
	mark := rand.Text()
	argv := []string{"/bin/sh", "-c", framing.Mark(o.conn.run) + become.FileServer(mark)}
	said := framing.NewHead(mostSaid)
	var cmd *exec.Cmd
	var talk *become.Exchange
	if e == nil {
		cmd = command(o.way.User.Line(argv...))
		cmd.Stderr = said
	} else {
		cmd = command(e.Line(argv...))
		talk = become.NewExchange(e, nil, said, func() { _ = cmd.Process.Kill() })
		defer talk.Close()
		cmd.Stderr = talk
	}
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start /bin/sh: %w", err)
	}
	if talk != nil {
		o.conn.life.Go(func() { talk.Answer(to) })
	}
	client, err := speak(ctx, mark, out, to)
	if err == nil && o.conn.life.Go(func() {
		_ = client.Wait() // users of the client get the reason
		_ = cmd.Wait()
	}) {
		return client, nil
	}
	_ = to.Close()
	o.abandon(cmd)
	if ended := cmp.Or(ctx.Err(), o.conn.life.Ended()); ended != nil {
		return nil, ended
	}
	if talk != nil && talk.Asked() {
		return nil, talk.Ended(err)
	}
	reason := sftpfs.Said(strings.NewReader(said.String()), err)
	if talk != nil {
		reason = talk.Said(err)
	}
	return nil, o.way.User.NoFileServer(reason)
}

// speak begins the protocol with a server, until ctx ends.
func speak(ctx context.Context, mark string, out io.Reader, to io.WriteCloser) (*sftp.Client, error) {
	stop := context.AfterFunc(ctx, func() { _ = to.Close() })
	defer stop()
	from := bufio.NewReaderSize(out, 64<<10)
	if err := framing.Until(from, mark, nil); err != nil {
		return nil, err
	}
	return sftpfs.NewClient(from, to)
}

// abandon ends a server that did not begin, and whose input is closed.
func (o *other) abandon(cmd *exec.Cmd) {
	signalSession(cmd.Process.Pid, syscall.SIGTERM) // if that is allowed
	_ = cmd.Wait()
}
