package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/engine"
	"kinit/engine/event"
)

// The clock of the view.
const (
	redraw    = 100 * time.Millisecond // between two frames of live lines
	heartbeat = 30 * time.Second       // between two signs of life of a task, where nothing is redrawn
)

// Options control how Text shows a run.
type Options struct {
	Out, Err Screen           // results, and problems with notices
	Mode     Mode             // what the command does
	Spec     string           // what was run, for the last line
	Diff     bool             // show every step with its diff
	Values   bool             // show all values that tasks return
	Verbose  bool             // show tasks that are ok, retries, and what commands wrote too
	Trace    bool             // show tasks and steps that start too
	Quiet    bool             // show failures and the recap only
	Unnamed  bool             // list the hosts that the run will work on, since the command line names none
	Now      func() time.Time // the clock
}

// Text shows a run to people.
type Text struct {
	options Options

	write   sync.Mutex // held while writing, so that frames stay whole; taken before state
	canvas  canvas
	printed bool
	state   sync.Mutex // guards what Emit touches; never held while writing
	board   board
	liner   *liner
	fold    fold
	values  map[string][]event.Value // that tasks returned, by task, until it ends
	ok      int                      // tasks that are ok and were not listed
	pending []string                 // lines not written yet
	held    []string                 // lines of a plan, which come after its removals; these are known at its end

	stop    chan struct{}
	stopped sync.WaitGroup
}

var _ View = (*Text)(nil)

// NewText starts a text view. Close ends it.
func NewText(o Options) *Text {
	t := newText(o)
	if o.Quiet {
		return t
	}
	t.stopped.Go(t.tick)
	return t
}

// newText makes a view with an external clock.
func newText(o Options) *Text {
	// The columns begin with the widths that most runs need: localhost, changed.
	return &Text{options: o, liner: &liner{colour: o.Out.Colour, host: 9, status: 7, task: 24}, values: map[string][]event.Value{}, stop: make(chan struct{})}
}

// tick draws until Close.
func (t *Text) tick() {
	interval := redraw
	if !t.live() {
		interval = time.Second
	}
	Every(t.stop, interval, func() {
		t.beat()
		t.draw()
	})
}

// live reports whether lines are redrawn at the bottom.
func (t *Text) live() bool { return t.options.Out.Size != nil && !t.options.Quiet }

// Emit takes an event. On a terminal the next frame shows it, so that many
// events make no more writes than few.
func (t *Text) Emit(e event.Event) {
	t.state.Lock()
	started := t.board.find(e.Task) != nil
	t.board.apply(e)
	lines := t.lines(e, started)
	if t.options.Mode == Plan {
		t.held, lines = append(t.held, lines...), nil
	}
	t.pending = append(t.pending, lines...)
	t.state.Unlock()
	if len(lines) > 0 && !t.live() {
		t.draw()
	}
}

// lines are the lasting lines of an event. started says whether its task was at
// work.
func (t *Text) lines(e event.Event, started bool) []string {
	width := t.options.Out.width()
	if t.options.Quiet && e.Status != event.Failed && e.Status != event.Unreachable {
		return nil
	}
	if e.Kind == event.RunPlanned && t.options.Mode == Run {
		lines := append(t.options.enrols(e.Plan.Enrols), t.options.removals(e.Plan.Removals)...)
		if t.options.Unnamed {
			lines = append(lines, t.liner.meant(e.Plan, width)...)
		}
		return lines
	}
	if e.Kind == event.RunWaits || e.Kind == event.RunTook {
		return []string{t.liner.waits(e, width)}
	}
	if e.Kind == event.TaskOutputs && (t.options.Verbose || t.options.Values) {
		t.values[e.Task] = e.Values
		return nil
	}
	if e.Kind == event.TaskRetried && t.options.Verbose {
		return t.liner.note(e, "retry", fmt.Sprintf("attempt %d failed: %s", e.Attempt, headline(e.Message)), width)
	}
	if e.Kind == event.HandlerPending {
		return t.liner.note(e, "pending", headline(e.Message), width)
	}
	if t.options.Trace && (e.Kind == event.TaskStarted || e.Kind == event.StepStarted) {
		return t.liner.began(e, width)
	}
	var lines []string
	if !t.options.Verbose {
		if t.fold.takes(e, started) {
			return nil
		}
		lines = t.fold.flush(t.liner, e, width)
	}
	if e.Kind != event.TaskFinished {
		return lines
	}
	if e.Status == event.OK && e.Message == "" && !t.options.Verbose && !t.options.Values { // it has nothing to say
		t.ok++
		return lines
	}
	lines = append(lines, t.liner.finished(e, width)...)
	lines = append(lines, t.liner.message(e, width)...)
	if t.options.Diff {
		lines = append(lines, t.liner.steps(e, width)...)
	}
	lines = append(lines, t.liner.values(t.values[e.Task], t.options.Values, width)...)
	delete(t.values, e.Task)
	return lines
}

