package local

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"

	"github.com/pkg/sftp"

	"kinit/engine/transport/internal/become"
	"kinit/engine/transport/internal/framing"
	"kinit/engine/transport/internal/sftpfs"
)

// helper is an SFTP server that runs as another user: started when first needed, and again
// after it has ended.
type helper struct {
	starting chan struct{} // holds a token while the client is checked or made
	client   *sftp.Client
}

func newHelper() helper { return helper{starting: make(chan struct{}, 1)} }

var _ sftpfs.Source = (*other)(nil)

// Client returns the client of a live SFTP server.
func (o *other) Client(ctx context.Context) (*sftp.Client, sftpfs.Carrier, error) {
	select {
	case o.helper.starting <- struct{}{}:
		defer func() { <-o.helper.starting }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if o.helper.client != nil {
		return o.helper.client, o, nil
	}
	if err := o.conn.enter(); err != nil {
		return nil, nil, err
	}
	client, err := o.start(ctx)
	if err != nil {
		o.conn.running.Done()
		return nil, nil, err
	}
	o.helper.client = client
	return client, o, nil
}

// Spawn starts work that Close waits for.
func (o *other) Spawn(work func()) bool {
	if o.conn.enter() != nil {
		return false
	}
	go func() {
		defer o.conn.running.Done()
		work()
	}()
	return true
}

// Cut drops a client whose server has ended.
func (o *other) Cut(ctx context.Context, client *sftp.Client) {
	select {
	case o.helper.starting <- struct{}{}:
		defer func() { <-o.helper.starting }()
	case <-ctx.Done():
		return // the next request detects it again
	}
	if o.helper.client == client {
		o.helper.client = nil
	}
}

// close ends the server, which ends with its input.
func (o *other) close() {
	o.helper.starting <- struct{}{}
	defer func() { <-o.helper.starting }()
	if o.helper.client != nil {
		_ = o.helper.client.Close() // it may have ended already
		o.helper.client = nil
	}
}

// start starts a server. A goroutine waits for its end and then leaves the group of running
// work that the caller has entered.
func (o *other) start(ctx context.Context) (*sftp.Client, error) {
	mark := rand.Text()
	cmd := command(o.user.Line("/bin/sh", "-c", framing.Mark(o.conn.run)+become.FileServer(mark)))
	said := &limited{}
	cmd.Stderr = said
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
	client, err := speak(ctx, mark, out, to)
	if err == nil {
		go func() {
			defer o.conn.running.Done()
			_ = client.Wait() // users of the client get the reason
			_ = cmd.Wait()
		}()
		return client, nil
	}
	_ = to.Close()
	o.abandon(cmd)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("start the SFTP server as %s with %s: %s", o.user.Name, o.user.By(), sftpfs.Said(said, err))
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

// limited keeps the beginning of a program's output, and passes all of it on.
type limited struct {
	to   io.Writer // nil drops the output
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *limited) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := 4<<10 - l.text.Len(); room > 0 {
		l.text.Write(data[:min(room, len(data))])
	}
	if l.to == nil {
		return len(data), nil
	}
	return l.to.Write(data)
}

func (l *limited) Read(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Read(data)
}
