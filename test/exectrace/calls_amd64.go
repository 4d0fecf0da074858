//go:build linux

package exectrace

import "golang.org/x/sys/unix"

const thisProcessor = unix.AUDIT_ARCH_X86_64

// older are calls that later processors do without.
func older() []call {
	return []call{
		{number: unix.SYS_OPEN, kind: File, path: 0, flags: 1},
		{number: unix.SYS_CREAT, kind: File, path: 0},
		{number: unix.SYS_MKDIR, kind: File, path: 0},
		{number: unix.SYS_MKNOD, kind: File, path: 0},
		{number: unix.SYS_SYMLINK, kind: File, path: 0, as: 1},
		{number: unix.SYS_LINK, kind: File, path: 0, as: 1},
		{number: unix.SYS_RENAME, kind: File, path: 0, as: 1},
	}
}
