package wait

import (
	"os"
	"strings"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
)

func TestTheWatchdogRestartsOnceWhatIsSilent(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	write(t, h.Path("console"), "booting")
	waiting := task(t, `
		path   = "`+h.Path("up")+`"
		within = "1m"
		watchdog {
			file    = "`+h.Path("console")+`"
			silence = "100ms"
			argv    = ["sh", "-c", "echo restarted >> `+h.Path("restarts")+` && sleep 0.5 && touch `+h.Path("up")+`"]
		}
	`)
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
			h := moduletest.LocalHost(t, "")
			if c.before != "-" {
				write(t, h.Path("console"), c.before)
			}
			end := make(chan struct{})
			defer close(end)
			if c.work {
				go keepWriting(t, h.Path("console"), end)
			}
			late := task(t, `
				path   = "`+h.Path("up")+`"
				within = "7s"
				watchdog {
					file    = "`+h.Path("console")+`"
					silence = "5s"
					argv    = ["touch", "`+h.Path("restarted")+`"]
				}
			`)
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
	h := moduletest.LocalHost(t, "")
	write(t, h.Path("console"), "booting\n")
	end := make(chan struct{})
	defer close(end)
	waiting := task(t, `
		path   = "`+h.Path("up")+`"
		within = "1m"
		watchdog {
			file    = "`+h.Path("console")+`"
			silence = "5s"
			stuck   = "timers? stand"
			argv    = ["touch", "`+h.Path("up")+`"]
		}
	`)
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
	h := moduletest.LocalHost(t, "")
	write(t, h.Path("console"), "booting")
	late := task(t, `
		path   = "`+h.Path("up")+`"
		within = "4s"
		watchdog {
			file    = "`+h.Path("console")+`"
			silence = "100ms"
			argv    = ["false"]
		}
	`)
	want := "waited 4s for " + h.Path("up") + ": it is not there\n" +
		h.Path("console") + " was silent for 100ms, ran false: "
	err := late.wait(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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
