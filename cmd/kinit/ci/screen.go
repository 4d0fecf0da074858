package ci

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/result"
	"kinit/cmd/kinit/ci/runner"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// heartbeatInterval is how often a running phase shows a sign of life.
const heartbeatInterval = time.Minute

// screen shows jobs: a line when a phase begins, a line when it ends, and the first
// error when a job ends. Lines of parallel jobs are distinguished by their names, so
// nothing is redrawn.
type screen struct {
	app   *app.App
	json  bool
	after func() // called when a job has ended

	mu         sync.Mutex
	wide       int // the longest name so far
	active     map[string]*phase
	stop       chan struct{}
	heartbeats sync.WaitGroup
}

var _ runner.Progress = (*screen)(nil)

// phase is a running phase.
type phase struct {
	phase result.Phase
	stage string
	done  int
	total int
	next  time.Time // of the next sign of life
}

func newScreen(a *app.App, asJSON bool) *screen {
	return &screen{app: a, json: asJSON, active: map[string]*phase{}, stop: make(chan struct{})}
}

// start shows signs of life until end.
func (s *screen) start() {
	s.heartbeats.Go(func() { view.Every(s.stop, time.Second, s.heartbeat) })
}

func (s *screen) end() {
	close(s.stop)
	s.heartbeats.Wait()
}

func (s *screen) heartbeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.app.Now()
	for name, p := range s.active {
		if now.Before(p.next) {
			continue
		}
		p.next = now.Add(heartbeatInterval)
		text := fmt.Sprintf("%d of %d tasks", p.done, p.total)
		if p.stage != "" {
			text = p.stage + ", " + text
		}
		s.line(name, p.phase.Name, "…", now.Sub(p.phase.Started), text)
	}
}

// sink follows a phase of a job.
type sink struct {
	screen *screen
	job    string
}

// Emit takes an event.
func (k sink) Emit(e event.Event) {
	k.screen.mu.Lock()
	defer k.screen.mu.Unlock()
	p := k.screen.active[k.job]
	if p == nil {
		return
	}
	switch e.Kind {
	case event.RunStarted:
		p.total = e.Total
	case event.TaskFinished:
		p.done++
		if e.Stage != "" {
			p.stage = e.Stage
		}
	case event.RunWaits:
		k.screen.line(k.job, p.phase.Name, "waits", e.Time.Sub(p.phase.Started), e.Message)
	case event.RunTook:
		k.screen.line(k.job, p.phase.Name, "takes", e.Time.Sub(p.phase.Started), e.Message)
	}
}

// Begins shows that a phase begins.
func (s *screen) Begins(j jobs.Job, p result.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active[j.Name] = &phase{phase: p, next: p.Started.Add(heartbeatInterval)}
	s.encode("phase_started", j, p)
	s.line(j.Name, p.Name, "begins", 0, p.Note)
}

// Ended shows how a phase ended.
func (s *screen) Ended(j jobs.Job, p result.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, j.Name)
	s.encode("phase_ended", j, p)
	word := "failed"
	switch {
	case p.Skipped:
		word = "skipped"
	case p.OK:
		word = "ok"
	}
	s.line(j.Name, p.Name, word, p.Duration(), phaseText(p))
}

func phaseText(p result.Phase) string {
	switch {
	case p.Name == result.Evidence:
		return ""
	case p.Leftovers != nil:
		return fmt.Sprintf("leftovers = %d", *p.Leftovers)
	case p.Name == result.Cleanup:
		return "leftovers unknown"
	case p.Changed != nil:
		return view.Count(p.Tasks, "task") + fmt.Sprintf(", %d changed", *p.Changed)
	}
	return ""
}

// Waits shows that a job waits for a host.
func (s *screen) Waits(j jobs.Job, host string) {
	s.Notice(j, "waits for "+host+", which another job works on")
}

// Notice shows a line about a job.
func (s *screen) Notice(j jobs.Job, text string) { s.say(j.Name + ": " + text) }

func (s *screen) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.app.Err, view.Clean(text)+"\n") // nothing can be reported when the screen is gone
}

// Done shows the result of a job, with its first error.
func (s *screen) Done(j jobs.Job, r *result.Result) {
	s.mu.Lock()
	if s.json {
		s.encode("result", j, struct {
			ID      string         `json:"id"`
			Verdict result.Verdict `json:"verdict"`
			End     *result.End    `json:"end,omitempty"`
		}{r.ID, r.Verdict(), r.End})
	} else {
		_, _ = io.WriteString(s.app.Out, verdictText(j, r))
	}
	s.mu.Unlock()
	s.after()
}

func verdictText(j jobs.Job, r *result.Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s: %s after %s", j.Address(), r.Verdict(), view.Seconds(r.Ended().Sub(r.Header.Started)))
	if at := r.FailedAt(); at != "" {
		fmt.Fprintf(&out, ", in %s", at)
	}
	if r.End != nil && r.End.Ready > 0 {
		fmt.Fprintf(&out, ", ready in %s", view.Seconds(r.End.Ready))
	}
	out.WriteString(".\n")
	if r.End == nil || r.End.Error == nil {
		return out.String() + "\n"
	}
	p := r.End.Error
	fmt.Fprintf(&out, "  %s\n", p.Summary)
	if p.Place != "" {
		fmt.Fprintf(&out, "  on %s\n", p.Place)
	}
	for _, line := range strings.Split(strings.TrimRight(p.Detail, "\n"), "\n") {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	fmt.Fprintf(&out, "  Result: %s\n  Again:  %s\n\n", r.Folder, r.Header.Rerun)
	return out.String()
}

// line shows a phase; the caller holds the lock.
func (s *screen) line(name string, phase result.PhaseName, word string, took time.Duration, text string) {
	if s.json {
		return
	}
	s.wide = max(s.wide, len(name))
	at := ""
	if took > 0 {
		at = view.Seconds(took)
	}
	row := fmt.Sprintf("%-*s  %-8s  %-6s  %6s  %s", s.wide, name, phase, word, at, view.Clean(text))
	_, _ = io.WriteString(s.app.Out, strings.TrimRight(row, " ")+"\n")
}

// encode writes a JSON line; the caller holds the lock.
func (s *screen) encode(kind string, j jobs.Job, what any) {
	if !s.json {
		return
	}
	_ = s.app.JSONLine(struct {
		Kind string `json:"kind"`
		Job  string `json:"job"`
		What any    `json:"what"`
	}{kind, j.Address(), what})
}
