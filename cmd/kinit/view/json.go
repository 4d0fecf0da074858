package view

import (
	"encoding/json"
	"io"
	"strings"
	"sync"

	"kinit/engine"
	"kinit/engine/event"
)

// JSON shows a run to programs: one event a line, then a summary.
type JSON struct {
	spec    string
	err     Screen
	mu      sync.Mutex
	encoder *json.Encoder
}

var _ View = (*JSON)(nil)

// NewJSON returns a view of a spec's run that writes to out, and notices as text
// to err.
func NewJSON(spec string, out, err Screen) *JSON {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &JSON{spec: spec, err: err, encoder: encoder}
}

// Emit writes the event.
func (j *JSON) Emit(e event.Event) { j.encode(e) }

// Notice writes a line to the error stream; what a program reads has no room for
// it.
func (j *JSON) Notice(line string) {
	_, _ = io.WriteString(j.err, strings.Join(wrap(line, 0), "\n")+"\n")
}

func (j *JSON) Close(r *engine.Report, code int) { j.encode(NewSummary(j.spec, r, code)) }

// encode writes one line. Errors are ignored because the reader is gone.
func (j *JSON) encode(value any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.encoder.Encode(value)
}
