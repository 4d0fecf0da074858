package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/parser"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Run runs a script as powershell.exe does, and returns its exit code. The error is that
// of the simulation: an *unknown.Error, the context's, or the host's. What goes wrong in
// the script is an exit code and text on the standard error.
func (i *Interpreter) Run(ctx context.Context, job Job) (uint32, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends what the script started and left running
	s := newSession(i, job)
	code, err := s.run(ctx)
	if flushed := s.flushErrors(); err == nil {
		err = flushed
	}
	return uint32(code), err
}

func (s *Session) run(ctx context.Context) (int32, error) {
	tree, err := parser.Parse(s.job.File, s.job.Script)
	if err != nil {
		return s.refuse(err)
	}
	block := &Block{tree: tree}
	s.global.script = s.job.File
	s.global.isScript = true
	s.toHost = true
	if err := s.bindBlock(ctx, block, fileArguments(s.job.Args)); err != nil {
		return s.finish(ctx, locate(err, tree.At()))
	}
	return s.finish(ctx, s.body(ctx, tree.End, s.host))
}

// refuse shows a mistake that the parser found.
func (s *Session) refuse(err error) (int32, error) {
	e, ok := err.(*parser.Error)
	if !ok {
		return 0, err
	}
	x := value.NewException("System.Management.Automation.ParseException", e.Message)
	r := &value.ErrorRecord{Exception: x, ID: e.ID, Category: "ParserError", Place: placeOf(e.Extent)}
	text := PositionMessage(r.Place) + "\r\n" + e.Message + "\r\n    + CategoryInfo          : " + CategoryText(r) + "\r\n    + FullyQualifiedErrorId : " + r.ID + "\r\n \r\n"
	return 1, s.errorText(text)
}

// finish is the exit code of a script that ended.
func (s *Session) finish(ctx context.Context, err error) (int32, error) {
	if f, ok := asFlow(err); ok {
		if f.word == "exit" {
			return f.code, nil
		}
		return s.plainCode(), nil
	}
	t, ok := asThrow(err)
	switch {
	case err == nil:
		return s.plainCode(), nil
	case unknown.Is(err) || !ok:
		return 0, err
	}
	delete(s.streams, '2')
	return 1, s.showError(ctx, t.Record)
}

// plainCode is the exit code of a script without exit: whether its last statement
// succeeded, unless it is a file.
func (s *Session) plainCode() int32 {
	if s.okay || s.job.File != "" {
		return 0
	}
	return 1
}

// fileArguments are the arguments behind -File: names begin with a dash.
func fileArguments(words []string) arguments {
	all := arguments{}
	for _, word := range words {
		name, isName := strings.CutPrefix(word, "-")
		if !isName || name == "" || name[0] >= '0' && name[0] <= '9' {
			all.add(argument{value: word, given: true})
			continue
		}
		name, v, given := strings.Cut(name, ":")
		arg := argument{name: name, given: given}
		if given {
			arg.value = v
		}
		all.add(arg)
	}
	return all
}
