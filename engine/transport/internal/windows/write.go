package windows

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/transport"
)

// How long the removal of a temporary file may take after the write's own context has
// ended.
const (
	tidyTime  = 10 * time.Second
	tidyPause = 250 * time.Millisecond // between two tries
)

// Write replaces a file's content in one go: it streams into a temporary file in the
// same folder, compares its SHA-256 there, and renames it. The access control list of
// the older file stays. A content that can be rewound is sent once more when the
// connection was lost.
func (f *Files) Write(ctx context.Context, name string, content io.Reader, attr module.Attr) error {
	name, err := Clean("write", name)
	if err != nil {
		return err
	}
	if err := CheckAttr("write", name, attr); err != nil {
		return err
	}
	err = f.write(ctx, name, content)
	if seeker, ok := content.(io.Seeker); ok && ctx.Err() == nil && lost(err) {
		if _, failed := seeker.Seek(0, io.SeekStart); failed == nil {
			err = f.write(ctx, name, content)
		}
	}
	if err != nil {
		return err
	}
	return f.change.SetAccess(ctx, name, attr, false)
}

func (f *Files) write(ctx context.Context, name string, content io.Reader) error {
	temporary := module.TemporaryName(name)
	if len(temporary) > longestPath {
		temporary = path.Dir(name) + "/~k" + rand.Text()[:8]
	}
	line, err := script("write", map[string]string{"path": name, "temporary": temporary})
	if err != nil {
		return err
	}
	parts := &parts{from: content, sum: sha256.New()}
	var stdout, stderr bytes.Buffer
	code, err := f.change(ctx, transport.Process{Line: line, Stdin: parts, Stdout: &stdout, Stderr: &stderr})
	answer, _, _ := strings.Cut(stdout.String(), "\n")
	if _, complete := decode(answer); !complete {
		f.tidy(ctx, temporary)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if parts.err != nil {
		return parts.err
	}
	return settle("write", name, answer, nil, func() error {
		return pathError("write", name, unanswered(code, stderr.String(), err))
	})
}

// longestPath is MAX_PATH of the Windows API without the closing zero.
const longestPath = 259

// tidy removes what a write that was cut off may have left. A process that was killed may
// hold its file for a moment. An error is dropped: it would hide the first one.
func (f *Files) tidy(ctx context.Context, temporary string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	for f.exec.Remove(ctx, temporary) != nil {
		if pace.Wait(ctx, tidyPause) != nil {
			return
		}
	}
}

// partSize is how much, in bytes, one part of a content has at most.
const partSize = 1 << 20

// parts is a content as the script reads it: 8 digits and so many bytes, at the end
// eight zeros and the SHA-256 of all in hexadecimal. When the source fails, a negative
// number is the end, so that the script can tidy up itself; err has the reason.
type parts struct {
	from io.Reader
	sum  hash.Hash
	err  error

	block []byte
	ready []byte // of the block, not yet read
	ended bool
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.ready) == 0 && p.ended {
		return 0, io.EOF
	}
	if len(p.ready) == 0 {
		p.next()
	}
	n := copy(b, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

func (p *parts) next() {
	const digits = 8
	if p.block == nil {
		p.block = make([]byte, digits+partSize)
	}
	n, err := io.ReadFull(p.from, p.block[digits:])
	switch {
	case n > 0 && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)):
		p.sum.Write(p.block[digits:][:n])
		copy(p.block, fmt.Sprintf("%08d", n))
		p.ready = p.block[:digits+n]
	case err == io.EOF:
		p.ready, p.ended = []byte("00000000"+hex.EncodeToString(p.sum.Sum(nil))), true
	default:
		p.err, p.ready, p.ended = err, []byte("-0000001"), true
	}
}
