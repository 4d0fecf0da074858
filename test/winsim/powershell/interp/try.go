package interp

import (
	"context"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// try runs a body and the clauses of its try statement. What the simulator does not
// know, and the end of the run, pass through without a clause.
func (s *Session) try(ctx context.Context, st *ast.Try, out Sink) error {
	err := s.tryBody(ctx, st, out)
	if unknown.Is(err) || ctx.Err() != nil || st.Finally == nil {
		return err
	}
	if final := s.block(ctx, st.Finally, out); final != nil {
		return final
	}
	return err
}

func (s *Session) tryBody(ctx context.Context, st *ast.Try, out Sink) error {
	before, depth := s.scope, s.depth
	s.tries++
	err := s.block(ctx, st.Body, out)
	s.tries--
	t, ok := asThrow(err)
	if !ok || len(st.Catches) == 0 {
		return err
	}
	s.scope, s.depth = before, depth
	clause, caught, err := s.clauseFor(st, t)
	if err != nil {
		return err
	}
	if clause == nil {
		return t
	}
	s.remember(caught)
	defer s.underscore(caught)()
	return s.block(ctx, clause.Body, out)
}

// clauseFor is the clause that catches an error, and the error as the clause sees it:
// a clause with the type of what .NET code threw sees that, others what wraps it.
func (s *Session) clauseFor(st *ast.Try, t *Throw) (*ast.Catch, *value.ErrorRecord, error) {
	candidates := []*value.Exception{t.Record.Exception}
	if t.Record.Exception.Inner != nil && wraps(t.Record.Exception) {
		candidates = []*value.Exception{t.Record.Exception.Inner, t.Record.Exception}
	}
	for _, e := range candidates {
		for _, clause := range st.Catches {
			fits, err := s.catches(clause, e)
			if err != nil {
				return nil, nil, err
			}
			if fits {
				caught := *t.Record
				caught.Exception = e
				return clause, &caught, nil
			}
		}
	}
	for _, clause := range st.Catches {
		if len(clause.Types) == 0 {
			return clause, t.Record, nil
		}
	}
	return nil, nil, nil
}

// wraps reports whether PowerShell wrapped an exception of .NET in another of its own.
func wraps(e *value.Exception) bool {
	return value.Is(e, "System.Management.Automation.RuntimeException")
}

func (s *Session) catches(clause *ast.Catch, e *value.Exception) (bool, error) {
	for _, t := range clause.Types {
		name, err := s.interp.resolve(t.Name)
		if err != nil {
			return false, locate(err, t.At())
		}
		if value.Is(e, name) {
			return true, nil
		}
	}
	return false, nil
}
