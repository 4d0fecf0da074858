// Package executable writes programs that tests run.
package executable

import (
	"os"
	"syscall"
	"testing"
)

// Write writes an executable file. No process may be forked meanwhile: a child that has the
// file open for writing, before it becomes another program, would make it busy.
func Write(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
