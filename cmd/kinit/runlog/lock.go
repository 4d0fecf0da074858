package runlog

import (
	"errors"
	"os"
	"syscall"
)

// hold locks a log as long as the file is open: the kernel gives the lock back
// when its process dies, however that comes about.
func hold(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// running tells whether a program still writes the log. A log that cannot be asked
// about counts as running, so that it is left alone.
func running(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}
