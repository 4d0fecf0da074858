package winrm

import (
	"context"
	"io"
	"sync"
)

// ahead reads from a reader while earlier input is being sent, so that data from a slow
// reader is sent at once and from a fast one in large parts.
type ahead struct {
	mu      sync.Mutex
	changed sync.Cond // one of the following has changed, or the context has ended
	data    []byte
	err     error
}

// readSize is how much is read at once.
const readSize = 64 << 10

// readAhead starts to read, at most about limit bytes ahead of take, until ctx ends. A Read
// in progress is not waited for.
func readAhead(ctx context.Context, from io.Reader, limit int) *ahead {
	a := &ahead{}
	a.changed.L = &a.mu
	context.AfterFunc(ctx, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.changed.Broadcast()
	})
	go func() {
		block := make([]byte, readSize)
		for ctx.Err() == nil {
			n, err := from.Read(block)
			a.add(ctx, block[:n], err, limit)
			if err != nil {
				return
			}
		}
	}()
	return a
}

// add stores what was read, and waits for room for more.
func (a *ahead) add(ctx context.Context, data []byte, err error, limit int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.data, a.err = append(a.data, data...), err
	a.changed.Broadcast()
	for len(a.data) >= limit && err == nil && ctx.Err() == nil {
		a.changed.Wait()
	}
}

// take returns the data read since the last call, at least one byte, or the error that
// ended reading. The context is that of readAhead.
func (a *ahead) take(ctx context.Context) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.data) == 0 && a.err == nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a.changed.Wait()
	}
	data := a.data
	a.data = nil
	a.changed.Broadcast()
	if len(data) > 0 {
		return data, nil
	}
	return nil, a.err
}
