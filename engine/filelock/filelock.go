// Package filelock finds out by a lock on a file whether its process is alive: the kernel
// releases the lock when the process ends for any reason.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Hold locks an open file until it is closed. It returns an error if another descriptor, of
// this process too, holds it.
func Hold(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// Held reports whether the file at a path is held. A file that cannot be checked counts as
// held, so that it is not touched; a missing one does not.
func Held(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// between is how often Wait looks again.
const between = 200 * time.Millisecond

// Wait holds the file at a path, and makes it if it is missing. It waits until the file is
// free, and calls waits once if it must wait; it may be nil. The returned function gives
// the lock back.
func Wait(ctx context.Context, path string, waits func()) (release func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of a lock: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open a lock: %w", err)
	}
	if err := Take(ctx, file, waits); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file.Close, nil
}

// Take is Wait for an open file, which is held until it is closed.
func Take(ctx context.Context, file *os.File, waits func()) error {
	err := Hold(file)
	if errors.Is(err, syscall.EWOULDBLOCK) && waits != nil {
		waits()
	}
	for errors.Is(err, syscall.EWOULDBLOCK) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(between):
		}
		err = Hold(file)
	}
	return err
}
