package transporttest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"testing"

	"kinit/engine/shell"
	"kinit/engine/transport"
)

func (s suite) exec(t *testing.T) {
	ctx, conn := s.conn(t)
	sh(ctx, t, conn, s.dirty)
	for _, name := range execNames() {
		s.behaviour(t, name, func(t *testing.T) {
			c, known := s.dialect.exec[name]
			if !known {
				t.Fatal("the dialect has no line for it, and no reason")
			}
			want(t, "outcome", sh(ctx, t, conn, c.line), c.want)
		})
	}
	s.behaviour(t, "a line that is no shell", func(t *testing.T) {
		got := sh(ctx, t, conn, s.noCommand)
		if got.code == 0 || got.stdout != "" || got.stderr == "" {
			t.Errorf("got %+v, want a code, and words on stderr", got)
		}
		s.goesOn(ctx, t, conn)
	})
	s.behaviour(t, "nasty arguments arrive unchanged", s.nastyArguments)
	s.behaviour(t, "much on both streams", s.largeOutput)
	s.behaviour(t, "a background process does not hold the command", s.background)
	s.behaviour(t, "a writer that fails", func(t *testing.T) {
		_, err := conn.Exec(ctx, transport.Process{Line: s.muchOutput, Stdout: failing{}})
		wantIs(t, err, errFailing)
		s.goesOn(ctx, t, conn)
	})
	s.behaviour(t, "output arrives while the command runs", s.live)
	s.behaviour(t, "a script that throws", func(t *testing.T) {
		got := sh(ctx, t, conn, "$ErrorActionPreference = 'Stop'\nthrow 'the reason'")
		if lines := strings.Split(strings.TrimSpace(got.stderr), "\n"); got.code != 1 || strings.TrimSpace(lines[len(lines)-1]) != "the reason" || len(lines) < 2 {
			t.Errorf("got %+v, want the place and then the reason", got)
		}
	})
	s.behaviour(t, "a script of any length", func(t *testing.T) {
		got := sh(ctx, t, conn, strings.Repeat("# a comment in a long script\n", 4_000)+s.say("fine", 2))
		want(t, "outcome", got, outcome{2, "fine\n", ""})
	})
}

// execNames are the behaviours that a line and its outcome show.
func execNames() []string {
	return []string{
		"success", "an exit code", "the largest exit code", "an exit code of 32 bits", "a program that is missing",
		"the code of a program that ran",
		"ended by SIGTERM", "ended by SIGINT", "ended by SIGQUIT", "ended by SIGKILL", "ended by SIGPIPE",
		"a program ended by a signal says nothing", "both streams apart", "no line end is added", "a zero byte",
		"no input", "several lines", "an empty line", "a comment at the end", "a closed output",
		"nothing of the command before", "cd does not last", "a process group of its own", "starts at home",
	}
}

// goesOn looks whether the next command is fine.
func (s suite) goesOn(ctx context.Context, t *testing.T, conn transport.Conn) {
	t.Helper()
	want(t, "the next command", sh(ctx, t, conn, s.say("fine", 0)), outcome{0, "fine\n", ""})
}

var errFailing = errors.New("no room")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

// Nasty are texts that quoting and framing could break.
func Nasty() []string {
	every := make([]byte, 0, 255)
	for c := 1; c < 256; c++ {
		every = append(every, byte(c))
	}
	return []string{
		"", " ", "\t", "\n", "\n\n", "a b", "'", "''", `"`, `\`, `\\`, `\n`, "$HOME", "$(id)", "`id`", "*", "?", "[a]",
		"~", "!", "!!", "#", ";", "&", "|", "<", ">", "(", ")", "{a,b}", "-n", "--", "=", "a=b", "%s", "%%", "\r", "\r\n",
		"ends with newline\n", "\nbegins with newline", "trailing backslash\\", "é", "日本語", "\x01", "\x7f", "\x80", "\x81", "\x88", "\xff",
		"it's \"both\"", "line1\nline2", "EOF", "\u00a0", "\u2028", string(every), strings.Repeat("x", 100_000),
	}
}

func (s suite) nastyArguments(t *testing.T) {
	ctx, conn := s.conn(t)
	for _, arg := range s.nasty {
		got := sh(ctx, t, conn, s.print(arg))
		if got.stdout != arg+"." {
			t.Errorf("%.60q arrived as %.60q (stderr %q)", arg, got.stdout, got.stderr)
		}
	}
	short := s.nasty[:len(s.nasty)-1]
	got := sh(ctx, t, conn, s.printAll(short))
	want(t, "all at once", got.stdout, strings.Join(short, ".\x00")+".\x00")
}

func (s suite) largeOutput(t *testing.T) {
	ctx, conn := s.conn(t)
	size := s.bulk
	text := func(word string) string {
		return strings.Repeat(word+"\n", size/(len(word)+1)+1)[:size]
	}
	got := sh(ctx, t, conn, s.large("outoutout", "errerr", size))
	want(t, "code", got.code, 0)
	want(t, "stdout", sha256.Sum256([]byte(got.stdout)), sha256.Sum256([]byte(text("outoutout"))))
	want(t, "stderr", sha256.Sum256([]byte(got.stderr)), sha256.Sum256([]byte(text("errerr"))))
}

// background leaves a process behind that writes to the output it inherited,
// after the command has ended and while others run.
func (s suite) background(t *testing.T) {
	ctx, conn := s.conn(t)
	dir := s.folder(ctx, t, conn)
	go_ := shell.POSIX(dir + "/go")
	got := sh(ctx, t, conn, "(while ! [ -e "+go_+" ]; do sleep 0.01; done; echo late; echo late >&2; touch "+go_+"done) & echo first")
	want(t, "the command", got, outcome{0, "first\n", ""})
	got = sh(ctx, t, conn, "touch "+go_+"; n=0; while [ $n -lt 50 ]; do n=$((n+1)); sleep 0.01; done; echo second")
	want(t, "the next command", got, outcome{0, "second\n", ""})
}

func (s suite) live(t *testing.T) {
	ctx, conn := s.conn(t)
	file := s.folder(ctx, t, conn) + "/go"
	seen := make(chan struct{})
	ended := begin(ctx, conn, transport.Process{Line: s.readyUntil(file), Stdout: &trigger{word: "ready\n", seen: seen}})
	select {
	case <-seen:
	case err := <-ended:
		t.Fatalf("ended before its output was seen: %v", err)
	}
	sh(ctx, t, conn, s.touch(file))
	check(t, <-ended)
}

// trigger tells when it has got a word.
type trigger struct {
	word string
	seen chan struct{}
	once sync.Once
	text bytes.Buffer
}

func (w *trigger) Write(b []byte) (int, error) {
	w.text.Write(b)
	if strings.Contains(w.text.String(), w.word) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(b), nil
}
