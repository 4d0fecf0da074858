//go:build linux && (amd64 || arm64)

package exectrace

import "golang.org/x/sys/unix"

// call is a system call that is seen.
type call struct {
	number uintptr
	kind   Kind
	path   int // the argument that is a path, or the program
	argv   int // that of the arguments, for Exec
	flags  int // the argument with O_CREAT, for calls that may make a file
	as     int // a second path is this argument; 0 for none
}

// seen are the calls that start programs, make names, or end.
func seen() []call {
	return append(older(),
		call{number: unix.SYS_EXECVE, kind: Exec, path: 0, argv: 1},
		call{number: unix.SYS_EXECVEAT, kind: Exec, path: 1, argv: 2},
		call{number: unix.SYS_EXIT_GROUP, kind: Title},
		call{number: unix.SYS_OPENAT, kind: File, path: 1, flags: 2},
		call{number: unix.SYS_MKDIRAT, kind: File, path: 1},
		call{number: unix.SYS_MKNODAT, kind: File, path: 1},
		call{number: unix.SYS_SYMLINKAT, kind: File, path: 0, as: 2},
		call{number: unix.SYS_LINKAT, kind: File, path: 1, as: 3},
		call{number: unix.SYS_RENAMEAT, kind: File, path: 1, as: 3},
		call{number: unix.SYS_RENAMEAT2, kind: File, path: 1, as: 3},
	)
}
