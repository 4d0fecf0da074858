package framing

import (
	"bytes"
	"io"
	"strconv"
	"sync"
)

// mostBefore is how much, in bytes, is kept of what comes before the line with the mark.
const mostBefore = 8 << 10

// Opening passes on an output after the line that ends with a mark and the number of the
// process that runs a command. What comes before is from start-up files of the login.
type Opening struct {
	mark   string
	to     io.Writer
	begin  func(number int)
	before []byte // until the command begins
	begun  bool
}

// NewOpening passes on to a writer; nil drops everything. begin is called once, when the
// command begins, by the goroutine that writes.
func NewOpening(mark string, to io.Writer, begin func(number int)) *Opening {
	if to == nil {
		to = io.Discard
	}
	return &Opening{mark: mark, to: to, begin: begin}
}

// Begun reports whether the command has begun.
func (o *Opening) Begun() bool { return o.begun }

// Before is what was written before the command began: an error message when it never did.
// Of a long text it is the end.
func (o *Opening) Before() string { return string(o.before) }

func (o *Opening) Write(b []byte) (int, error) {
	if o.begun {
		return o.to.Write(b)
	}
	o.before = append(o.before, b...)
	number, rest, found := o.find()
	if !found {
		if extra := len(o.before) - mostBefore; extra > 0 {
			o.before = append([]byte(nil), o.before[extra:]...)
		}
		return len(b), nil
	}
	o.begun, o.before = true, nil
	o.begin(number)
	if len(rest) > 0 {
		if _, err := o.to.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// find finds the line with the mark, and what is behind it.
func (o *Opening) find() (number int, rest []byte, found bool) {
	for text := o.before; ; {
		line, behind, complete := bytes.Cut(text, []byte("\n"))
		if !complete {
			return 0, nil, false
		}
		_, digits, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(o.mark))
		if number, err := strconv.Atoi(string(digits)); err == nil {
			return number, behind, true
		}
		text = behind
	}
}

// Head keeps the beginning of what is written, at most so many bytes, and drops the rest. It
// is safe for use by several goroutines.
type Head struct {
	most int
	mu   sync.Mutex
	text []byte
}

// NewHead returns an empty head.
func NewHead(most int) *Head { return &Head{most: most} }

func (h *Head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), h.most-len(h.text))]...)
	return len(b), nil
}

// String returns what is kept.
func (h *Head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}
