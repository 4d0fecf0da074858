package sftpfs

import (
	"errors"
	"fmt"
	"path"
	"syscall"

	"github.com/pkg/sftp"
)

// explain finds out why a request failed, which the server does not report: a full disk is
// the most frequent reason.
func explain(c *sftp.Client, name string, err error) error {
	var status *sftp.StatusError
	if !errors.As(err, &status) || status.FxCode() != sftp.ErrSSHFxFailure {
		return err
	}
	system, failed := c.StatVFS(path.Dir(name))
	if failed != nil {
		return err
	}
	switch {
	case system.Flag&readOnly != 0:
		return syscall.EROFS
	case system.Files > 0 && system.Favail == 0:
		return fmt.Errorf("no inodes are left: %w", syscall.ENOSPC)
	case system.Bavail*system.Frsize < fullBelow:
		return syscall.ENOSPC
	}
	return err
}

// readOnly is the flag SSH_FXE_STATVFS_ST_RDONLY.
const readOnly = 1

// fullBelow is the space, in bytes, with which a file system counts as full after a write
// has failed: less than the data of one packet.
const fullBelow = 64 << 10
