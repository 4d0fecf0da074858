package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"kinit/cmd/kinit/view"
)

// ProgressOptions say how a run is shown.
type ProgressOptions struct {
	Out     view.Screen
	Total   int              // tests that are planned
	Now     func() time.Time // the clock
	Verbose bool             // show every test, not only those that failed
	Quiet   bool             // show failures alone
	JSON    bool             // a line of JSON a test
}

// The clock of the progress.
const (
	redraw    = 500 * time.Millisecond // of the line at the bottom of a terminal
	heartbeat = time.Minute            // between two lines where nothing is redrawn
)

// Progress shows how far the tests are, and failures at once.
type Progress struct {
	options ProgressOptions
	started time.Time

	mu           sync.Mutex
	done, failed int
	last         string // the test that ended last
	drawn        bool   // a line stands at the bottom
	said         time.Time

	stop    chan struct{}
	stopped sync.WaitGroup
}

// NewProgress starts to show. Close ends it.
func NewProgress(o ProgressOptions) *Progress {
	p := &Progress{options: o, started: o.Now(), stop: make(chan struct{})}
	p.said = p.started
	if !o.Quiet && !o.JSON {
		p.stopped.Go(p.tick)
	}
	return p
}

func (p *Progress) tick() {
	beat := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.beat()
	}
	beat()
	view.Every(p.stop, redraw, beat)
}

func (p *Progress) Close() {
	close(p.stop)
	p.stopped.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

// Ended takes a test that has ended.
func (p *Progress) Ended(t Test) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.last = t.Name
	if t.State == Failed {
		p.failed++
	}
	switch {
	case p.options.JSON:
		p.json(t)
	case t.State == Failed:
		p.print(p.options.Out.Red("failed  ") + line(t) + "\n        " + view.Clean(t.Error))
	case p.options.Verbose && !p.options.Quiet:
		p.print(fmt.Sprintf("%-8s", t.State) + line(t))
	}
}

// Notice shows a line.
func (p *Progress) Notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.options.JSON {
		p.print(text)
	}
}

func (p *Progress) json(t Test) {
	_ = json.NewEncoder(p.options.Out).Encode(struct {
		Kind string `json:"kind"`
		Test
		Done  int `json:"done"`
		Total int `json:"total"`
	}{"test", t, p.done, p.options.Total})
}

// print writes a lasting line above the one at the bottom. An error is dropped:
// the terminal is gone.
func (p *Progress) print(text string) {
	p.wipe()
	_, _ = io.WriteString(p.options.Out, text+"\n")
}

func (p *Progress) wipe() {
	if p.drawn {
		_, _ = io.WriteString(p.options.Out, "\r\x1b[2K")
		p.drawn = false
	}
}

// beat redraws the line at the bottom; where nothing can be redrawn it writes one now and
// then.
func (p *Progress) beat() {
	now := p.options.Now()
	if p.options.Out.Size == nil {
		if now.Sub(p.said) >= heartbeat {
			p.said = now
			p.print(p.headline(now))
		}
		return
	}
	columns, _ := p.options.Out.Size()
	text := p.headline(now)
	if p.last != "" {
		text += "  " + view.Clean(p.last)
	}
	if runes := []rune(text); len(runes) >= columns {
		text = string(runes[:max(0, columns-1)])
	}
	p.wipe()
	_, _ = io.WriteString(p.options.Out, text)
	p.drawn = true
}

func (p *Progress) headline(now time.Time) string {
	return fmt.Sprintf("%d of %s, %d failed, %s", p.done, view.Count(p.options.Total, "test"), p.failed, view.Seconds(now.Sub(p.started)))
}

func line(t Test) string { return view.Clean(t.Name) + "  " + view.Seconds(t.Took) }

// Summary writes what came of the tests at the end.
func Summary(out view.Screen, r *Result, folder string, o ProgressOptions) error {
	if o.JSON {
		return json.NewEncoder(out).Encode(map[string]any{
			"kind": "verdict", "verdict": Verdict(r), "good": r.Good(), "folder": folder, "interrupted": r.Interrupted,
			"passed": r.Count(Passed), "failed": r.Count(Failed), "skipped": r.Count(Skipped), "not_run": r.Count(NotRun),
		})
	}
	var text strings.Builder
	if failed := r.Of(Failed); len(failed) > 0 {
		text.WriteString("\nFailed:\n")
		for _, t := range failed {
			fmt.Fprintf(&text, "  %s\n    %s\n", view.Clean(t.Name), view.Clean(t.Error))
		}
	}
	if r.Problem != "" {
		text.WriteString("\nThe suite did not come to its end: " + view.Clean(r.Problem) + "\n")
	}
	fmt.Fprintf(&text, "\n%s.\nResults: %s\n", Verdict(r), folder)
	_, err := io.WriteString(out, text.String())
	return err
}
