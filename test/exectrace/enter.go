//go:build linux && (amd64 || arm64)

package exectrace

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enter is the first call of TestMain of a package whose tests use Again. In the process
// that is to be traced it takes the filter and becomes the program of its arguments.
func Enter() {
	if os.Getenv(inside) != "enter" {
		return
	}
	if err := enter(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "exectrace:", err)
		os.Exit(1)
	}
}

func enter(argv []string) error {
	const socket = 3
	runtime.LockOSThread() // the filter is the thread's, and the program's that it becomes
	listener, err := filter()
	if err != nil {
		return fmt.Errorf("set the filter: %w", err)
	}
	if err := syscall.Sendmsg(socket, []byte{0}, syscall.UnixRights(listener), nil, 0); err != nil {
		return err
	}
	syscall.CloseOnExec(socket)
	syscall.CloseOnExec(listener)
	if err := os.Setenv(inside, "traced"); err != nil {
		return err
	}
	return syscall.Exec(argv[0], argv, os.Environ())
}

// filter makes this thread ask before calls that the tracer wants to see, and returns the
// descriptor on which they are asked.
func filter() (int, error) {
	program := instructions()
	head := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&head)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

// instructions are the filter: calls of another kind of processor do not exist, those that
// open a file are asked about where they may make one, those of seen always.
func instructions() []unix.SockFilter {
	const number, processor, argument = 0, 4, 16 // in struct seccomp_data
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	give := func(what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
	}
	equal := func(value uint32, skip uint8) unix.SockFilter { // else skips
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: skip}
	}
	program := []unix.SockFilter{
		load(processor), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: thisProcessor, Jt: 1},
		give(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)),
		load(number),
	}
	for _, call := range seen() {
		if call.flags == 0 {
			program = append(program, equal(uint32(call.number), 1), give(unix.SECCOMP_RET_USER_NOTIF))
			continue
		}
		program = append(program, equal(uint32(call.number), 4),
			load(argument+8*uint32(call.flags)), // its lower half, on processors that begin with it
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_CREAT, Jf: 1},
			give(unix.SECCOMP_RET_USER_NOTIF), give(unix.SECCOMP_RET_ALLOW))
	}
	return append(program, give(unix.SECCOMP_RET_ALLOW))
}
