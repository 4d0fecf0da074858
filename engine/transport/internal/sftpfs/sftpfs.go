// Package sftpfs is a machine's file system over an SFTP client of any transport.
package sftpfs

import (
	"bufio"
	"cmp"
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

// Source provides the SFTP client of a live connection, a new one after a loss.
type Source interface {
	Client(ctx context.Context) (*sftp.Client, Carrier, error)
}

// Carrier is the connection or process under a client.
type Carrier interface {
	// Spawn starts work that the carrier's end waits for. It returns false if the carrier
	// is about to end.
	Spawn(work func()) bool
	// Cut is called after a request found the client's connection cut. It returns at the
	// latest when ctx ends.
	Cut(ctx context.Context, client *sftp.Client)
}

// New returns the file system of a machine on which exec runs commands as the same user.
func New(s Source, exec posix.Exec) *posix.Files { return posix.New(remote{source: s}, exec) }

// Windows returns the system calls of a machine that runs Windows, by paths such as C:/folder.
func Windows(s Source) posix.FS { return remote{source: s, windows: true} }

// NewClient begins the protocol with a server over its output and input.
func NewClient(from io.Reader, to io.WriteCloser) (*sftp.Client, error) {
	n := newNames()
	return sftp.NewClientPipe(&answers{from: bufio.NewReader(from), names: n}, requests{to, n}, sftp.UseConcurrentReads(true), sftp.UseConcurrentWrites(true))
}

// ErrCut is the error if the connection ended during a request for a file.
var ErrCut = fmt.Errorf("%w: the connection was lost", transport.ErrUnreachable)

// fileError converts the SFTP library's errors for a lost connection to ErrCut.
func fileError(err error) error {
	for _, sign := range []error{sftp.ErrSSHFxConnectionLost, sftp.ErrSSHFxNoConnection, net.ErrClosed, io.EOF} {
		if errors.Is(err, sign) {
			return ErrCut
		}
	}
	// The library wraps the network errors of the connection below in its own text.
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return ErrCut
	}
	return err
}

// Said returns the output of a program before it ended, or the error if it printed nothing.
func Said(from io.Reader, err error) string {
	text, _ := io.ReadAll(io.LimitReader(from, 4<<10))
	return cmp.Or(strings.TrimSpace(string(text)), err.Error())
}
