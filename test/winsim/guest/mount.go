//go:build linux

package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mountBasics mounts what is in memory. The initial RAM disk mounted the kernel's own.
func mountBasics() error {
	for _, folder := range []string{"/run", "/tmp"} {
		if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=0755"); err != nil {
			return fmt.Errorf("mount %s: %w", folder, err)
		}
	}
	return nil
}

// doorLock is whether a drive keeps its door shut while its CD is in use.
const doorLock = "/proc/sys/dev/cdrom/lock"

// mountMedia mounts every CD below the folder and returns where, in the order of the
// drives. A drive without a readable CD is left out.
func mountMedia(below string) ([]string, error) {
	// Windows lets the hypervisor take a CD out.
	if err := os.WriteFile(doorLock, []byte("0"), 0o644); err != nil {
		return nil, err
	}
	drives, err := filepath.Glob("/dev/sr*")
	if err != nil {
		return nil, err
	}
	var media []string
	for _, drive := range drives {
		folder := filepath.Join(below, filepath.Base(drive))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		err := unix.Mount(drive, folder, "iso9660", unix.MS_RDONLY, "")
		switch {
		case errors.Is(err, unix.ENOMEDIUM), errors.Is(err, unix.EINVAL), errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("mount %s: %w", drive, err)
		}
		media = append(media, folder)
	}
	return media, nil
}
