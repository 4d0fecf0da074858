package winrm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// The limits, in bytes, of the data in one Send. The largest leaves room for the rest of
// the message: base64 makes four bytes of three.
const (
	largestSend  = (largestEnvelope - 8<<10) / 4 * 3
	smallestSend = 4 << 10
)

// blockSize returns the limit of the data in one Send.
func (c *client) blockSize() int { return int(c.block.Load()) }

// shrink lowers the limit after a Send that was too large.
func (c *client) shrink(tried int) {
	less := int64(max(tried/2, smallestSend))
	for {
		if now := c.block.Load(); now <= less || c.block.CompareAndSwap(now, less) {
			return
		}
	}
}

// errInput is the error if the caller's reader failed.
var errInput = errors.New("read the standard input")

// errOver is the error if the command accepts no more input: it has ended, or closed it.
var errOver = errors.New("the command takes no more input")

// feed sends the script and the input, in as few messages as possible. It returns nil also
// if the command accepts no more input, and errNotStarted if the script was not complete.
func (r *running) feed(ctx context.Context) error {
	err := r.sendAll(ctx)
	if errors.Is(err, errOver) {
		return nil // the received output shows why
	}
	return err
}

func (r *running) sendAll(ctx context.Context) error {
	script, last := r.job.header[:len(r.job.header)-1], r.job.header[len(r.job.header)-1:]
	if !r.job.stream {
		if err := r.sendLast(ctx, slices.Concat(r.job.header, r.job.input)); !errors.Is(err, errTooLarge) {
			return err
		}
	}
	if err := r.sendScript(ctx, script); err != nil {
		return err
	}
	if !r.job.stream {
		if err := r.sendLast(ctx, slices.Concat(last, r.job.input)); !errors.Is(err, errTooLarge) {
			return err
		}
	}
	if err := r.sendGo(ctx, last); err != nil {
		return err
	}
	if err := r.sendInput(ctx); err != nil {
		return err
	}
	return r.sendLast(ctx, nil)
}

// sendScript sends the part that does not complete the header: if it is lost, the command
// is started again.
func (r *running) sendScript(ctx context.Context, script []byte) error {
	if err := r.sendParts(ctx, script); err != nil {
		return beforeStart(ctx, err)
	}
	return nil
}

// sendGo completes the header while more input follows. It must not arrive twice.
func (r *running) sendGo(ctx context.Context, last []byte) error {
	if !r.Commit() {
		return errOver
	}
	err := r.send(ctx, last, false)
	if _, lost := errors.AsType[*lostError](err); !lost {
		return err
	}
	if r.awaitBegin(ctx) {
		return nil
	}
	return fmt.Errorf("it is unknown whether the command has begun: %w", err)
}

// sendInput sends the input without its end; no part may arrive twice. Data that is read
// while a part is being sent forms the next part.
func (r *running) sendInput(ctx context.Context) error {
	if !r.job.stream {
		return r.sendMore(ctx, r.job.input)
	}
	ahead := readAhead(ctx, r.job.Stdin, r.client.blockSize())
	for {
		data, err := ahead.take(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%w: %w", errInput, err)
		}
		if err := r.sendMore(ctx, data); err != nil {
			return err
		}
	}
}

func (r *running) sendMore(ctx context.Context, data []byte) error {
	err := r.sendParts(ctx, data)
	if _, lost := errors.AsType[*lostError](err); lost {
		return fmt.Errorf("it is unknown how much of the input arrived: %w", err)
	}
	return err
}

func (r *running) sendParts(ctx context.Context, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), r.client.blockSize())
		err := r.send(ctx, data[:n], false)
		switch {
		case err == nil:
			data = data[n:]
		case !errors.Is(err, errTooLarge) || n <= smallestSend:
			return err
		}
	}
	return nil
}

// sendLast sends the end of the input, and repeats it if the answer is lost: if it had
// arrived, the input is closed and accepts nothing more.
func (r *running) sendLast(ctx context.Context, data []byte) error {
	if len(data) > r.client.blockSize() {
		return errTooLarge
	}
	if !r.Commit() {
		return errOver
	}
	since := time.Now()
	for try := 1; ; try++ {
		err := r.send(ctx, data, true)
		var lost *lostError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &lost):
			// After a repeated message, a refusal may mean that the first one had arrived, which
			// the line of the bootstrap shows.
			if try > 1 && r.awaitBegin(ctx) {
				return nil
			}
			return err
		case time.Since(since) > r.client.config.Outage:
			return fmt.Errorf("it is unknown whether the end of the input arrived: %w", err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// send sends a message, and repeats it as long as the machine certainly did not see it, or
// is still busy with the previous one.
func (r *running) send(ctx context.Context, data []byte, end bool) error {
	since := time.Now()
	for try := 1; ; try++ {
		err := r.client.send(ctx, r.shell.id, r.command, data, end)
		var lost *lostError
		f := asFault(err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errTooLarge):
			r.client.shrink(len(data))
			return err
		case errors.As(err, &lost) && (lost.sent || time.Since(since) > r.client.config.Outage):
			return err
		case lost != nil:
		case f != nil && (f.timedOut() || f.is(codeTimeout)):
			return nil // the machine has it, and the command is not reading now
		case f != nil && f.closed():
			return errOver
		case f == nil || !f.is(codeBusy):
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}
