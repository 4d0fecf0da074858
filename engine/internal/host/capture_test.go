package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/secret"
)

// many prints a number of bytes, lines of 99 letters, with a first and a last line.
func many(bytes int) []string {
	return []string{"sh", "-c", fmt.Sprintf("echo first; yes %s | head -c %d; echo; echo last", strings.Repeat("x", 99), bytes)}
}

func TestALongOutputKeepsItsBeginningAndItsEnd(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // what users have
	h := machine(t, &secret.Redactor{}).Bind("", nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const size = 50_000_000
	out, err := h.Run(t.Context(), module.Command{Argv: many(size), Long: true})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if !strings.HasPrefix(out.Stdout, "first\nxxx") || !strings.HasSuffix(out.Stdout, "xxx\n\nlast\n") {
		t.Errorf("it begins with %.20q", out.Stdout)
	}
	left := size + int64(len("first\n\nlast\n")) - mostHead - mostTail
	if note := fmt.Sprintf("\n… %d bytes left out …\n", left); !strings.Contains(out.Stdout, note) {
		t.Errorf("it does not say %q", note)
	}
	if len(out.Stdout) > mostHead+mostTail+100 {
		t.Errorf("%d bytes are kept", len(out.Stdout))
	}
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 32<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
}

func TestAnOutputThatIsNotLongIsWhole(t *testing.T) {
	h := machine(t, &secret.Redactor{}).Bind("", nil)
	const size = mostHead + mostTail
	out, err := h.Run(t.Context(), module.Command{Argv: many(size), Long: true})
	if want := size + len("first\n\nlast\n"); err != nil || len(out.Stdout) != want {
		t.Errorf("%d bytes, want %d, error %v", len(out.Stdout), want, err)
	}
}

func TestAnOutputThatIsToBeReadIsRefusedWhenItHasNoEnd(t *testing.T) {
	h := machine(t, &secret.Redactor{}).Bind("", nil)
	_, err := h.Run(t.Context(), module.Command{Argv: []string{"yes"}})
	if err == nil || err.Error() != "run yes: it printed more than 8 MiB, which no module reads" {
		t.Errorf("error is %v", err)
	}
}

func TestNoHalfOfASecretStaysAtACut(t *testing.T) {
	const token = "correct-horse-battery-staple"
	r := &secret.Redactor{}
	r.Add(token)
	c := &capture{}
	for range 400_000 {
		_, _ = c.Write([]byte(token))
	}
	text := c.end(r.Redact)
	for n := 5; n < len(token); n++ {
		if strings.Contains(text, token[:n]) || strings.Contains(text, token[len(token)-n:]) {
			t.Fatalf("a part of the secret with %d letters is in it", n)
		}
	}
}

func TestWholeOutputsAreKeptOnDemand(t *testing.T) {
	const token = "correct-horse-battery-staple"
	r := &secret.Redactor{}
	r.Add(token)
	m := machine(t, r)
	m.settings.Outputs = filepath.Join(t.TempDir(), "outputs")
	h := m.Bind("", nil)
	const lines = 200_000
	out, err := h.Run(t.Context(), module.Command{Long: true,
		Argv: []string{"sh", "-c", fmt.Sprintf("yes 'a %s b' | head -n %d", token, lines)}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(m.settings.Outputs + "/*.stdout")
	if err != nil || len(files) != 1 || !strings.Contains(out.Stdout, "; all of it is in "+files[0]+" …\n") {
		t.Fatalf("files %v, error %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(r.Redact("a "+token+" b")+"\n", lines); string(text) != want {
		t.Errorf("the file has %d bytes, want %d", len(text), len(want))
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestALineWithoutAnEndIsShownInPart(t *testing.T) {
	h := machine(t, &secret.Redactor{}).Bind("", nil)
	var got []int
	_, err := h.Run(t.Context(), module.Command{
		Argv: []string{"sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo y"},
		Line: func(line string) { got = append(got, len(line)) },
	})
	if err != nil || len(got) != 2 || got[0] != longestLine || got[1] != 1 {
		t.Errorf("lines of %v, error %v", got, err)
	}
}
