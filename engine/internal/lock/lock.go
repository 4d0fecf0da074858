// Package lock lets one run at a time work on what an owner has, and stops a run that has
// lost that right.
//
// A run holds its owner's lock on every host that it changes. The lock is a folder on the
// host, which scripts/lock.sh describes; only the host's own clock since its start counts.
// The holder renews it. A lock that was not renewed for its lifetime belongs to a dead run
// and is taken over: first the dead run's link is removed, which every command and every
// change of a file needs, then its processes there are ended. So a run that was cut off or
// suspended is fenced when it returns.
//
// If a team has a common place for locks, a run also holds its owner's lock there, and
// takes it first: that decides which run may take the locks of the hosts, which fence as
// before. It is a key in etcd whose lease lasts as long as a lock of a host.
//
// A run that could not renew stops by itself before that: the Guard's context ends.
package lock

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"kinit/engine/module"
)

// Times of a lock.
const (
	lifetime = 30 * time.Second       // a lock that is not renewed for so long is dead
	renewal  = 5 * time.Second        // between two renewals
	patience = 22 * time.Second       // a run that could not renew for so long stops
	watching = 500 * time.Millisecond // between two checks of patience
	pollTime = time.Second            // between two checks of another run's lock
	tryTime  = 20 * time.Second       // one operation on a host: longer than other operations may delay it
	etcdTime = 10 * time.Second       // one operation in etcd, connecting included
)

// The folders of locks on a host.
const (
	folder        = module.StateFolder + "/locks"
	windowsFolder = module.WindowsStateFolder + "/locks"
)

// ErrHeld is the error if another run holds the lock.
var ErrHeld = errors.New("another run is at work")

// ErrLost is the error if this run has lost its lock, or could not renew it.
var ErrLost = errors.New("the run has lost its lock")

// sinceBoot reads this machine's clock, which never steps and continues while the machine
// sleeps.
func sinceBoot() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // every kernel has this clock
	}
	return time.Duration(now.Nano())
}
