//go:build linux && (amd64 || arm64)

package exectrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// question is struct seccomp_notif: a process stands still before a call.
type question struct {
	id        uint64
	pid       uint32
	flags     uint32
	number    int32
	processor uint32
	at        uint64
	args      [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// sight is what was seen.
type sight struct {
	events []Event
	err    error
}

// follow answers until all processes with the filter have ended, or those that have not
// ended some time after the first had.
func follow(listener int, ended <-chan struct{}) sight {
	var s sight
	calls := map[uintptr]call{}
	for _, c := range seen() {
		calls[c.number] = c
	}
	var until time.Time
	for {
		select {
		case <-ended:
			until, ended = time.Now().Add(patience), nil
		default:
		}
		if !until.IsZero() && time.Now().After(until) {
			return s // what is left are services
		}
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, 200) // ms
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			s.err = errors.Join(s.err, err)
			return s
		}
		if ready[0].Revents&unix.POLLIN != 0 {
			if err := s.next(listener, calls); err != nil {
				s.err = errors.Join(s.err, err)
			}
		} else if ready[0].Revents != 0 {
			return s // the filter is not in use any more
		}
	}
}

// next answers one question, after it has read what it is about.
func (s *sight) next(listener int, calls map[uintptr]call) error {
	var q question
	if errno := control(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&q)); errno == unix.ENOENT || errno == unix.EINTR {
		return nil // it was killed meanwhile
	} else if errno != 0 {
		return errno
	}
	c := calls[uintptr(q.number)]
	event, err := look(c, int(q.pid), q.args)
	// Only while the question stands, what was read is that process's.
	if control(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&q.id)) != 0 {
		return nil
	}
	if err == nil {
		s.events = append(s.events, event)
	} else {
		err = fmt.Errorf("read call %d of process %d: %w", q.number, q.pid, err)
	}
	a := answer{id: q.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if errno := control(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)); errno != 0 && errno != unix.ENOENT {
		return errors.Join(err, errno)
	}
	return err
}

func control(fd int, request uintptr, value unsafe.Pointer) unix.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(value))
	return errno
}

// look reads what a call is about.
func look(c call, pid int, args [6]uint64) (Event, error) {
	event := Event{Kind: c.kind, PID: pid}
	if c.kind == Title {
		for _, name := range []string{"cmdline", "comm"} {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err != nil {
				return event, err
			}
			event.Words = append(event.Words, strings.TrimRight(string(text), "\x00\n"))
		}
		return event, nil
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return event, err
	}
	defer memory.Close()
	places := []uint64{args[c.path]}
	if c.as != 0 {
		places = append(places, args[c.as])
	}
	if c.kind == Exec {
		if places, err = pointers(memory, places, args[c.argv]); err != nil {
			return event, err
		}
	}
	for _, at := range places {
		if at == 0 {
			continue // the call fails by itself
		}
		word, err := text(memory, at)
		if err != nil {
			return event, err
		}
		event.Words = append(event.Words, word)
	}
	return event, nil
}

// pointers adds those of a list that ends with a zero; there may be no list.
func pointers(memory *os.File, places []uint64, at uint64) ([]uint64, error) {
	if at == 0 {
		return places, nil
	}
	for ; ; at += 8 {
		var one [8]byte
		if _, err := memory.ReadAt(one[:], int64(at)); err != nil {
			return nil, err
		}
		place := binary.NativeEndian.Uint64(one[:])
		if place == 0 {
			return places, nil
		}
		places = append(places, place)
	}
}

// text is a text that ends with a zero. It is read in pieces that end where a page does,
// since the next one may not be there.
func text(memory *os.File, at uint64) (string, error) {
	const page = 4096
	var all []byte
	for {
		piece := make([]byte, page-at%page)
		if _, err := memory.ReadAt(piece, int64(at)); err != nil {
			return "", err
		}
		if end := bytes.IndexByte(piece, 0); end >= 0 {
			return string(append(all, piece[:end]...)), nil
		}
		all, at = append(all, piece...), at+uint64(len(piece))
	}
}
