package ssh

import (
	"io"
	"math"
	"sync"
	"time"
)

// output is an output of a script that measures how long it was silent.
type output struct {
	from io.Reader

	mu     sync.Mutex
	waited time.Duration // in finished reads
	since  time.Time     // when the current read began; zero between reads
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

func (o *output) afresh() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waited = 0
	if !o.since.IsZero() {
		o.since = time.Now()
	}
}

// end records that reading has ended.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// silent returns for how long no data came: forever after the end.
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
