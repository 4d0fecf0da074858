package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// maxDepth bounds how deep calls may nest; the real one fails at about as many.
const maxDepth = 1000

// block executes statements. An error that ends a statement only is shown, and the next
// one goes on.
func (s *Session) block(ctx context.Context, b *ast.Block, out Sink) error {
	if b == nil {
		return nil
	}
	for _, st := range b.Statements {
		if err := s.statement(ctx, st, out); err != nil {
			if err = s.handle(ctx, locate(err, st.At())); err != nil {
				return err
			}
		}
	}
	return nil
}

// statement executes one statement.
func (s *Session) statement(ctx context.Context, st ast.Statement, out Sink) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch st := st.(type) {
	case *ast.Pipeline:
		return s.pipeline(ctx, st, out)
	case *ast.Assignment:
		_, err := s.assign(ctx, st)
		if err == nil && !s.isCommand(st.Value) {
			s.okay = true
		}
		return err
	case *ast.If:
		return s.ifStatement(ctx, st, out)
	case *ast.Foreach:
		return s.foreach(ctx, st, out)
	case *ast.For:
		return s.forLoop(ctx, st, out)
	case *ast.While:
		return s.while(ctx, st, out)
	case *ast.Try:
		return s.try(ctx, st, out)
	case *ast.Flow:
		return s.flow(ctx, st, out)
	case *ast.Function:
		return s.function(st)
	case *ast.Block:
		return s.block(ctx, st, out)
	}
	return unknown.New("the statement %T", st)
}

// isCommand reports whether the outcome of a statement is that of a command.
func (s *Session) isCommand(st ast.Statement) bool {
	_, plain := plainExpression(st)
	return !plain
}

// condition is whether a statement's value is true.
func (s *Session) condition(ctx context.Context, st ast.Statement) (bool, error) {
	v, err := s.valueOf(ctx, st)
	return value.Truth(v), err
}

func (s *Session) ifStatement(ctx context.Context, st *ast.If, out Sink) error {
	for i, c := range st.Conditions {
		yes, err := s.condition(ctx, c)
		if err != nil {
			return err
		}
		if yes {
			return s.block(ctx, st.Bodies[i], out)
		}
	}
	return s.block(ctx, st.Else, out)
}

// turn runs the body of a loop once; done says that the loop is left.
func (s *Session) turn(ctx context.Context, label string, body *ast.Block, out Sink) (done bool, err error) {
	word, err := s.runBody(ctx, label, body, out)
	return word == "break", err
}

// runBody runs the body of a loop or a switch. It returns break or continue where the body
// ends with that, for this label.
func (s *Session) runBody(ctx context.Context, label string, b *ast.Block, out Sink) (word string, err error) {
	err = s.block(ctx, b, out)
	f, ok := asFlow(err)
	if !ok || f.label != "" && !strings.EqualFold(f.label, label) {
		return "", err
	}
	if f.word == "break" || f.word == "continue" {
		return f.word, nil
	}
	return "", err
}

func (s *Session) foreach(ctx context.Context, st *ast.Foreach, out Sink) error {
	v, err := s.valueOf(ctx, st.Items)
	if err != nil {
		return err
	}
	if value.IsNull(v) {
		return nil
	}
	for _, item := range append([]any{}, value.Each(v)...) {
		if err := s.assignVariable(ctx, st.Variable, item, ""); err != nil {
			return err
		}
		done, err := s.turn(ctx, st.Label, st.Body, out)
		if done || err != nil {
			return err
		}
		if value.Changed(v) {
			return value.NewException("System.InvalidOperationException", "Collection was modified; enumeration operation may not execute.")
		}
	}
	return nil
}

func (s *Session) forLoop(ctx context.Context, st *ast.For, out Sink) error {
	if err := s.silent(ctx, st.Init); err != nil {
		return err
	}
	for {
		if st.Condition != nil {
			more, err := s.condition(ctx, st.Condition)
			if err != nil || !more {
				return err
			}
		}
		done, err := s.turn(ctx, st.Label, st.Body, out)
		if done || err != nil {
			return err
		}
		if err := s.silent(ctx, st.Next); err != nil {
			return err
		}
	}
}

// silent executes a statement whose value does not count.
func (s *Session) silent(ctx context.Context, st ast.Statement) error {
	if st == nil {
		return nil
	}
	return s.statement(ctx, st, discard)
}

func discard(context.Context, any) error { return nil }

func (s *Session) while(ctx context.Context, st *ast.While, out Sink) error {
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !first || !st.Do {
			more, err := s.condition(ctx, st.Condition)
			if err != nil || more == st.Until {
				return err
			}
		}
		done, err := s.turn(ctx, st.Label, st.Body, out)
		if done || err != nil {
			return err
		}
	}
}

// flow is return, throw, exit, break or continue.
func (s *Session) flow(ctx context.Context, st *ast.Flow, out Sink) error {
	switch st.Word {
	case "return":
		if st.Value != nil {
			if err := s.statement(ctx, st.Value, out); err != nil {
				return err
			}
		}
		return &flow{word: "return"}
	case "throw":
		return s.throw(ctx, st)
	case "exit":
		code, err := s.exitCode(ctx, st)
		if err != nil {
			return err
		}
		return &flow{word: "exit", code: code}
	}
	return &flow{word: st.Word, label: st.Label}
}

func (s *Session) exitCode(ctx context.Context, st *ast.Flow) (int32, error) {
	if st.Value == nil {
		return 0, nil
	}
	v, err := s.valueOf(ctx, st.Value)
	if err != nil {
		return 0, err
	}
	code, err := value.Convert(v, "System.Int32")
	if err != nil {
		return 0, unknown.New("exit with %q", value.String(v))
	}
	return code.(int32), nil
}

// throw makes an error of a text, an exception or an error record.
func (s *Session) throw(ctx context.Context, st *ast.Flow) error {
	if st.Value == nil {
		return s.rethrow(st)
	}
	v, err := s.valueOf(ctx, st.Value)
	if err != nil {
		return err
	}
	switch e := value.Base(v).(type) {
	case *value.ErrorRecord:
		return &Throw{Record: e}
	case *value.Exception:
		return &Throw{Record: thrown(e, e.Message, e, st)}
	}
	text := value.String(v)
	if value.IsNull(v) {
		text = "ScriptHalted"
	}
	e := value.NewException("System.Management.Automation.RuntimeException", text)
	return &Throw{Record: thrown(e, text, v, st)}
}

func thrown(e *value.Exception, id string, target any, st *ast.Flow) *value.ErrorRecord {
	if value.IsNull(target) || target == any(e) {
		target = nil
	}
	return &value.ErrorRecord{Exception: e, ID: id, Category: "OperationStopped", Target: target, Place: placeOf(st.At())}
}

// rethrow is throw alone, which in a catch block throws what was caught.
func (s *Session) rethrow(st *ast.Flow) error {
	if caught, ok := s.Variable("_").(*value.ErrorRecord); ok {
		return &Throw{Record: caught}
	}
	e := value.NewException("System.Management.Automation.RuntimeException", "ScriptHalted")
	return &Throw{Record: thrown(e, "ScriptHalted", nil, st)}
}

func (s *Session) function(st *ast.Function) error {
	if s.scope.functions == nil {
		s.scope.functions = map[string]*Block{}
	}
	b := s.newBlock(st.Body)
	b.name = st.Name
	s.scope.functions[strings.ToLower(st.Name)] = b
	return nil
}
