package framing

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestOpeningTakesTheLineWithTheMarkAway(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text, want string
		pid              int
	}{
		{"alone", "#kinit 12\n", "", 12},
		{"before an output", "#kinit 4711\nout\n", "out\n", 4711},
		{"with a carriage return", "#kinit 5\r\nout", "out", 5},
		{"after a banner", "welcome\r\n#kinit no\n#kinit 5\nout", "out", 5},
		{"the second one is output", "#kinit 5\n#kinit 6\n", "#kinit 6\n", 5},
		{"bytes that are no text", "#kinit 5\n\x00\xff\xc3", "\x00\xff\xc3", 5},
	}
	for _, c := range cases {
		for _, size := range []int{1, 3, 1000} {
			var to bytes.Buffer
			begun := 0
			out := NewOpening("#kinit ", &to, func(pid int) { begun = pid })
			write(t, out, c.text, size)
			if to.String() != c.want || begun != c.pid || !out.Begun() || out.Before() != "" {
				t.Errorf("%s, %d at once: output %q, process %d", c.name, size, to.String(), begun)
			}
		}
	}
}

func TestOpeningKeepsWhatCameInsteadOfACommand(t *testing.T) {
	t.Parallel()
	var to bytes.Buffer
	out := NewOpening("#kinit ", &to, func(int) {})
	write(t, out, strings.Repeat("x", 3*mostBefore)+"the end", 100)
	if to.Len() > 0 || out.Begun() || len(out.Before()) != mostBefore || !strings.HasSuffix(out.Before(), "xthe end") {
		t.Errorf("output %q, before %d bytes", to.String(), len(out.Before()))
	}
}

func TestOpeningPassesOnTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	full := errors.New("no room")
	out := NewOpening("#kinit ", failing{full}, func(int) {})
	if _, err := out.Write([]byte("#kinit 1\nx")); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
	if _, err := out.Write([]byte("x")); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// write writes a text in pieces.
func write(t *testing.T, to interface{ Write([]byte) (int, error) }, text string, size int) {
	t.Helper()
	for len(text) > 0 {
		n := min(size, len(text))
		if got, err := to.Write([]byte(text[:n])); err != nil || got != n {
			t.Fatalf("write: %d, %v", got, err)
		}
		text = text[n:]
	}
}
