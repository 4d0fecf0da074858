package framing

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestUntil(t *testing.T) {
	const mark = "ABCABD"
	cases := []struct{ name, stream, want, rest string }{
		{"the mark alone", mark, "", ""},
		{"text before and after", "text" + mark + "rest", "text", "rest"},
		{"a start of the mark before it", "ABCABC" + mark, "ABCABC", ""},
		{"the mark overlaps with its own start", "ABC" + mark, "ABC", ""},
		{"two marks", "a" + mark + "b" + mark, "a", "b" + mark},
		{"a long text", strings.Repeat("ABCAB-", 50_000) + mark + "x", strings.Repeat("ABCAB-", 50_000), "x"},
	}
	for _, c := range cases {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"at once":        func(r io.Reader) io.Reader { return r },
			"byte by byte":   iotest.OneByteReader,
			"in half blocks": iotest.HalfReader,
		} {
			t.Run(c.name+", "+name, func(t *testing.T) {
				from := bufio.NewReaderSize(wrap(strings.NewReader(c.stream)), 64)
				var got bytes.Buffer
				if err := Until(from, mark, NewSink(&got)); err != nil {
					t.Fatal(err)
				}
				rest, err := io.ReadAll(from)
				if got.String() != c.want || string(rest) != c.rest || err != nil {
					t.Errorf("got %.40q, rest %.40q, error %v", got.String(), rest, err)
				}
			})
		}
	}
}

func TestUntilTheStreamEnds(t *testing.T) {
	for _, stream := range []string{"", "text", "textAB"} {
		var got bytes.Buffer
		err := Until(bufio.NewReader(strings.NewReader(stream)), "ABC", NewSink(&got))
		if !errors.Is(err, io.EOF) || got.String() != strings.TrimSuffix(stream, "AB") {
			t.Errorf("%q: got %q, error %v", stream, got.String(), err)
		}
	}
}

// What a program prints is passed on at once, not when the mark comes.
func TestUntilDoesNotHoldBack(t *testing.T) {
	from, to := io.Pipe()
	defer to.Close()
	got := make(chan string, 10)
	go func() { _ = Until(bufio.NewReader(from), "MARK", NewSink(sends(got))) }()
	for _, text := range []string{"password: ", "M", "A"} {
		_, _ = to.Write([]byte(text))
		if text == "password: " && <-got != text {
			t.Error("the prompt is held back")
		}
	}
	_, _ = to.Write([]byte("x"))
	if text := <-got; text != "MAx" {
		t.Errorf("got %q", text)
	}
}

type sends chan string

func (s sends) Write(b []byte) (int, error) {
	s <- string(b)
	return len(b), nil
}

func TestSinkIsNotUsedAfterItsRelease(t *testing.T) {
	var got bytes.Buffer
	s := NewSink(&got)
	s.pass([]byte("a"))
	s.Release()
	s.pass([]byte("b"))
	if got.String() != "a" {
		t.Errorf("got %q", got.String())
	}
}

func FuzzUntil(f *testing.F) {
	f.Add("text", "rest", 3)
	f.Add("ABABAB", "", 1)
	f.Fuzz(func(t *testing.T, text, rest string, size int) {
		const mark = "ABAC"
		if strings.Contains(text+mark[:3], mark) {
			return
		}
		from := bufio.NewReaderSize(strings.NewReader(text+mark+rest), max(16, size%4096))
		var got bytes.Buffer
		err := Until(from, mark, NewSink(&got))
		after, _ := io.ReadAll(from)
		if i := strings.Index(text+mark, mark); got.String() != text[:i] || string(after) != (text + mark + rest)[i+len(mark):] || err != nil {
			t.Errorf("got %q, rest %q, error %v", got.String(), after, err)
		}
	})
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"0\n": 0, " 137\n": 137, "42\nrest": 42} {
		if got, err := Number(bufio.NewReader(strings.NewReader(text))); got != want || err != nil {
			t.Errorf("%q: got %d, error %v", text, got, err)
		}
	}
	for _, text := range []string{"", "12", "x\n", "\n"} {
		if got, err := Number(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%q: got %d", text, got)
		}
	}
}

func TestNumberWithoutAnEndIsRefused(t *testing.T) {
	t.Parallel()
	from := bufio.NewReaderSize(digits{}, 64<<10)
	want := `the machine's shell answered "` + strings.Repeat("7", 40) + `" instead of a number`
	if n, err := Number(from); err == nil || err.Error() != want {
		t.Errorf("got %d, %v", n, err)
	}
}

// digits never end.
type digits struct{}

func (digits) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '7'
	}
	return len(b), nil
}
