package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// eval is the value of an expression.
func (s *Session) eval(ctx context.Context, e ast.Expr) (any, error) {
	v, err := s.evalNode(ctx, e)
	if err != nil {
		return nil, locate(err, e.At())
	}
	return v, nil
}

func (s *Session) evalNode(ctx context.Context, e ast.Expr) (any, error) {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value, nil
	case *ast.String:
		return e.Value, nil
	case *ast.Expandable:
		return s.expand(ctx, e)
	case *ast.Variable:
		return s.variable(e)
	case *ast.Paren:
		return s.paren(ctx, e.Body)
	case *ast.Sub:
		return s.sub(ctx, e)
	case *ast.List:
		return s.list(ctx, e)
	case *ast.Hash:
		return s.hash(ctx, e, value.NewHashtable())
	case *ast.ScriptBlockExpr:
		return s.newBlock(e.Block), nil
	case *ast.Type:
		return s.typeLiteral(e)
	case *ast.Cast:
		return s.cast(ctx, e)
	case *ast.Unary:
		return s.unary(ctx, e)
	case *ast.Step:
		return s.step(ctx, e)
	case *ast.Binary:
		return s.binary(ctx, e)
	case *ast.Index:
		return s.index(ctx, e)
	case *ast.Member:
		return s.member(ctx, e)
	case *ast.Invoke:
		return s.invoke(ctx, e)
	}
	return nil, unknown.New("the expression %T", e)
}

