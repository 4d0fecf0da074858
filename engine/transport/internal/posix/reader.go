package posix

import (
	"context"
	"io"
)

// Reader returns a reader that returns ctx's error after ctx has ended. It does not
// interrupt a Read in progress.
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
