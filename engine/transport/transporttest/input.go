package transporttest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"kinit/engine/transport"
)

func (s suite) input(t *testing.T) {
	ctx, conn := s.conn(t)
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	texts := map[string][]byte{
		"no byte":            {},
		"one byte":           []byte("x"),
		"every byte":         everyByte,
		"an option":          []byte("-----BEGIN KEY-----\n"),
		"formats and quotes": []byte("%s%d%%\\n\\000'\"$HOME`id`\n"),
		"32 KiB":             random(32 << 10),
		"64 KiB and a byte":  random(64<<10 + 1),
		"100 KiB":            random(100_000),
		"some MiB":           random(s.bulk),
	}
	for name, text := range texts {
		s.behaviour(t, name+" in memory", func(t *testing.T) { s.echo(t, conn, bytes.NewReader(text), text) })
		s.behaviour(t, name+" streamed", func(t *testing.T) { s.echo(t, conn, onlyReader{bytes.NewReader(text)}, text) })
	}
	for name, in := range map[string]func() io.Reader{
		"in memory": func() io.Reader { return strings.NewReader("line 1\nline 2\n") },
		"streamed":  func() io.Reader { return onlyReader{strings.NewReader("line 1\nline 2\n")} },
		"endless":   func() io.Reader { return endless{} },
	} {
		s.behaviour(t, "a command that reads only a line, "+name, func(t *testing.T) {
			got, err := exec(ctx, conn, s.firstLine, in())
			check(t, err)
			want(t, "outcome", got, outcome{9, "line 1\n", ""})
		})
		s.behaviour(t, "a command that reads nothing, "+name, func(t *testing.T) {
			got, err := exec(ctx, conn, "exit 5", in())
			check(t, err)
			want(t, "outcome", got, outcome{code: 5})
		})
	}
	s.behaviour(t, "an answer before the end of the input", func(t *testing.T) {
		from, to := io.Pipe()
		seen := make(chan struct{})
		go func() {
			_, _ = to.Write([]byte("question\n"))
			<-seen
			_ = to.Close()
		}()
		answer := &trigger{word: "question\n", seen: seen}
		code, err := conn.Exec(ctx, transport.Process{Line: s.copyInput, Stdin: from, Stdout: answer})
		if err != nil || code != 0 {
			t.Errorf("code %d, error %v", code, err)
		}
	})
	s.behaviour(t, "an input that fails kills the command", func(t *testing.T) {
		broken := errors.New("the file is damaged")
		_, err := exec(ctx, conn, s.takeInput, io.MultiReader(strings.NewReader("part"), failingReader{broken}))
		wantIs(t, err, broken)
	})
	s.behaviour(t, "commands go on afterwards", func(t *testing.T) { s.goesOn(ctx, t, conn) })
}

// echo sends the input through a command that copies it.
func (s suite) echo(t *testing.T, conn transport.Conn, in io.Reader, text []byte) {
	t.Helper()
	got, err := exec(t.Context(), conn, s.copyInput, in)
	if err != nil || got.code != 0 || got.stderr != "" {
		t.Fatalf("code %d, error %v, stderr %q", got.code, err, got.stderr)
	}
	want(t, "size", len(got.stdout), len(text))
	want(t, "sum", sha256.Sum256([]byte(got.stdout)), sha256.Sum256(text))
}

// random returns bytes that are the same in every run.
func random(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// onlyReader hides what else a reader can do.
type onlyReader struct{ io.Reader }

// endless repeats lines.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	n := copy(b, "line 1\n")
	return n, nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
