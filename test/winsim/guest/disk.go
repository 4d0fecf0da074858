//go:build linux

package guest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// image is the installed system on the media, as install.wim is on Windows' own.
const image = "/sources/install.img.gz"

// install puts the image onto the first disk, from which the machine starts next. What
// the answer file asks for is done there.
func install(ctx context.Context, log func(string)) error {
	disk, err := firstDisk()
	if err != nil {
		return err
	}
	log("Setup: copies files to " + disk)
	if err := unpack(ctx, image, disk); err != nil {
		return fmt.Errorf("put the image onto %s: %w", disk, err)
	}
	return nil
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

// copySparse copies in blocks and skips those of zeros.
func copySparse(ctx context.Context, to io.WriteSeeker, from io.Reader) error {
	block, zero := make([]byte, 1<<20), make([]byte, 1<<20)
	for ctx.Err() == nil {
		n, err := io.ReadFull(from, block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		last := errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		if bytes.Equal(block[:n], zero[:n]) {
			_, err = to.Seek(int64(n), io.SeekCurrent)
		} else {
			_, err = to.Write(block[:n])
		}
		if err != nil || last {
			return err
		}
	}
	return ctx.Err()
}
