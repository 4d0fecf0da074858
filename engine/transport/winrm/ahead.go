package winrm

import (
	"context"
	"io"
	"sync"
)

// ahead reads from a reader while earlier input is being sent, so that data from a slow
// reader is sent at once and from a fast one in large parts.
type ahead struct {
	mu   sync.Mutex
	data []byte
	err  error
	more chan struct{} // there is data, or an error
	room chan struct{} // the data was taken
}

// readSize is how much is read at once.
const readSize = 64 << 10

// readAhead starts to read, at most about limit bytes ahead of take, until ctx ends. A Read
// in progress is not waited for.
func readAhead(ctx context.Context, from io.Reader, limit int) *ahead {
	a := &ahead{more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	go a.fill(ctx, from, limit)
	return a
}

func (a *ahead) fill(ctx context.Context, from io.Reader, limit int) {
	block := make([]byte, readSize)
	for {
		n, err := from.Read(block)
		held := a.add(block[:n], err)
		if err != nil {
			return
		}
		for held >= limit {
			select {
			case <-a.room:
				held = a.add(nil, nil)
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// add stores read data, and returns the number of stored bytes.
func (a *ahead) add(data []byte, err error) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.data, a.err = append(a.data, data...), err
	signal(a.more)
	return len(a.data)
}

// take returns the data read since the last call, at least one byte, or the error that
// ended reading.
func (a *ahead) take(ctx context.Context) ([]byte, error) {
	for {
		if data, err := a.taken(); len(data) > 0 || err != nil {
			return data, err
		}
		select {
		case <-a.more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (a *ahead) taken() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	data := a.data
	a.data = nil
	signal(a.room)
	if len(data) > 0 {
		return data, nil
	}
	return nil, a.err
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
