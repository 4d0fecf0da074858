package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// bindBlock gives the parameters of a script block their values in its scope. What is
// left over is $args, or an error where the block declares that it has none.
func (s *Session) bindBlock(ctx context.Context, b *Block, args arguments) error {
	bound := value.NewHashtable()
	bound.Type, bound.Ordered = "System.Management.Automation.PSBoundParametersDictionary", true
	s.scope.set("PSBoundParameters", bound)
	params := b.params()
	rest, err := s.bindNames(ctx, b, params, args.list, bound)
	if err != nil {
		return err
	}
	if rest, err = s.bindOrder(ctx, params, rest, bound); err != nil {
		return err
	}
	if len(rest) > 0 && b.tree.Advanced {
		return unknown.New("arguments without a parameter, of a script block with [CmdletBinding()]")
	}
	s.scope.set("args", leftOver(rest))
	return s.defaults(ctx, params, bound)
}

func leftOver(rest []argument) *value.Array {
	all := value.NewArray()
	for _, arg := range rest {
		if arg.name != "" {
			all.Items = append(all.Items, "-"+arg.name)
			if !arg.given {
				continue
			}
		}
		all.Items = append(all.Items, arg.value)
	}
	return all
}

func (b *Block) params() []*ast.Param {
	if b.tree.Params == nil {
		return nil
	}
	return b.tree.Params.List
}

// bindNames binds the arguments with names and returns the others.
func (s *Session) bindNames(ctx context.Context, b *Block, params []*ast.Param, args []argument, bound *value.Hashtable) ([]argument, error) {
	var rest []argument
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg.name == "" {
			rest = append(rest, arg)
			continue
		}
		p, err := findParam(params, arg.name)
		if err != nil {
			return nil, err
		}
		if p == nil {
			rest = append(rest, arg)
			continue
		}
		if isSwitch(p) {
			on := !arg.given || value.Truth(arg.value)
			s.scope.vars[strings.ToLower(p.Name)] = &variable{value: value.Switch(on)}
			bound.Set(p.Name, value.Switch(on))
			continue
		}
		v, used, err := takeValue(p.Name, arg, args[i+1:])
		if err != nil {
			return nil, err
		}
		i += used
		if err := s.bindParam(ctx, p, v); err != nil {
			return nil, err
		}
		bound.Set(p.Name, s.scope.vars[strings.ToLower(p.Name)].value)
	}
	return rest, nil
}

// findParam is the parameter of a name, an alias or an unambiguous beginning.
func findParam(params []*ast.Param, name string) (*ast.Param, error) {
	var found *ast.Param
	for _, p := range params {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		if len(name) < len(p.Name) && strings.EqualFold(p.Name[:len(name)], name) {
			if found != nil {
				return nil, bindingError("AmbiguousParameter", "Parameter cannot be processed because the parameter name '"+name+"' is ambiguous. Possible matches include: -"+found.Name+" -"+p.Name+".")
			}
			found = p
		}
	}
	return found, nil
}

func isSwitch(p *ast.Param) bool {
	return p.Type != nil && (strings.EqualFold(p.Type.Name, "switch") || strings.HasSuffix(strings.ToLower(p.Type.Name), "switchparameter"))
}

// bindOrder binds arguments without names to the parameters that have no value yet.
func (s *Session) bindOrder(ctx context.Context, params []*ast.Param, rest []argument, bound *value.Hashtable) ([]argument, error) {
	next := 0
	for i, arg := range rest {
		if arg.name != "" {
			return rest[i:], nil
		}
		for next < len(params) && (isSwitch(params[next]) || has(bound, params[next].Name)) {
			next++
		}
		if next == len(params) {
			return rest[i:], nil
		}
		p := params[next]
		if err := s.bindParam(ctx, p, arg.value); err != nil {
			return nil, err
		}
		bound.Set(p.Name, s.scope.vars[strings.ToLower(p.Name)].value)
	}
	return nil, nil
}

func has(h *value.Hashtable, name string) bool {
	_, ok := h.Get(name)
	return ok
}

// bindParam gives a parameter a value, converted and checked.
func (s *Session) bindParam(ctx context.Context, p *ast.Param, v any) error {
	own := &variable{value: v}
	if p.Type != nil {
		full, err := s.interp.resolve(p.Type.Name)
		if err != nil {
			return locate(err, p.At())
		}
		if e := noTruth(v, full); e != nil {
			return transformation(p, e)
		}
		converted, err := s.convert(ctx, v, full)
		if err != nil {
			return paramTransformation(p, err)
		}
		own = &variable{value: converted, typeName: full}
	}
	s.scope.vars[strings.ToLower(p.Name)] = own
	return nil
}

// noTruth is the error of an argument that a parameter of the type bool does not take, though a cast does.
func noTruth(v any, typeName string) *value.Exception {
	base := value.Base(v)
	if _, isSwitch := base.(value.Switch); typeName != "System.Boolean" || isSwitch || base == true || base == false || value.IsNumber(base) {
		return nil
	}
	shown := ""
	if base != nil {
		shown = value.TypeName(v)
	}
	return value.NewException("System.Management.Automation.PSInvalidCastException", `Cannot convert value "`+shown+
		`" to type "System.Boolean". Boolean parameters accept only Boolean values and numbers, such as $True, $False, 1 or 0.`)
}

func paramTransformation(p *ast.Param, err error) error {
	e, ok := asException(err)
	if !ok {
		return err
	}
	return transformation(p, e)
}

func transformation(p *ast.Param, e *value.Exception) error {
	x := value.NewException("System.Management.Automation.ParameterBindingArgumentTransformationException",
		"Cannot process argument transformation on parameter '"+p.Name+"'. "+e.Message)
	x.Inner = e
	return &Throw{Record: &value.ErrorRecord{Exception: x, ID: "ParameterArgumentTransformationError", Category: "InvalidData"}, Statement: true}
}

// defaults gives the parameters without arguments their defaults.
func (s *Session) defaults(ctx context.Context, params []*ast.Param, bound *value.Hashtable) error {
	for _, p := range params {
		if has(bound, p.Name) {
			continue
		}
		if err := s.defaultOf(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) defaultOf(ctx context.Context, p *ast.Param) error {
	own := &variable{}
	s.scope.vars[strings.ToLower(p.Name)] = own
	if isSwitch(p) && p.Default == nil {
		own.value = value.Switch(false)
		return nil
	}
	if p.Type != nil {
		full, err := s.interp.resolve(p.Type.Name)
		if err != nil {
			return locate(err, p.At())
		}
		own.typeName = full
	}
	if p.Default == nil {
		return s.zeroOf(ctx, own)
	}
	v, err := s.eval(ctx, p.Default)
	if err != nil {
		return err
	}
	if own.typeName != "" {
		if v, err = s.convert(ctx, element(v), own.typeName); err != nil {
			return paramTransformation(p, err)
		}
	}
	own.value = v
	return nil
}

// zeroOf is the value of a parameter without one: text and numbers are never $null.
func (s *Session) zeroOf(ctx context.Context, own *variable) error {
	switch own.typeName {
	case "System.String", "System.Int32", "System.Int64", "System.Boolean", "System.Double", "System.UInt32", "System.Byte":
		v, err := s.convert(ctx, nil, own.typeName)
		own.value = v
		return err
	}
	return nil
}
