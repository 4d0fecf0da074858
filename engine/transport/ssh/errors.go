package ssh

import (
	"errors"
	"fmt"
	"strings"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/sftpfs"
)

// errNotStarted says that a command certainly did not run, so that it may be sent
// again.
var errNotStarted = errors.New("the command was not started")

// errRefused says that the server lets this connection open no further session.
var errRefused = errors.New("the server refuses another session")

// lost says that the connection, or the shell on it, ended while a command ran.
func lost(cause error) error {
	return fmt.Errorf("%w: the connection or its shell ended while a command ran, so it is unknown how far it came: %w",
		transport.ErrUnreachable, cause)
}

// unreachable wraps an error of the network, once.
func unreachable(what string, err error) error {
	if errors.Is(err, transport.ErrUnreachable) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, transport.ErrUnreachable, err)
}

// authRefused tells whether a handshake failed because no key was accepted. The
// library has no type for it, so this is the only place that reads its texts.
func authRefused(err error) bool {
	text := strings.ToLower(err.Error())
	for _, sign := range []string{
		"unable to authenticate",           // x/crypto: all methods were refused
		"too many authentication failures", // the server's disconnect message
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// channelRefused tells whether the server answered and would not open a channel.
// For a session OpenSSH does that when MaxSessions is reached.
func channelRefused(err error) bool {
	var refused *gossh.OpenChannelError
	return errors.As(err, &refused)
}

// errCut says that the connection ended while it was used.
var errCut = sftpfs.ErrCut