// beat adds a line for each task that has shown nothing for long, where nothing
// is redrawn.
func (t *Text) beat() {
	if t.live() {
		return
	}
	t.state.Lock()
	defer t.state.Unlock()
	now := t.options.Now()
	for _, r := range t.board.running {
		if now.Before(r.nextBeat) {
			continue
		}
		r.nextBeat = now.Add(heartbeat)
		t.pending = append(t.pending, t.liner.beat(r, Seconds(now.Sub(r.started))))
	}
}

// draw writes the pending lines, and the live lines below them.
func (t *Text) draw() {
	t.write.Lock()
	defer t.write.Unlock()
	t.state.Lock()
	lasting := t.pending
	t.pending = nil
	var live []string
	columns, rows := 0, 0
	if t.live() {
		columns, rows = t.options.Out.Size()
		live = t.board.live(t.options.Now(), columns, rows, t.options.Out.Colour)
	}
	t.state.Unlock()
	t.print(t.canvas.frame(lasting, live, columns))
}

// settle writes the pending lines and wipes the live ones, with write held.
func (t *Text) settle() {
	t.state.Lock()
	lasting := t.pending
	t.pending = nil
	t.state.Unlock()
	columns := t.options.Out.width()
	t.print(t.canvas.frame(lasting, nil, columns))
}

// print writes a frame. Write errors are ignored: the run
// continues and its log is complete.
func (t *Text) print(frame string) {
	if frame != "" {
		t.printed = true
		_, _ = io.WriteString(t.options.Out, frame)
	}
}

// Notice shows a line about the program.
func (t *Text) Notice(line string) {
	t.write.Lock()
	defer t.write.Unlock()
	t.settle()
	lines := wrap(line, t.options.Err.width())
	_, _ = io.WriteString(t.options.Err, strings.Join(lines, "\n")+"\n")
}

// Ask shows lines and a question below them, and returns what answer reads. Nothing
// else is shown meanwhile.
func (t *Text) Ask(lines []string, question string, answer func() (string, error)) (string, error) {
	t.write.Lock()
	defer t.write.Unlock()
	t.settle()
	var out strings.Builder
	width, colour := t.options.Err.width(), t.options.Err.Colour
	for i, text := range lines {
		for _, line := range wrap(text, width) {
			style := diffStyle(line)
			if i == 0 {
				style = cyan
			}
			out.WriteString(paint(line, style, colour) + "\n")
		}
	}
	out.WriteString(paint(question, bold, colour) + " ")
	if _, err := io.WriteString(t.options.Err, out.String()); err != nil {
		return "", err
	}
	return answer()
}

// Close ends the live lines and shows how it ended.
func (t *Text) Close(r *engine.Report, _ int) {
	close(t.stop)
	t.stopped.Wait()
	t.write.Lock()
	defer t.write.Unlock()
	t.state.Lock()
	if t.options.Mode == Plan {
		t.pending = slices.Concat(t.pending, t.options.enrols(r.Enrols), t.options.removals(r.Removals), t.held)
	}
	t.state.Unlock()
	t.settle()
	t.print(t.summary(r))
	if screen := t.options.Err; len(r.Diagnostics) > 0 {
		_, _ = io.WriteString(screen, Diagnostics(r.Diagnostics, r.Sources, screen.Colour, screen.width()))
		t.printed = true
	}
	t.print(t.verdict(r))
}
