package posix

import (
	"context"
	"io"
)

// Reader returns a reader that gives ctx's error once ctx has ended. A Read that
// is under way is not interrupted.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	return reader{ctx: ctx, from: r}
}

type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(b)
}
