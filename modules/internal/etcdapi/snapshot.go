package etcdapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// LeaderOf returns the id of the leader that a member follows, empty if it follows none.
func (c *Client) LeaderOf(ctx context.Context, endpoint string) (string, error) {
	var status struct{ Leader string }
	err := c.Ask(ctx, endpoint, "maintenance/status", struct{}{}, &status)
	if status.Leader == "0" {
		status.Leader = ""
	}
	return status.Leader, err
}

// Leader is nil if a member follows a leader, so that it has what the others have.
func (c *Client) Leader(ctx context.Context, endpoint string) error {
	leader, err := c.LeaderOf(ctx, endpoint)
	if err != nil {
		return fmt.Errorf("ask etcd for its state: %w", err)
	}
	if leader == "" {
		return errors.New("etcd has no leader: too few of its members answer")
	}
	// A read that all members agree on: what is written before is in the member, too.
	if err := c.Ask(ctx, endpoint, "kv/range", map[string]any{"key": "AA==", "count_only": true}, nil); err != nil {
		return fmt.Errorf("read from etcd: %w", err)
	}
	return nil
}

// Reader is a snapshot that is being read: the database, and its sha256 behind it, as etcdutl restores
// it. A content that the sha256 does not go with is an error in place of io.EOF.
type Reader struct {
	Size int64 // bytes, with the sha256

	pipe *io.PipeReader
	end  func()
}

func (r *Reader) Read(p []byte) (int, error) { return r.pipe.Read(p) }

// Close ends the snapshot, whether it was read to its end or not.
func (r *Reader) Close() { r.end() }

// piece is a message of the stream.
type piece struct {
	RemainingBytes int64  `json:"remaining_bytes,string"`
	Blob           []byte `json:"blob"`
}

// Snapshot begins to read a snapshot of a member, whose database is locked for writes as long as a
// transaction of it is read: the result is consistent.
func (c *Client) Snapshot(ctx context.Context, endpoint string) (*Reader, error) {
	if err := c.Leader(ctx, endpoint); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	in, out := io.Pipe()
	size, done := make(chan int64, 1), make(chan struct{})
	go func() {
		defer close(done)
		s := &snapshot{to: out, sum: sha256.New()}
		err := c.Stream(ctx, endpoint, "maintenance/snapshot", struct{}{}, func(text json.RawMessage) error {
			var p piece
			if err := json.Unmarshal(text, &p); err != nil {
				return err
			}
			if s.pieces++; s.pieces == 1 {
				s.expected = int64(len(p.Blob)) + p.RemainingBytes + sha256.Size
				size <- s.expected
			}
			return s.add(p.Blob)
		})
		if err == nil {
			err = s.check()
		}
		out.CloseWithError(err) // nil is io.EOF
		close(size)
	}()
	r := &Reader{pipe: in, end: func() {
		cancel()
		in.Close()
		<-done
	}}
	var begun bool
	if r.Size, begun = <-size; !begun {
		_, err := in.Read(nil)
		r.end()
		return nil, fmt.Errorf("it sends nothing: %w", err)
	}
	return r, nil
}

// snapshot passes pieces on. The last bytes are the sha256 of the others, so they wait until it is
// known whether they are the last.
type snapshot struct {
	to     io.Writer
	sum    hash.Hash
	last   []byte
	pieces int

	expected, received int64 // bytes
}

func (s *snapshot) add(piece []byte) error {
	if s.received += int64(len(piece)); s.received > s.expected || len(piece) == 0 {
		return fmt.Errorf("it sends more than the %d bytes that it has announced, or a message without any", s.expected)
	}
	s.last = append(s.last, piece...)
	n := max(0, len(s.last)-sha256.Size)
	s.sum.Write(s.last[:n]) // a hash returns no error
	_, err := s.to.Write(s.last[:n])
	s.last = append(s.last[:0], s.last[n:]...)
	return err
}

func (s *snapshot) check() error {
	if !bytes.Equal(s.last, s.sum.Sum(nil)) {
		return errors.New("the snapshot is not as the checksum says that etcd has sent behind it")
	}
	_, err := s.to.Write(s.last)
	return err
}
