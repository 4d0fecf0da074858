package become

import (
	"cmp"
	"io"
	"strings"
	"sync"
)

// Exchange is a Dialog on the streams of a local process: standard error is written to it, and standard input read from it.
type Exchange struct {
	entry  *Entry
	stdin  io.Reader // after the program has begun; nothing when nil
	stderr io.Writer // likewise; nil drops it
	kill   func()    // ends sudo, doas or su after it has refused the password: the end of its input would count as another one

	events chan Event
	closed chan struct{}
	once   sync.Once
	begun  bool   // by the reader
	rest   string // of the password, for the next Read

	mu     sync.Mutex
	dialog *Dialog
	over   bool // the dialog has ended
	failed error
}

// NewExchange returns the exchange of an entry that starts now.
func NewExchange(e *Entry, stdin io.Reader, stderr io.Writer, kill func()) *Exchange {
	if stderr == nil {
		stderr = io.Discard
	}
	return &Exchange{entry: e, stdin: stdin, stderr: stderr, kill: kill, dialog: NewDialog(e), events: make(chan Event, 3), closed: make(chan struct{})}
}

// Write takes standard error.
func (x *Exchange) Write(b []byte) (int, error) {
	used, over := x.feed(b)
	if over && used < len(b) {
		if _, err := x.stderr.Write(b[used:]); err != nil {
			return used, err
		}
	}
	return len(b), nil
}

func (x *Exchange) feed(b []byte) (used int, over bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return 0, true
	}
	used, event := x.dialog.Feed(b)
	switch event {
	case Nothing:
		return used, false
	case Refused:
		x.failed = x.dialog.Refusal()
		x.kill()
	case Over:
		x.failed = x.dialog.Ended(io.EOF)
	case Begun:
		x.over, x.failed = true, x.dialog.Begun()
	}
	select {
	case x.events <- event:
	default: // it goes on asking after the refusal, and its input ends
	}
	return used, x.over
}

// Read gives the password when it is asked for, and standard input once the program has begun. After a failure the input
// ends.
func (x *Exchange) Read(b []byte) (int, error) {
	for x.rest == "" && !x.begun {
		if x.next() == io.EOF {
			return 0, io.EOF
		}
	}
	if x.rest != "" {
		n := copy(b, x.rest)
		x.rest = x.rest[n:]
		return n, nil
	}
	if x.stdin == nil {
		return 0, io.EOF
	}
	return x.stdin.Read(b)
}

// next waits for an event. The error is io.EOF if there is nothing more to say.
func (x *Exchange) next() error {
	select {
	case event := <-x.events:
		if event == Asked {
			x.rest = x.entry.Password.Reveal() + "\n"
		}
		x.begun = event == Begun
		if x.Failed() != nil {
			return io.EOF
		}
		return nil
	case <-x.closed:
		return io.EOF
	}
}

// Answer gives the password to a process that reads from to, and returns when the program has begun. If that fails, it
// closes to.
func (x *Exchange) Answer(to io.WriteCloser) {
	for !x.begun {
		if x.next() == io.EOF {
			_ = to.Close()
			return
		}
		if _, err := io.WriteString(to, x.rest); err != nil {
			return // it has ended
		}
		x.rest = ""
	}
}

// Failed returns why the program does not begin, if that is known while sudo, doas or su runs.
func (x *Exchange) Failed() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed
}

// Ended returns why the program did not begin, after the process has ended. cause is the error if the process said nothing.
func (x *Exchange) Ended(cause error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return x.failed
	}
	return x.dialog.Ended(cause)
}

// Asked reports whether the password was asked for.
func (x *Exchange) Asked() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.dialog.Asked()
}

// Said returns the output before the first question, or the text of the cause if there was none.
func (x *Exchange) Said(cause error) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return cmp.Or(strings.TrimSpace(string(x.dialog.said)), cause.Error())
}

// Close ends Read and Answer.
func (x *Exchange) Close() { x.once.Do(func() { close(x.closed) }) }
