package sshd

import (
	"context"
	"io"
	"sync"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/process"
)

// defaultShell runs every line.
const defaultShell = "powershell.exe"

// session is one session channel (RFC 4254, 6).
type session struct {
	server  *Server
	user    string
	channel ssh.Channel
	busy    bool // it runs something already
	running sync.WaitGroup
}

// session serves a session until its channel is closed and its process has ended.
func (s *Server) session(ctx context.Context, user string, asked ssh.NewChannel) {
	channel, requests, err := asked.Accept()
	if err != nil {
		return
	}
	defer channel.Close()
	ctx, cancel := context.WithCancel(ctx)
	open := &session{server: s, user: user, channel: channel}
	for request := range requests {
		open.request(ctx, request)
	}
	cancel()
	open.running.Wait()
}

// request answers one request of the client.
func (c *session) request(ctx context.Context, request *ssh.Request) {
	var payload struct{ Text string }
	var begin func() // what runs once the client knows that it does
	ok := false
	switch request.Type {
	case "pty-req", "window-change":
		ok = true
	case "shell":
		begin = c.process(ctx, "", []string{})
	case "exec":
		if ssh.Unmarshal(request.Payload, &payload) == nil {
			begin = c.process(ctx, payload.Text, []string{"-c", payload.Text})
		}
	case "subsystem":
		if ssh.Unmarshal(request.Payload, &payload) == nil && payload.Text == "sftp" {
			begin = c.sftp()
		}
	}
	if begin != nil {
		ok = !c.busy // a session runs one thing only
		c.busy = true
	}
	if request.WantReply {
		_ = request.Reply(ok, nil) // fails with the connection only
	}
	if begin != nil && ok {
		c.running.Go(begin)
	}
}

// process is what runs a line.
func (c *session) process(ctx context.Context, line string, args []string) func() {
	return func() {
		c.server.mu.Lock()
		c.server.started = append(c.server.started, line)
		c.server.mu.Unlock()
		c.run(ctx, process.Command{
			Line: defaultShell, Args: args, User: c.user,
			Stdin: c.channel, Stdout: pipe{c.channel}, Stderr: pipe{c.channel.Stderr()},
		})
	}
}

// pipe is what a process writes to: the server takes all of it, and output for a
// connection that is gone is dropped. The process is ended for that, not by its writes.
type pipe struct{ to io.Writer }

// Write always takes all.
func (p pipe) Write(text []byte) (int, error) {
	_, _ = p.to.Write(text)
	return len(text), nil
}

// run runs a process and tells its exit code, unless it was killed.
func (c *session) run(ctx context.Context, p process.Command) {
	defer c.channel.Close()
	code, err := c.server.options.Runner.Run(ctx, p)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.server.options.Failed(err)
		_, _ = io.WriteString(p.Stderr, err.Error()+"\r\n")
		code = ^uint32(0)
	}
	_, _ = c.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
}
