package powershell

import (
	"bytes"
	"io"
	"strconv"
)

// mark is what the bootstrap's line begins with.
const mark = "#kinit "

// mostBefore is how much, in bytes, is kept of what comes before the bootstrap's
// line.
const mostBefore = 8 << 10

// Output is the standard output of the bootstrap. It passes on what the script
// writes, and neither the bootstrap's line nor what came before it, which was
// written by start-up files of the login.
type Output struct {
	to    io.Writer
	begin func(pid int)
	head  []byte // until the script begins
	begun bool
}

// NewOutput passes on to a writer. begin is called once, when the script begins,
// with the process that runs it, by the goroutine that writes.
func NewOutput(to io.Writer, begin func(pid int)) *Output {
	return &Output{to: to, begin: begin}
}

// Begun reports whether the script has begun.
func (o *Output) Begun() bool { return o.begun }

// Before is what was written before the script began: an error message when it
// never did. Of a long text it is the end.
func (o *Output) Before() string { return string(o.head) }

func (o *Output) Write(b []byte) (int, error) {
	if o.begun {
		return o.to.Write(b)
	}
	o.head = append(o.head, b...)
	pid, rest, found := findMark(o.head)
	if !found {
		if extra := len(o.head) - mostBefore; extra > 0 {
			o.head = append([]byte(nil), o.head[extra:]...)
		}
		return len(b), nil
	}
	o.begun, o.head = true, nil
	if o.begin != nil {
		o.begin(pid)
	}
	if len(rest) > 0 {
		if _, err := o.to.Write(rest); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// findMark finds the line of the bootstrap, and what is behind it.
func findMark(text []byte) (pid int, rest []byte, found bool) {
	for at := 0; ; {
		line, behind, complete := bytes.Cut(text[at:], []byte("\n"))
		if !complete {
			return 0, nil, false
		}
		if number, marked := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\r")), []byte(mark)); marked {
			if pid, err := strconv.Atoi(string(number)); err == nil {
				return pid, behind, true
			}
		}
		at += len(line) + 1
	}
}
