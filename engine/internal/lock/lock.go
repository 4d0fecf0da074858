// Package lock lets one run at a time work on what an owner has, and keeps a run that has
// lost that right from going on.
//
// A run holds its owner's lock on every host that it changes. The lock is a folder on the
// host, which scripts/lock.sh describes; only the host's own clock since its start counts.
// Whoever holds it renews it. One that was not renewed for its lifetime belongs to a run
// that has died, and is taken over: the other run's link is removed first, which every
// command and every change of a file looks for, then what it has at work there is ended.
// So a run that was cut off or suspended finds itself fenced when it comes back, whatever
// it believes.
//
// Where a team has one place for locks, a run holds its owner's lock there too, and takes it
// first: that decides who may take those of the hosts, which fence as ever. It is a key in an
// etcd whose lease lives as long as a lock of a host.
//
// A run that could not renew stops by itself before that, a Guard's context then ends.
package lock

import (
	"errors"
	"time"
)

// Times of a lock.
const (
	lifetime = 30 * time.Second       // without a renewal a lock is dead
	renewal  = 5 * time.Second        // between two renewals
	patience = 22 * time.Second       // a run that could not renew for so long stops by itself
	watching = 500 * time.Millisecond // between two looks at how long ago that was
	pollTime = time.Second            // between two looks at somebody else's lock
	tryTime  = 20 * time.Second       // one operation on a host: longer than others may keep it waiting
	etcdTime = 10 * time.Second       // one operation in etcd, connecting included
)

// Where locks are on a host.
const (
	folder        = "/var/lib/kinit/locks"
	windowsFolder = "C:/ProgramData/kinit/locks"
)

// ErrHeld says that another run holds the lock.
var ErrHeld = errors.New("another run is at work")

// ErrLost says that this run has lost its lock, or could not keep it.
var ErrLost = errors.New("the run has lost its lock")
