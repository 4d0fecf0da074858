package shell

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"sync"

	"kinit/test/winsim/wsman/internal/soap"
)

const (
	// maxChunk is how much one read of a process's pipe brings, and so how much one
	// Stream of an answer has.
	maxChunk = 32 << 10
	// backlog is how much output waits to be received, and input to be read, before
	// the writer has to wait.
	backlog = 256 << 10
	// chunkCost is about what a Stream takes in an answer besides its data.
	chunkCost = 128
	// exitInterrupted is STATUS_CONTROL_C_EXIT, the exit code of an interrupted process.
	exitInterrupted = 0xC000013A
)

var errTerminated = errors.New("the process was terminated")

// command is one command of a shell: a process with its pipes.
type command struct {
	id   string
	stop context.CancelFunc

	mu          sync.Mutex
	changed     *sync.Cond
	input       []byte
	inputEnds   bool
	output      []soap.Chunk
	waiting     int // bytes in output
	finished    bool
	exitCode    uint32
	interrupted bool
	terminated  bool
	receiving   bool // a Receive is under way
	told        bool // the end has been received
}

func newCommand(id string, stop context.CancelFunc) *command {
	c := &command{id: id, stop: stop}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// wait waits, with the mutex held, until ready or until ctx ends.
func (c *command) wait(ctx context.Context, ready func() bool) error {
	unhook := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer unhook()
	for !ready() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.changed.Wait()
	}
	return nil
}

// killed reports whether somebody stopped the process. The mutex is held.
func (c *command) killed() bool { return c.terminated || c.interrupted }

// Read is the process's standard input.
func (c *command) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.input) == 0 && !c.inputEnds && !c.killed() {
		c.changed.Wait()
	}
	if c.killed() {
		return 0, errTerminated
	}
	if len(c.input) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.input)
	c.input = c.input[n:]
	c.changed.Broadcast()
	return n, nil
}

// send takes a piece of input as a whole, once there is room.
func (c *command) send(ctx context.Context, piece soap.Stream) *soap.Fault {
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(piece.Base64), ""))
	if err != nil {
		return soap.NewFault(soap.SchemaError)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	closed := func() bool { return c.finished || c.terminated || c.inputEnds }
	err = c.wait(ctx, func() bool { return closed() || len(c.input) < backlog })
	if err != nil {
		return soap.NewFault(soap.TimedOut)
	}
	if closed() {
		return soap.NewFault(soap.PipeCloses)
	}
	c.input = append(c.input, data...)
	c.inputEnds = piece.Ends()
	c.changed.Broadcast()
	return nil
}

// stream is the process's end of an output stream.
func (c *command) stream(name string) io.Writer { return writer{c, name} }

type writer struct {
	command *command
	name    string
}

func (w writer) Write(p []byte) (int, error) {
	c := w.command
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := 0; n < len(p); {
		for c.waiting >= backlog && !c.killed() {
			c.changed.Wait()
		}
		if c.killed() {
			return n, errTerminated
		}
		piece := p[n:min(n+maxChunk, len(p))]
		c.output = append(c.output, soap.Chunk{Stream: w.name, Data: append([]byte{}, piece...)})
		c.waiting += len(piece)
		n += len(piece)
		c.changed.Broadcast()
	}
	return len(p), nil
}

// receive waits for output or the end. The end can be received once: afterwards the
// command is unknown to Receive, and to nothing else.
func (c *command) receive(ctx context.Context, limit int) (soap.Output, *soap.Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.receiving {
		return soap.Output{}, soap.NewFault(soap.Busy)
	}
	if c.told {
		return soap.Output{}, soap.NewFault(soap.UnknownCommand)
	}
	c.receiving = true
	defer func() { c.receiving = false }()
	err := c.wait(ctx, func() bool { return len(c.output) > 0 || c.finished || c.terminated })
	if err != nil {
		return soap.Output{}, soap.NewFault(soap.TimedOut)
	}
	if c.terminated {
		return soap.Output{}, soap.NewFault(soap.Aborted)
	}
	out := soap.Output{CommandID: c.id, Chunks: c.take(limit), State: soap.StateRunning}
	if c.finished && len(c.output) == 0 {
		c.told = true
		out.State, out.ExitCode, out.Ended = soap.StateDone, c.exitCode, []string{"stdout", "stderr"}
	}
	return out, nil
}

// take removes output that fits into limit bytes of an answer, one byte at least.
func (c *command) take(limit int) []soap.Chunk {
	var taken []soap.Chunk
	for len(c.output) > 0 {
		room := (limit-chunkCost)/4*3 - 3
		if room <= 0 && len(taken) > 0 {
			break
		}
		first := &c.output[0]
		n := min(len(first.Data), max(room, 1))
		taken = append(taken, soap.Chunk{Stream: first.Stream, Data: first.Data[:n]})
		first.Data = first.Data[n:]
		if len(first.Data) == 0 {
			c.output = c.output[1:]
		}
		c.waiting -= n
		limit -= chunkCost + (n+2)/3*4
	}
	c.changed.Broadcast()
	return taken
}

// finish notes that the process has ended.
func (c *command) finish(code uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished, c.exitCode = true, code
	if c.interrupted {
		c.exitCode = exitInterrupted
	}
	c.stop()
	c.changed.Broadcast()
}

func (c *command) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.finished
}

// interrupt ends the process as Ctrl+C does: its end can be received. A process that
// has ended already is not touched.
func (c *command) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return
	}
	c.interrupted = true
	c.stop()
	c.changed.Broadcast()
}

// terminate ends the process and whatever waits for it.
func (c *command) terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.terminated = true
	c.stop()
	c.changed.Broadcast()
}
