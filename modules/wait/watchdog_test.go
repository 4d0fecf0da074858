package wait

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
)

func TestTheWatchdogRestartsOnceWhatIsSilent(t *testing.T) {
	t.Parallel()
	h := console(t, "booting")
	waiting := guarded(t, h, "1m", "100ms",
		`argv = ["sh", "-c", "echo restarted >> `+h.Path("restarts")+` && sleep 0.5 && touch `+h.Path("up")+`"]`)
	if err := waiting.wait(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if said, err := os.ReadFile(h.Path("restarts")); err != nil || string(said) != "restarted\n" {
		t.Errorf("restarts: %q, %v", said, err)
	}
	if out, err := waiting.Outputs(t.Context(), h); err != nil || !out.Restarted {
		t.Errorf("outputs %+v, %v", out, err)
	}
}

func TestTheWatchdogLeavesAloneWhatWritesOrNeverWrote(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		work   bool // it writes on and on
	}{
		"it writes":        {"booting", true},
		"it never wrote":   {"", false},
		"there is no file": {"-", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := console(t, c.before)
			if c.before == "-" {
				_ = os.Remove(h.Path("console"))
			}
			end := make(chan struct{})
			defer close(end)
			if c.work {
				go keepWriting(t, h.Path("console"), end)
			}
			late := guarded(t, h, "7s", "5s", `argv = ["touch", "`+h.Path("restarted")+`"]`)
			want := "waited 7s for " + h.Path("up") + ": it is not there"
			if err := late.wait(t.Context(), h); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			if said := late.MessageText(); said != "" {
				t.Error(said)
			}
		})
	}
}

// A kernel whose timers stand still goes on to complain about it.
func TestTheWatchdogRestartsWhatSaysThatItHangs(t *testing.T) {
	t.Parallel()
	h := console(t, "booting\n")
	end := make(chan struct{})
	defer close(end)
	waiting := guarded(t, h, "1m", "5s", "stuck = \"timers? stand\"\n"+`argv = ["touch", "`+h.Path("up")+`"]`)
	go func() {
		time.Sleep(100 * time.Millisecond)
		console, err := os.OpenFile(h.Path("console"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = console.WriteString("[ 26.4] the timers stand still\n")
			_ = console.Close()
		}
		if err != nil {
			t.Error(err)
		}
		keepWriting(t, h.Path("console"), end)
	}()
	if err := waiting.wait(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if said := waiting.MessageText(); !strings.Contains(said, h.Path("console")+" has \"timers stand\", and nothing better for 5s, ran touch ") {
		t.Error(said)
	}
}

func TestTheErrorShowsWhatTheWatchdogDid(t *testing.T) {
	t.Parallel()
	h := console(t, "booting")
	late := guarded(t, h, "4s", "100ms", `argv = ["false"]`)
	want := "waited 4s for " + h.Path("up") + ": it is not there\n" +
		h.Path("console") + " was silent for 100ms, ran false: "
	err := late.wait(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// console is a host with a file "console" that a watchdog looks at.
func console(t *testing.T, text string) *moduletest.Local {
	t.Helper()
	h := moduletest.LocalHost(t, "")
	if err := os.WriteFile(h.Path("console"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// guarded waits for the file "up", with a watchdog that runs a command after a silence.
func guarded(t *testing.T, h *moduletest.Local, within, silence, watchdog string) *Task {
	t.Helper()
	return task(t, fmt.Sprintf("path = %q\nwithin = %q\nwatchdog {\n file = %q\n silence = %q\n %s\n}",
		h.Path("up"), within, h.Path("console"), silence, watchdog))
}

// keepWriting lets a file grow until end is closed.
func keepWriting(t *testing.T, path string, end <-chan struct{}) {
	for {
		select {
		case <-end:
			return
		case <-time.After(300 * time.Millisecond):
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return // the test has ended and taken its folder
		}
		if _, err := f.WriteString("."); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
