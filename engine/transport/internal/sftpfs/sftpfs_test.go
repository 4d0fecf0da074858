package sftpfs

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"github.com/pkg/sftp"

	"kinit/engine/transport"
)

func TestAConnectionThatIsLostMakesTheMachineUnreachable(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		sftp.ErrSSHFxConnectionLost,
		net.ErrClosed,
		fmt.Errorf("failed to send packet: %w", &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}),
	} {
		if got := fileError(err); !errors.Is(got, transport.ErrUnreachable) {
			t.Errorf("%v is %v", err, got)
		}
	}
	if got := fileError(fs.ErrPermission); !errors.Is(got, fs.ErrPermission) || errors.Is(got, transport.ErrUnreachable) {
		t.Errorf("a refusal is %v", got)
	}
}
