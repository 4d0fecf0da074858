// Package sftpfs is a machine's file system over an SFTP client, whoever carries it.
package sftpfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/pkg/sftp"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/posix"
)

// Source gives the SFTP client of a live connection, a new one if that was lost.
type Source interface {
	Client(ctx context.Context) (*sftp.Client, Carrier, error)
}

// Carrier is what a client runs on.
type Carrier interface {
	// Spawn starts work that the carrier's end waits for. It tells whether it did:
	// one that is about to end does not.
	Spawn(work func()) bool
	// Cut is told that a request found the client's connection cut. It returns at the
	// latest when ctx ends.
	Cut(ctx context.Context, client *sftp.Client)
}

// New returns the file system of a machine on which exec runs commands as the same user.
func New(s Source, exec posix.Exec) *posix.Files { return posix.New(FS(s), exec) }

// FS is the system calls of the machine, one round trip each or a few.
func FS(s Source) posix.FS { return remote{s} }

// NewClient begins to speak with a server over its output and input.
func NewClient(from io.Reader, to io.WriteCloser) (*sftp.Client, error) {
	return sftp.NewClientPipe(from, to, sftp.UseConcurrentReads(true), sftp.UseConcurrentWrites(true))
}

// ErrCut says that the connection ended while a request for a file was under way.
var ErrCut = fmt.Errorf("%w: the connection was lost", transport.ErrUnreachable)

// fileError turns the SFTP library's words for a lost connection into ErrCut.
func fileError(err error) error {
	for _, sign := range []error{sftp.ErrSSHFxConnectionLost, sftp.ErrSSHFxNoConnection, net.ErrClosed, io.EOF} {
		if errors.Is(err, sign) {
			return ErrCut
		}
	}
	// What the network says of a connection below comes with the library's words around it.
	if network := (*net.OpError)(nil); errors.As(err, &network) {
		return ErrCut
	}
	return err
}

// Said is what a program printed before it ended, or the error when it printed
// nothing.
func Said(from io.Reader, err error) string {
	text, _ := io.ReadAll(io.LimitReader(from, 4<<10))
	if trimmed := strings.TrimSpace(string(text)); trimmed != "" {
		return trimmed
	}
	return err.Error()
}
