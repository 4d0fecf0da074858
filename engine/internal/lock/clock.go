package lock

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is this machine's clock: it never steps, and goes on while the machine sleeps.
func sinceBoot() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // which every kernel has
	}
	return time.Duration(now.Nano())
}
