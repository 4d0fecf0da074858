package spec

import (
	"maps"
	"slices"
	"sync"
)

// Log is the names of the files that were asked for, those that were not there
// too. It is safe for use by several goroutines; nil forgets them.
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
