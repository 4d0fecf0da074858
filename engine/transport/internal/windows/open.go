package windows

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"kinit/engine/transport"
)

// opened is a file that is read while a script writes it to its standard output.
type opened struct {
	path  string
	from  *bufio.Reader
	pipe  *io.PipeReader
	stop  context.CancelFunc
	ended chan struct{} // closed when the script has ended
	left  int64
	sum   hash.Hash
	err   error // how reading has ended
}

func open(ctx context.Context, exec Exec, name string) (io.ReadCloser, error) {
	line, err := script("open", map[string]string{"path": name})
	if err != nil {
		return nil, err
	}
	inner, stop := context.WithCancel(ctx)
	from, to := io.Pipe()
	o := &opened{path: name, from: bufio.NewReaderSize(from, 64<<10), pipe: from, stop: stop, ended: make(chan struct{}), sum: sha256.New()}
	go func() {
		defer close(o.ended)
		var stderr bytes.Buffer
		code, err := exec(inner, transport.Process{Line: line, Stdout: to, Stderr: &stderr})
		if code != 0 || err != nil && !errors.Is(err, transport.ErrIncomplete) { // a gap is found by the sum
			_ = to.CloseWithError(unanswered(code, stderr.String(), err))
			return
		}
		_ = to.Close()
	}()
	if err := o.begin(); err != nil {
		_ = o.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return o, nil
}

// begin reads the answer, which has the size.
func (o *opened) begin() error {
	line, err := o.from.ReadString('\n')
	var answer struct {
		Size int64 `json:"size"`
	}
	if err := settle("open", o.path, line, &answer, func() error {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("the script answered %.100q", line)
		}
		return pathError("open", o.path, err)
	}); err != nil {
		return err
	}
	o.left = answer.Size
	return nil
}

// Read reads on. The end of the file is returned once all of it has arrived undamaged.
func (o *opened) Read(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	if o.left == 0 {
		o.err = o.finish()
		return 0, o.err
	}
	n, err := o.from.Read(b[:min(int64(len(b)), o.left)])
	o.sum.Write(b[:n])
	o.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		o.err = pathError("read", o.path, err)
	}
	return n, o.err
}

func (o *opened) finish() error {
	line, err := o.from.ReadString('\n')
	if err != nil {
		return pathError("read", o.path, err)
	}
	if got := hex.EncodeToString(o.sum.Sum(nil)); got != strings.TrimSpace(line) {
		return pathError("read", o.path, fmt.Errorf("the file arrived damaged: its SHA-256 is %s and must be %.64s", got, line))
	}
	return io.EOF
}

// Close ends the script if it still writes, and waits for it.
func (o *opened) Close() error {
	if o.err != io.EOF {
		o.stop()
	}
	_, _ = io.Copy(io.Discard, o.from)
	<-o.ended
	o.stop()
	return o.pipe.Close()
}
