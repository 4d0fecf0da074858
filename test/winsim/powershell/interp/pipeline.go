package interp

import (
	"context"
	"errors"
	"maps"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// stage is one command of a pipeline.
type stage interface {
	begin(ctx context.Context) error
	process(ctx context.Context, v any) error
	end(ctx context.Context) error
}

// stopUpstream ends the commands before one that needs no more input.
type stopUpstream struct{ by any }

func (e *stopUpstream) Error() string { return "a command of the pipeline needs no more input" }

// around is what a stage runs in: it is called from the stages before it, which may be
// inside of functions.
type around struct {
	scope   *scope
	streams map[byte]Sink
	tries   int
	toHost  bool
}

func (s *Session) surroundings() around {
	return around{scope: s.scope, streams: s.streams, tries: s.tries, toHost: s.toHost}
}

func (s *Session) restore(a around) {
	s.scope, s.streams, s.tries, s.toHost = a.scope, a.streams, a.tries, a.toHost
}

// collect runs something that writes to a pipeline, and returns what it wrote.
func (s *Session) collect(run func(out Sink) error) ([]any, error) {
	before := s.toHost
	s.toHost = false
	defer func() { s.toHost = before }()
	var items []any
	err := run(func(_ context.Context, v any) error {
		items = append(items, v)
		return nil
	})
	return items, err
}

// pipeline runs commands that are joined by |.
func (s *Session) pipeline(ctx context.Context, p *ast.Pipeline, out Sink) error {
	first, isExpr := p.Elements[0].(*ast.CommandExpr)
	if isExpr && len(p.Elements) == 1 {
		return s.expression(ctx, first, out)
	}
	before := s.surroundings()
	defer s.restore(before)
	stages, err := s.stages(ctx, p, isExpr, out)
	if err != nil {
		return err
	}
	return s.feed(ctx, first, stages)
}

// expression runs a pipeline that is one expression: its value, or its elements, go on.
func (s *Session) expression(ctx context.Context, e *ast.CommandExpr, out Sink) error {
	before := s.surroundings()
	defer s.restore(before)
	out, err := s.redirect(ctx, e.Redirections, out)
	if err != nil {
		return err
	}
	if quiet(e.Expr) {
		_, err := s.eval(ctx, e.Expr)
		return err
	}
	v, err := s.eval(ctx, e.Expr)
	if err != nil {
		return err
	}
	s.okay = true
	for _, item := range value.Each(v) {
		if err := out(ctx, item); err != nil {
			return err
		}
	}
	return nil
}

// quiet reports whether an expression as a statement writes nothing.
func quiet(e ast.Expr) bool {
	_, step := e.(*ast.Step)
	return step
}

// stages makes the stages of a pipeline, the last first, each with the sink that leads
// to the next.
func (s *Session) stages(ctx context.Context, p *ast.Pipeline, isExpr bool, out Sink) ([]stage, error) {
	elements := p.Elements
	if isExpr {
		elements = elements[1:]
	}
	all := make([]stage, len(elements))
	toHost := s.toHost
	for i := len(elements) - 1; i >= 0; i-- {
		cmd, ok := elements[i].(*ast.Command)
		if !ok {
			return nil, unknown.New("an expression that is not first in a pipeline")
		}
		s.toHost = toHost && i == len(elements)-1
		st, err := s.stage(ctx, cmd, isExpr || i > 0, out)
		if err != nil {
			return nil, locate(err, cmd.At())
		}
		all[i] = st
		out = st.process
	}
	s.toHost = toHost
	return all, nil
}

// feed runs the stages: their beginnings, the input, their ends.
func (s *Session) feed(ctx context.Context, first *ast.CommandExpr, stages []stage) error {
	for _, st := range stages {
		if err := st.begin(ctx); err != nil {
			return err
		}
	}
	if first != nil {
		if err := s.inputOf(ctx, first, stages[0]); err != nil {
			return s.stopped(ctx, err, stages)
		}
	}
	for i, st := range stages {
		if err := st.end(ctx); err != nil {
			return s.stopped(ctx, err, stages[i:])
		}
	}
	return nil
}

func (s *Session) inputOf(ctx context.Context, first *ast.CommandExpr, st stage) error {
	toHost := s.toHost
	s.toHost = false
	v, err := s.eval(ctx, first.Expr)
	s.toHost = toHost
	if err != nil {
		return err
	}
	if len(first.Redirections) > 0 {
		return unknown.New("a redirection of an expression that is piped")
	}
	for _, item := range value.Each(v) {
		if err := st.process(ctx, item); err != nil {
			return err
		}
	}
	return nil
}

// stopped goes on with the ends of the stages behind the one that wanted no more input.
func (s *Session) stopped(ctx context.Context, err error, stages []stage) error {
	var stop *stopUpstream
	if !errors.As(err, &stop) {
		return err
	}
	for i, st := range stages {
		if w, ok := st.(*inside); !ok || w.id() != stop.by {
			continue
		}
		for j, rest := range stages[i:] {
			if err := rest.end(ctx); err != nil {
				return s.stopped(ctx, err, stages[i+j:])
			}
		}
		return nil
	}
	return err
}

// inside is a stage with the surroundings of its pipeline.
type inside struct {
	s     *Session
	at    around
	place ast.Extent
	stage
}

func (w *inside) id() any {
	if c, ok := w.stage.(*cmdletStage); ok {
		return c.call
	}
	return nil
}

func (w *inside) run(do func() error) error {
	before := w.s.surroundings()
	w.s.restore(w.at)
	err := do()
	w.s.restore(before)
	var stop *stopUpstream
	if err == nil || errors.As(err, &stop) {
		return err
	}
	return locate(err, w.place)
}

func (w *inside) begin(ctx context.Context) error {
	return w.run(func() error { return w.stage.begin(ctx) })
}

func (w *inside) process(ctx context.Context, v any) error {
	return w.run(func() error { return w.stage.process(ctx, v) })
}

func (w *inside) end(ctx context.Context) error {
	return w.run(func() error { return w.stage.end(ctx) })
}

// redirect carries out redirections: it changes where the streams of the session go,
// which the caller sets back, and returns where the output goes.
func (s *Session) redirect(ctx context.Context, all []ast.Redirection, out Sink) (Sink, error) {
	if len(all) == 0 {
		return out, nil
	}
	s.streams = maps.Clone(s.streams)
	for _, r := range all {
		if r.Merge {
			continue
		}
		target, err := s.eval(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		if !value.IsNull(target) {
			return nil, unknown.New("a redirection to a file")
		}
		if r.From == '1' || r.From == '*' {
			out = discard
			s.toHost = false
		}
		for _, stream := range sources(r.From) {
			s.streams[stream] = discard
		}
	}
	for _, r := range all {
		if !r.Merge {
			continue
		}
		for _, stream := range sources(r.From) {
			s.streams[stream] = out
		}
	}
	return out, nil
}

func sources(from byte) []byte {
	switch from {
	case '1':
		return nil
	case '*':
		return []byte("23456")
	}
	return []byte{from}
}
