package transporttest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kinit/engine/shell"
	"kinit/engine/transport"
)

func (s suite) exec(t *testing.T) {
	ctx, conn := s.conn(t)
	cases := []struct {
		name, line string
		want       outcome
	}{
		{"success", "true", outcome{}},
		{"an exit code", "exit 7", outcome{code: 7}},
		{"the largest exit code", "exit 255", outcome{code: 255}},
		{"a program that is missing", "exec /nonexistent/program 2>/dev/null", outcome{code: 127}},
		{"ended by SIGTERM", "kill -TERM $$", outcome{code: 128 + 15}},
		{"ended by SIGINT", "kill -INT $$", outcome{code: 128 + 2}},
		{"ended by SIGQUIT", "(sleep 0.1; kill -QUIT $$) & exec sleep 100", outcome{code: 128 + 3}},
		{"ended by SIGKILL", "kill -KILL $$", outcome{code: 128 + 9}},
		{"ended by SIGPIPE", "kill -PIPE $$", outcome{code: 128 + 13}},
		{"a program ended by a signal says nothing", "exec sh -c 'kill -SEGV $$'", outcome{code: 128 + 11}},
		{"both streams apart", "echo out; echo err >&2", outcome{0, "out\n", "err\n"}},
		{"no line end is added", "printf out; printf err >&2", outcome{0, "out", "err"}},
		{"a zero byte", `printf 'a\000b'`, outcome{0, "a\x00b", ""}},
		{"no input", "cat; echo end", outcome{0, "end\n", ""}},
		{"several lines", "echo one\necho 'two\nthree'", outcome{0, "one\ntwo\nthree\n", ""}},
		{"an empty line", "", outcome{}},
		{"a comment at the end", "echo a # b", outcome{0, "a\n", ""}},
		{"a closed output", "exec >&- 2>&-; exit 4", outcome{code: 4}},
		{"nothing of the command before", "echo $kinit", outcome{0, "\n", ""}},
		{"cd does not last", "cd /", outcome{}},
	}
	sh(ctx, t, conn, "kinit=left; export kinit; umask 077; set -e; exec 5>&1")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want(t, "outcome", sh(ctx, t, conn, c.line), c.want)
		})
	}
	t.Run("a line that is no shell", func(t *testing.T) {
		got := sh(ctx, t, conn, "echo 'open")
		if got.code == 0 || got.stdout != "" || got.stderr == "" {
			t.Errorf("got %+v, want a code, and words on stderr", got)
		}
		want(t, "the next command", sh(ctx, t, conn, "echo fine"), outcome{0, "fine\n", ""})
	})
	t.Run("a process group of its own", func(t *testing.T) {
		got := sh(ctx, t, conn, "read -r pid name state parent group rest </proc/self/stat; [ $group = $$ ] && echo leader")
		want(t, "outcome", got, outcome{0, "leader\n", ""})
	})
	t.Run("starts at home, or in the root folder where there is none", func(t *testing.T) {
		want(t, "outcome", sh(ctx, t, conn, `[ "$(pwd -P)" = "$(cd 2>/dev/null || cd /; pwd -P)" ]`), outcome{})
	})
	t.Run("nasty arguments arrive unchanged", func(t *testing.T) { s.nasty(t) })
	t.Run("8 MiB on both streams", func(t *testing.T) { s.large(t) })
	t.Run("a background process does not hold the command", func(t *testing.T) { s.background(t) })
	t.Run("a writer that fails", func(t *testing.T) {
		_, err := conn.Exec(ctx, transport.Process{Line: "seq 200000; exit 3", Stdout: failing{}})
		wantIs(t, err, errFailing)
		want(t, "the next command", sh(ctx, t, conn, "echo fine"), outcome{0, "fine\n", ""})
	})
	t.Run("output arrives while the command runs", func(t *testing.T) { s.live(t) })
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

func (s suite) nasty(t *testing.T) {
	ctx, conn := s.conn(t)
	all := Nasty()
	for _, arg := range all {
		got := sh(ctx, t, conn, shell.POSIX("printf", "%s.", arg))
		if got.stdout != arg+"." {
			t.Errorf("%.60q arrived as %.60q (stderr %q)", arg, got.stdout, got.stderr)
		}
	}
	short := all[:len(all)-1]
	got := sh(ctx, t, conn, shell.POSIX(append([]string{"printf", "%s.\\0"}, short...)...))
	want(t, "all at once", got.stdout, strings.Join(short, ".\x00")+".\x00")
}

func (s suite) large(t *testing.T) {
	ctx, conn := s.conn(t)
	const size = 8 << 20
	text := func(word string) string {
		return strings.Repeat(word+"\n", size/(len(word)+1)+1)[:size]
	}
	var stdout, stderr bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{
		Line:   fmt.Sprintf("yes outoutout | head -c %d & yes errerr | head -c %d >&2; wait", size, size),
		Stdout: &stdout, Stderr: &stderr,
	})
	if err != nil || code != 0 {
		t.Fatalf("code %d, error %v", code, err)
	}
	want(t, "stdout", sha256.Sum256(stdout.Bytes()), sha256.Sum256([]byte(text("outoutout"))))
	want(t, "stderr", sha256.Sum256(stderr.Bytes()), sha256.Sum256([]byte(text("errerr"))))
}

// background leaves a process behind that writes to the output it inherited,
// after the command has ended and while others run.
func (s suite) background(t *testing.T) {
	ctx, conn := s.conn(t)
	dir := folder(ctx, t, conn)
	go_ := shell.POSIX(dir + "/go")
	got := sh(ctx, t, conn, "(while ! [ -e "+go_+" ]; do sleep 0.01; done; echo late; echo late >&2; touch "+go_+"done) & echo first")
	want(t, "the command", got, outcome{0, "first\n", ""})
	got = sh(ctx, t, conn, "touch "+go_+"; n=0; while [ $n -lt 50 ]; do n=$((n+1)); sleep 0.01; done; echo second")
	want(t, "the next command", got, outcome{0, "second\n", ""})
}

func (s suite) live(t *testing.T) {
	ctx, conn := s.conn(t)
	dir := folder(ctx, t, conn)
	seen := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(ctx, transport.Process{
			Line:   "echo ready; while ! [ -e " + shell.POSIX(dir+"/go") + " ]; do sleep 0.01; done",
			Stdout: &trigger{word: "ready\n", seen: seen},
		})
		ended <- err
	}()
	select {
	case <-seen:
	case err := <-ended:
		t.Fatalf("ended before its output was seen: %v", err)
	}
	sh(ctx, t, conn, "touch "+shell.POSIX(dir+"/go"))
	if err := <-ended; err != nil {
		t.Error(err)
	}
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
