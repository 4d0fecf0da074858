//go:build linux

package guest

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// image is the installed system on the media, as install.wim is on Windows' own.
const image = "/sources/install.img.gz"

// install puts the image onto the first disk and lets the simulated Setup write its state.
func install(ctx context.Context, console io.Writer, w Windows, media []string) error {
	disk, err := firstDisk()
	if err != nil {
		return err
	}
	fmt.Fprintf(console, "winsim: setup puts the image onto %s\n", disk)
	if err := unpack(ctx, image, disk); err != nil {
		return fmt.Errorf("put the image onto %s: %w", disk, err)
	}
	const target = "/run/target"
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(disk, target, "ext4", unix.MS_NOATIME, ""); err != nil {
		return fmt.Errorf("mount %s: %w", disk, err)
	}
	err = w.Install(ctx, filepath.Join(target, stateFolder), media)
	return errors.Join(err, unix.Unmount(target, 0))
}

// firstDisk is the disk that an answer file calls 0.
func firstDisk() (string, error) {
	for _, name := range []string{"/dev/vda", "/dev/sda"} {
		if _, err := os.Stat(name); err == nil {
			return name, nil
		}
	}
	return "", errors.New("the machine has no disk: neither a virtio nor a SCSI one")
}

// unpack writes a compressed image, without the zeros, which a new disk has already.
func unpack(ctx context.Context, from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	packed, err := gzip.NewReader(source)
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := copySparse(ctx, target, packed); err != nil {
		return err
	}
	return target.Sync()
}

func copySparse(ctx context.Context, to io.WriteSeeker, from io.Reader) error {
	block := make([]byte, 1<<20)
	zero := make([]byte, len(block))
	for ctx.Err() == nil {
		n, err := io.ReadFull(from, block)
		if n > 0 {
			if string(block[:n]) == string(zero[:n]) {
				_, err2 := to.Seek(int64(n), io.SeekCurrent)
				err = errors.Join(ending(err), err2)
			} else {
				_, err2 := to.Write(block[:n])
				err = errors.Join(ending(err), err2)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n < len(block):
			return nil
		}
	}
	return ctx.Err()
}

// ending is no error for the last, short block.
func ending(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// grow makes the file system as large as the disk that carries it.
func grow(ctx context.Context) error {
	disk, err := firstDisk()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_NOATIME, ""); err != nil {
		return fmt.Errorf("make the disk writable: %w", err)
	}
	said, err := exec.CommandContext(ctx, "/sbin/resize2fs", disk).CombinedOutput()
	if err != nil {
		return fmt.Errorf("resize2fs: %w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}
