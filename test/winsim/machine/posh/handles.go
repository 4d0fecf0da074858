package posh

import (
	"sync"

	"kinit/test/winsim/machine/ntfs"
)

// handles are the files that a process has opened. Windows closes them at its end,
// however it ended.
type handles struct {
	mu  sync.Mutex
	all []*ntfs.File
}

func (h *handles) add(file *ntfs.File) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, file)
}

func (h *handles) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, file := range h.all {
		_ = file.Close() // the script may have closed it
	}
}
