package sshd

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"

	"golang.org/x/crypto/ssh"
)

// serveConn serves a connection until it ends, and everything on it has ended.
func (s *Server) serveConn(raw net.Conn) {
	defer raw.Close()
	conn, channels, requests, err := ssh.NewServerConn(raw, s.config)
	if err != nil {
		return // the client hears it from the handshake
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { ssh.DiscardRequests(requests) }) // keep-alives are answered by a refusal
	for asked := range channels {
		running.Go(func() { s.open(ctx, local(conn.User()), asked) })
	}
	cancel()
	running.Wait()
}

// open serves one channel until it ends.
func (s *Server) open(ctx context.Context, user string, asked ssh.NewChannel) {
	switch asked.ChannelType() {
	case "session":
		s.session(ctx, user, asked)
	case "direct-tcpip":
		s.tunnel(ctx, asked)
	default:
		_ = asked.Reject(ssh.UnknownChannelType, "unknown channel type") // fails with the connection only
	}
}

// target is where a tunnel goes to (RFC 4254, 7.2).
type target struct {
	Host       string
	Port       uint32
	OriginHost string
	OriginPort uint32
}

func (s *Server) tunnel(ctx context.Context, asked ssh.NewChannel) {
	var to target
	if err := ssh.Unmarshal(asked.ExtraData(), &to); err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, "not a direct-tcpip request")
		return
	}
	remote, err := s.options.Dial(ctx, "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))))
	if err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer remote.Close()
	channel, requests, err := asked.Accept()
	if err != nil {
		return
	}
	defer channel.Close()
	var running sync.WaitGroup
	running.Go(func() {
		ssh.DiscardRequests(requests) // until the client has closed the channel
		_ = remote.Close()
	})
	running.Go(func() {
		_, _ = io.Copy(remote, channel)
		halfClose(remote)
	})
	_, _ = io.Copy(channel, remote)
	_ = channel.Close() // an end of the remote side ends the tunnel, as sshd does
	running.Wait()
}

// halfClose says that nothing comes any more, where a connection can say that alone.
func halfClose(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = conn.Close()
}
