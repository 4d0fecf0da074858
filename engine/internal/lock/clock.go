package lock

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot reads this machine's clock, which never steps and continues while the machine
// sleeps.
func sinceBoot() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // every kernel has this clock
	}
	return time.Duration(now.Nano())
}
