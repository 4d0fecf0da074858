package local

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// signalSession sends a signal to the process group that leads the session, and to every
// other process of the session. Ended processes are no error.
func signalSession(session int, signal syscall.Signal) {
	_ = syscall.Kill(-session, signal)
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err == nil && sessionOf(stat) == session {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// sessionOf reads the session of a process from its stat file, proc(5), or
// returns 0. The name before the last parenthesis may contain anything.
func sessionOf(stat string) int {
	text, err := os.ReadFile(stat)
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(after) // state, parent, group, session, …
	if len(fields) < 4 {
		return 0
	}
	session, err := strconv.Atoi(fields[3])
	if err != nil {
		return 0
	}
	return session
}
