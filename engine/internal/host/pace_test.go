package host

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/secret"
	"kinit/engine/transport"
)

// told is a connection to a machine that says what it is told to say, once it may.
type told struct {
	transport.Conn
	says  string
	may   chan struct{}
	times atomic.Int32
}

func (c *told) Exec(_ context.Context, p transport.Process) (int, error) {
	c.times.Add(1)
	<-c.may
	_, err := io.WriteString(p.Stdout, c.says)
	return 0, err
}

// measured is a machine that says "pace …" with the settings.
func measured(c *told, s Settings) *Machine {
	c.may = make(chan struct{})
	return newMachine("a", s, c, nil, &secret.Redactor{})
}

func TestTheSlowestThatWasMeasuredCounts(t *testing.T) {
	t.Parallel()
	c := &told{says: "pace 10.00 10.70 25\n"}
	m := measured(c, Settings{})
	close(c.may)
	h := m.Within(map[string]string{"A": "b"}, "", "", nil)
	gauge := module.Gauge(h)
	if got := gauge.Pace(); got != pace.Ordinary {
		t.Errorf("before it was measured it is %v", got)
	}
	for _, want := range []struct {
		says string
		pace float64
	}{{"pace 10.00 10.70 25\n", 7}, {"pace 10.00 10.20 25\n", 7}, {"", 7}, {"pace 10.00 11.20 25\n", 12}} {
		c.says = want.says
		if got := gauge.Measure(t.Context()); got != want.pace {
			t.Errorf("after %q it is %v, want %v", want.says, got, want.pace)
		}
	}
	if got := module.NotePace(h, 3); got != 12 {
		t.Errorf("after a task has measured 3 it is %v, want 12", got)
	}
	if got := module.NotePace(h, 15); got != 15 {
		t.Errorf("after a task has measured 15 it is %v, want 15", got)
	}
}

func TestWhatTheSettingsSayIsNotMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings Settings
		want     float64
	}{
		"an ordinary machine": {Settings{Pace: 1}, 1},
		"a slow one":          {Settings{Pace: 4}, 4},
		"Windows":             {Settings{OS: module.Windows}, 1},
		"a slow Windows":      {Settings{OS: module.Windows, Pace: 6}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := &told{says: "pace 10.00 10.70 25\n"}
			m := measured(conn, c.settings)
			if got := m.Measure(t.Context()); got != c.want || m.Note(9) != c.want || conn.times.Load() != 0 {
				t.Errorf("it is %v, want %v, after %d measurements", got, c.want, conn.times.Load())
			}
		})
	}
}

func TestAMachineIsMeasuredOnceForAllWhoAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &told{says: "pace 10.00 10.70 25\n"}
		m := measured(c, Settings{})
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if got := m.Measure(t.Context()); got != 7 {
					t.Errorf("it is %v", got)
				}
			})
		}
		synctest.Wait() // until all wait for the machine
		close(c.may)
		all.Wait()
		if n := c.times.Load(); n != 1 {
			t.Errorf("it was measured %d times", n)
		}
	})
}

func TestThisMachineIsMeasured(t *testing.T) {
	t.Parallel()
	connections := NewConnections(func(context.Context, string) (Settings, error) { return Settings{Local: true}, nil }, &secret.Redactor{})
	t.Cleanup(func() { _ = connections.Close() })
	m, err := connections.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.measure(t.Context()); got < pace.Ordinary {
		t.Errorf("it is %v", got)
	}
	h := m.Bind("", nil)
	out, err := h.Run(t.Context(), module.Command{Argv: []string{"sh", "-c", pace.Script()}})
	if err != nil || !strings.HasPrefix(out.Stdout, "pace ") || out.Stderr != "" {
		t.Errorf("the script says %q and %q: %v", out.Stdout, out.Stderr, err)
	}
}
