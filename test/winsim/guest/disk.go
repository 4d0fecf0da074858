//go:build linux

package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// grow makes the file system as large as the disk that carries it.
func grow(ctx context.Context) error {
	disk, err := firstDisk()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_NOATIME, ""); err != nil {
		return fmt.Errorf("make the disk writable: %w", err)
	}
	return run(ctx, "/sbin/resize2fs", disk)
}

// firstDisk is the disk that an answer file calls 0.
func firstDisk() (string, error) {
	names := []string{"/dev/vda", "/dev/sda"}
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		}
	}
	return "", errors.New("the machine has none of the disks " + strings.Join(names, ", "))
}