// expand is the text of a string with variables in it.
func (s *Session) expand(ctx context.Context, e *ast.Expandable) (any, error) {
	var b strings.Builder
	for _, part := range e.Parts {
		if text, ok := part.(*ast.String); ok {
			b.WriteString(text.Value)
			continue
		}
		v, err := s.eval(ctx, part)
		if err != nil {
			return nil, err
		}
		text, err := s.text(v)
		if err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// text is a value as text, where the simulator is sure of it.
func (s *Session) text(v any) (string, error) {
	if ofs, ok := s.scope.get("OFS"); ok {
		if _, isArray := value.Items(v); isArray {
			return value.Join(v, value.String(ofs)), nil
		}
	}
	return value.String(v), nil
}

// paren is the value of (statement): what it writes, or what an assignment assigned.
func (s *Session) paren(ctx context.Context, body ast.Statement) (any, error) {
	if a, ok := body.(*ast.Assignment); ok {
		return s.assign(ctx, a)
	}
	return s.valueOf(ctx, body)
}

// valueOf is what a variable would get from a statement. The value of an expression
// stays as it is: no array is copied.
func (s *Session) valueOf(ctx context.Context, st ast.Statement) (any, error) {
	if e, ok := plainExpression(st); ok {
		v, err := s.eval(ctx, e)
		if err != nil {
			return nil, err
		}
		s.okay = true
		if _, void := v.(value.Void); void {
			return value.Empty{}, nil
		}
		return v, nil
	}
	if a, ok := st.(*ast.Assignment); ok {
		return s.assign(ctx, a)
	}
	items, err := s.collect(func(out Sink) error { return s.statement(ctx, st, out) })
	if err != nil {
		return nil, err
	}
	return value.Collect(items), nil
}

// plainExpression is the expression that a statement consists of.
func plainExpression(st ast.Statement) (ast.Expr, bool) {
	p, ok := st.(*ast.Pipeline)
	if !ok || len(p.Elements) != 1 {
		return nil, false
	}
	e, ok := p.Elements[0].(*ast.CommandExpr)
	if !ok || len(e.Redirections) > 0 {
		return nil, false
	}
	return e.Expr, true
}

// sub is the value of $( ) or @( ).
func (s *Session) sub(ctx context.Context, e *ast.Sub) (any, error) {
	if e.Array && len(e.Body.Statements) == 1 {
		if expr, ok := plainExpression(e.Body.Statements[0]); ok {
			return s.arrayOf(ctx, expr)
		}
	}
	items, err := s.collect(func(out Sink) error { return s.block(ctx, e.Body, out) })
	if err != nil {
		return nil, err
	}
	if e.Array {
		return value.NewArray(items...), nil
	}
	return value.Collect(items), nil
}

// arrayOf is @(expression): an object[] stays itself, anything else becomes one.
func (s *Session) arrayOf(ctx context.Context, e ast.Expr) (any, error) {
	v, err := s.eval(ctx, e)
	if err != nil {
		return nil, err
	}
	s.okay = true
	if a, ok := v.(*value.Array); ok && a.Elem == "" {
		return a, nil
	}
	return value.NewArray(append([]any{}, value.Each(v)...)...), nil
}

func (s *Session) list(ctx context.Context, e *ast.List) (any, error) {
	out := value.NewArray()
	for _, item := range e.Items {
		v, err := s.eval(ctx, item)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, element(v))
	}
	return out, nil
}

// element is a value as an element of an array or a property, where nothing is $null.
func element(v any) any {
	switch v.(type) {
	case value.Void, value.Empty:
		return nil
	}
	return v
}

// hash fills a dictionary from @{ }. What a command without output leaves stays what it
// is: ConvertTo-Json shows it.
func (s *Session) hash(ctx context.Context, e *ast.Hash, h *value.Hashtable) (any, error) {
	for i, keyExpr := range e.Keys {
		key, err := s.eval(ctx, keyExpr)
		if err != nil {
			return nil, err
		}
		if value.IsNull(key) {
			return nil, runtimeError("InvalidNullKey", "InvalidArgument", "A null key is not allowed in a hash literal.", nil)
		}
		if _, twice := h.Get(key); twice {
			return nil, runtimeError("DuplicateKeyInHashLiteral", "InvalidOperation", "Item has already been added. Key in dictionary: '"+value.String(key)+"'  Key being added: '"+value.String(key)+"'", key)
		}
		v, err := s.valueOf(ctx, e.Values[i])
		if err != nil {
			return nil, err
		}
		h.Set(key, v)
	}
	return h, nil
}

func (s *Session) typeLiteral(e *ast.Type) (any, error) {
	name, err := s.interp.resolve(e.Name)
	if err != nil {
		return nil, err
	}
	return value.Type{Name: name}, nil
}

// cast is [type]operand.
func (s *Session) cast(ctx context.Context, e *ast.Cast) (any, error) {
	kind := strings.ToLower(e.Type.Name)
	if h, ok := e.Operand.(*ast.Hash); ok {
		switch kind {
		case "ordered":
			return s.hash(ctx, h, value.NewOrdered())
		case "pscustomobject":
			return s.customObject(ctx, h)
		}
	}
	if kind == "ref" {
		return s.reference(ctx, e.Operand)
	}
	if kind == "ordered" {
		return nil, runtimeError("OrderedAttributeOnlyOnHashLiteralNode", "ParserError", "The ordered attribute can be specified only on a hash literal node.", nil)
	}
	name, err := s.interp.resolve(e.Type.Name)
	if err != nil {
		return nil, err
	}
	v, err := s.eval(ctx, e.Operand)
	if err != nil {
		return nil, err
	}
	if kind == "pscustomobject" {
		return customOf(v), nil
	}
	return s.convert(ctx, element(v), name)
}

// customObject is [pscustomobject]@{ }, whose properties keep their order.
func (s *Session) customObject(ctx context.Context, e *ast.Hash) (any, error) {
	h := value.NewOrdered()
	if _, err := s.hash(ctx, e, h); err != nil {
		return nil, err
	}
	return customOf(h), nil
}

func customOf(v any) any {
	h, ok := value.Base(v).(*value.Hashtable)
	if !ok {
		return v
	}
	o := value.NewCustom()
	for _, key := range h.Keys() {
		item, _ := h.Get(key)
		p := value.P(value.String(key), item)
		p.Note = true
		o.Add(p)
	}
	return o
}

func (s *Session) unary(ctx context.Context, e *ast.Unary) (any, error) {
	v, err := s.eval(ctx, e.Operand)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "-not":
		return !value.Truth(v), nil
	case "-":
		return value.Negate(v)
	case "+":
		return value.Arithmetic("+", int32(0), v)
	case "-bnot":
		return nil, unknown.New("the operator -bnot")
	case ",":
		return value.NewArray(element(v)), nil
	case "-join":
		return s.join(v, "")
	}
	return nil, unknown.New("the operator %s before a value", e.Op)
}

// reference is [ref]$variable.
func (s *Session) reference(ctx context.Context, e ast.Expr) (any, error) {
	v, ok := e.(*ast.Variable)
	if !ok {
		return nil, unknown.New("[ref] of something else than a variable")
	}
	sc, err := s.scopeOf(v.Scope)
	if err != nil {
		return nil, err
	}
	found := s.lookup(sc, v.Scope, strings.ToLower(v.Name))
	if found == nil {
		return nil, runtimeError("NonExistingVariableReference", "InvalidOperation", "[ref] cannot be applied to a variable that does not exist.", v.Name)
	}
	return &value.Ref{Get: func() any { return found.value }, Set: func(set any) error {
		if found.typeName != "" {
			converted, err := s.convert(ctx, set, found.typeName)
			if err != nil {
				return err
			}
			set = converted
		}
		found.value = set
		return nil
	}}, nil
}
