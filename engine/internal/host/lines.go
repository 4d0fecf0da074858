package host

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// lines calls a function with each line of two streams, one call at a time.
type lines struct {
	call func(line string)

	mu   sync.Mutex
	tees []*tee
}

// tee keeps a stream and finds its lines.
type tee struct {
	lines *lines
	keep  *bytes.Buffer
	from  int // where the line that is not complete begins in keep
}

// tee returns a writer that fills keep and finds its lines. Without a function
// it is keep itself.
func (l *lines) tee(keep *bytes.Buffer) io.Writer {
	if l.call == nil {
		return keep
	}
	t := &tee{lines: l, keep: keep}
	l.tees = append(l.tees, t)
	return t
}

func (t *tee) Write(b []byte) (int, error) {
	t.lines.mu.Lock()
	defer t.lines.mu.Unlock()
	n, err := t.keep.Write(b)
	for {
		line, _, complete := bytes.Cut(t.keep.Bytes()[t.from:], []byte("\n"))
		if !complete {
			return n, err
		}
		t.from += len(line) + 1
		t.lines.call(strings.TrimSuffix(string(line), "\r"))
	}
}

// end calls with the last lines, which have no line end.
func (l *lines) end() {
	for _, t := range l.tees {
		if rest := t.keep.Bytes()[t.from:]; len(rest) > 0 {
			l.call(string(rest))
		}
	}
}
