package ssh

import (
	"io"
	"math"
	"sync"
	"time"
)

// output is an output of a script that tells for how long nothing came.
type output struct {
	from io.Reader

	mu     sync.Mutex
	waited time.Duration // in reads that have returned
	since  time.Time     // when the read under way began; zero between reads
	ended  bool
}

// Read reads, and counts the time it takes.
func (o *output) Read(p []byte) (int, error) {
	o.mu.Lock()
	o.since = time.Now()
	o.mu.Unlock()
	n, err := o.from.Read(p)
	o.mu.Lock()
	o.waited += time.Since(o.since)
	o.since = time.Time{}
	o.mu.Unlock()
	return n, err
}

// afresh counts from now on.
func (o *output) afresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waited = 0
	if !o.since.IsZero() {
		o.since = time.Now()
	}
}

// end says that nothing is read any more.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// silent is for how long nothing came: forever when it has ended.
func (o *output) silent() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended:
		return math.MaxInt64
	case o.since.IsZero():
		return o.waited
	}
	return o.waited + time.Since(o.since)
}
