// Package filelock tells by a lock on a file whether the process that writes it still
// lives: the kernel gives the lock back when the process ends, however that comes about.
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

// Hold locks an open file for as long as it is open. It is an error when somebody
// else, this process included, holds it by another descriptor.
func Hold(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// Held tells whether somebody holds the file at a path. A file that cannot be asked
// about counts as held, so that it is left alone; one that is not there is not.
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

// Wait holds the file at a path, which it makes where it is missing, as soon as nobody
// else does. waits is called once when it must wait; it may be nil. The returned
// function gives the lock back.
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

// Take is Wait for an open file, which is held for as long as it is open.
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
