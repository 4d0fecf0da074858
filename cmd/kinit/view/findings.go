package view

import (
	"io"
	"strings"
)

// Finding is an observation about a host.
type Finding struct {
	Host   string `json:"host"`
	Probe  string `json:"probe"`  // what was examined
	Level  string `json:"level"`  // ok, note or fail
	Detail string `json:"detail"` // what was seen
	Remedy string `json:"remedy"` // what to do when it is not ok
}

// The levels of findings.
const (
	LevelOK   = "ok"
	LevelNote = "note" // it will do, or can be mended by a run
	LevelFail = "fail"
)

// Findings writes the findings of a host, at least one: a line each, with the remedy below those
// that are not ok.
func (s Screen) Findings(list []Finding) error {
	b := block{width: s.width(), colour: s.Colour}
	b.line(span{clean(list[0].Host), bold})
	probe := 0
	for _, f := range list {
		probe = max(probe, cells(f.Probe))
	}
	for _, f := range list {
		style := map[string]string{LevelOK: green, LevelNote: yellow, LevelFail: red}[f.Level]
		indent := 2 + len(LevelNote) + 2 + probe + 2
		b.under(indent, f.Detail, span{"  " + pad(f.Level, len(LevelNote)) + "  ", style}, span{pad(f.Probe, probe) + "  ", plain})
		if f.Level != LevelOK {
			b.under(indent, f.Remedy, span{spaces(indent), plain})
		}
	}
	_, err := io.WriteString(s, b.String())
	return err
}

// under writes a text behind spans that take indent columns, and its further lines
// below itself. A width that leaves too little room is not kept to for words.
func (b *block) under(indent int, text string, spans ...span) {
	room := 0
	if b.width > 0 {
		room = max(b.width-indent, 16)
	}
	for i, line := range wrap(strings.TrimSpace(text), room) {
		if i > 0 {
			spans = []span{{spaces(indent), plain}}
		}
		b.line(append(spans, span{line, plain})...)
	}
}
