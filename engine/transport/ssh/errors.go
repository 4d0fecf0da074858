package ssh

import (
	"errors"
	"fmt"
	"strings"

	gossh "golang.org/x/crypto/ssh"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/sftpfs"
)

// errNotStarted is the error of a command that certainly did not run, so that it may be
// sent again.
var errNotStarted = errors.New("the command was not started")

// errNoSession is errNotStarted of a shell that could not print its number, by which a command
// is ended.
var errNoSession = fmt.Errorf("%w: the machine's shell cannot read /proc/self/stat", errNotStarted)

// errRefused is the error if the server allows no further session on this connection.
var errRefused = errors.New("the server refuses another session: allow 2 or more with MaxSessions in its sshd_config")

// lost returns the error for a connection, or the shell on it, that ended while a command
// ran.
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

// authRefused reports whether a handshake failed because no key was accepted. The
// library has no type for it, so this and tooManyKeys are the only places that read its texts.
func authRefused(err error) bool {
	return strings.Contains(strings.ToLower(err.Error()), "unable to authenticate") || // x/crypto: all methods were refused
		tooManyKeys(err)
}

// tooManyKeys reports whether the server ended a handshake after so many refused keys as it allows.
func tooManyKeys(err error) bool {
	return strings.Contains(strings.ToLower(err.Error()), "too many authentication failures") // the server's disconnect message
}

// channelRefused reports whether the server answered but refused to open a channel. OpenSSH
// refuses a session when MaxSessions is reached.
func channelRefused(err error) bool {
	_, refused := errors.AsType[*gossh.OpenChannelError](err)
	return refused
}

// errCut is the error if the connection ended during its use.
var errCut = sftpfs.ErrCut
