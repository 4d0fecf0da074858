package spec

import (
	"maps"
	"slices"
	"sync"
)

// Log collects the names of requested files, missing ones too. It is safe for use by
// several goroutines; nil drops the names.
type Log struct {
	mu    sync.Mutex
	names map[string]bool
}

func (l *Log) add(name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		l.names = map[string]bool{}
	}
	l.names[name] = true
}

// Names lists the files, sorted.
func (l *Log) Names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.names))
}
