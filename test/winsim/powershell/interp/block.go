package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/parser"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Block is a script block as a value.
type Block struct {
	tree *ast.ScriptBlock
	name string // of the function
}

// Source is the text between the braces.
func (b *Block) Source() string {
	text := b.tree.Text()
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		return text[1 : len(text)-1]
	}
	return text
}

func (s *Session) newBlock(tree *ast.ScriptBlock) *Block { return &Block{tree: tree} }

// NewBlock parses a text as a script block, as [scriptblock]::Create does.
func NewBlock(text string) (*Block, error) {
	tree, err := parser.Parse("", text)
	if err != nil {
		return nil, ParseException(err)
	}
	return &Block{tree: tree}, nil
}

// ParseException is a mistake in a script as the exception that it becomes.
func ParseException(err error) error {
	e, ok := err.(*parser.Error)
	if !ok {
		return err
	}
	x := value.NewException("System.Management.Automation.ParseException", PositionMessage(placeOf(e.Extent))+"\r\n"+e.Message)
	x.Extra = []*value.Property{value.P("ErrorId", e.ID)}
	return x
}

// Invoke runs a script block in a scope of its own, with arguments by position.
func (s *Session) Invoke(ctx context.Context, b *Block, args []any, out Sink) error {
	call := arguments{}
	for _, arg := range args {
		call.add(argument{value: arg, given: true})
	}
	return s.call(ctx, b, call, nil, out)
}

// InvokeWith runs a script block in the scope of its caller with a value as $_, as
// ForEach-Object and Where-Object do.
func (s *Session) InvokeWith(ctx context.Context, b *Block, underscore any, out Sink) error {
	defer s.underscore(underscore)()
	return s.inScope(ctx, b, out)
}

// underscore sets $_ and returns what sets it back.
func (s *Session) underscore(v any) func() {
	sc := s.scope
	old, had := sc.vars["_"]
	sc.vars["_"] = &variable{value: v}
	return func() {
		if had {
			sc.vars["_"] = old
			return
		}
		delete(sc.vars, "_")
	}
}

// inScope runs a script block without a scope of its own.
func (s *Session) inScope(ctx context.Context, b *Block, out Sink) error {
	if b.tree.Params != nil {
		return unknown.New("a script block with parameters or named blocks in this place")
	}
	return s.body(ctx, b.tree.End, out)
}

// body runs statements up to a return.
func (s *Session) body(ctx context.Context, b *ast.Block, out Sink) error {
	if s.depth++; s.depth > maxDepth {
		return runtimeError("CallDepthOverflow", "InvalidOperation", "The script failed due to call depth overflow.", nil)
	}
	err := s.block(ctx, b, out)
	s.depth--
	if f, ok := asFlow(err); ok && f.word == "return" {
		return nil
	}
	return err
}

// call runs a script block or function with arguments. input is nil where nothing is
// piped in.
func (s *Session) call(ctx context.Context, b *Block, args arguments, input []any, out Sink) error {
	leave := s.enter(b)
	defer leave()
	if err := s.bindBlock(ctx, b, args); err != nil {
		if t, ok := asThrow(err); ok && b.name != "" && value.Is(t.Record.Exception, "System.Management.Automation.ParameterBindingException") {
			t.Record.ID += "," + b.name
		}
		return err
	}
	return s.body(ctx, b.tree.End, out)
}

// enter begins a scope and returns what ends it.
func (s *Session) enter(b *Block) func() {
	caller := s.scope
	s.scope = &scope{parent: caller, vars: map[string]*variable{}}
	if source := b.tree.Source; source != nil {
		s.scope.script = source.Name
	}
	return func() { s.scope = caller }
}
