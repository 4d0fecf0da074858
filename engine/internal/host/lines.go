package host

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// longestLine is the most, in bytes, that is shown of one line while a command runs.
const longestLine = 16 << 10

// lines calls a function with each line of two streams, one call at a time.
type lines struct {
	call func(line string)

	mu   sync.Mutex
	tees []*tee
}

// tee passes a stream on and finds its lines.
type tee struct {
	lines *lines
	to    io.Writer
	line  []byte // the incomplete line
}

// tee returns a writer that passes data on and finds lines. Without a function it returns
// to.
func (l *lines) tee(to io.Writer) io.Writer {
	if l.call == nil {
		return to
	}
	t := &tee{lines: l, to: to}
	l.tees = append(l.tees, t)
	return t
}

func (t *tee) Write(b []byte) (int, error) {
	t.lines.mu.Lock()
	defer t.lines.mu.Unlock()
	n, err := t.to.Write(b)
	for rest := b[:n]; ; {
		line, after, complete := bytes.Cut(rest, []byte("\n"))
		t.line = append(t.line, line[:min(len(line), longestLine-len(t.line))]...)
		if !complete {
			return n, err
		}
		t.lines.call(strings.TrimSuffix(string(t.line), "\r"))
		t.line, rest = t.line[:0], after
	}
}

// end calls the function with the last lines, which have no line end.
func (l *lines) end() {
	for _, t := range l.tees {
		if len(t.line) > 0 {
			l.call(string(t.line))
		}
	}
}
