package interp

import (
	"context"
	"slices"
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
	if err := checkAttributes(params); err != nil {
		return err
	}
	rest, err := s.bindNames(ctx, b, params, args.list, bound)
	if err != nil {
		return err
	}
	if rest, err = s.bindOrder(ctx, params, rest, bound); err != nil {
		return err
	}
	if len(rest) > 0 && b.advanced() {
		return bindingError("PositionalParameterNotFound", "A positional parameter cannot be found that accepts argument '"+value.String(rest[0].value)+"'.")
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

// advanced reports whether a block refuses arguments that it has no parameter for.
func (b *Block) advanced() bool {
	if b.tree.Advanced {
		return true
	}
	for _, p := range b.params() {
		for _, a := range p.Attributes {
			if strings.EqualFold(a.Name, "parameter") {
				return true
			}
		}
	}
	return false
}

// checkAttributes refuses attributes that the simulator does not know.
func checkAttributes(params []*ast.Param) error {
	for _, p := range params {
		for _, a := range p.Attributes {
			switch strings.ToLower(a.Name) {
			case "validateset", "validatenotnullorempty", "allownull", "allowemptystring", "allowemptycollection", "alias":
				continue
			case "parameter":
				for name := range a.Named {
					if !oneOf([]string{"mandatory", "position", "valuefrompipeline", "helpmessage"}, name) {
						return locate(unknown.New("the argument %s of [Parameter()]", name), a.At())
					}
				}
				continue
			}
			return locate(unknown.New("the attribute [%s()]", a.Name), a.At())
		}
	}
	return nil
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
			if b.advanced() {
				if err := s.blockCommon(arg, args[i+1:]); err != nil {
					return nil, err
				}
				continue
			}
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

func (s *Session) blockCommon(arg argument, _ []argument) error {
	if _, _, ok := commonParameter(arg.name); ok {
		return unknown.New("the common parameter -%s of functions", arg.name)
	}
	return bindingError("NamedParameterNotFound", "A parameter cannot be found that matches parameter name '"+arg.name+"'.")
}

// findParam is the parameter of a name, an alias or an unambiguous beginning.
func findParam(params []*ast.Param, name string) (*ast.Param, error) {
	var found *ast.Param
	for _, p := range params {
		if strings.EqualFold(p.Name, name) || hasAlias(p, name) {
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

func hasAlias(p *ast.Param, name string) bool {
	for _, a := range p.Attributes {
		if !strings.EqualFold(a.Name, "alias") {
			continue
		}
		for _, arg := range a.Args {
			if text, ok := arg.(*ast.String); ok && strings.EqualFold(text.Value, name) {
				return true
			}
		}
	}
	return false
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
	if err := s.validateParam(ctx, p, own.value); err != nil {
		return err
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

func invalidParam(id, message string) error {
	e := value.NewException("System.Management.Automation.ParameterBindingValidationException", message)
	return &Throw{Record: &value.ErrorRecord{Exception: e, ID: id, Category: "InvalidData"}, Statement: true}
}

func (s *Session) validateParam(ctx context.Context, p *ast.Param, v any) error {
	if attributeIs(p, "mandatory") && !hasAttribute(p, "allownull") && value.IsNull(v) {
		return invalidParam("ParameterArgumentValidationErrorNullNotAllowed", "Cannot bind argument to parameter '"+p.Name+"' because it is null.")
	}
	if attributeIs(p, "mandatory") && !hasAttribute(p, "allowemptystring") && value.Base(v) == any("") {
		return invalidParam("ParameterArgumentValidationErrorEmptyStringNotAllowed", "Cannot bind argument to parameter '"+p.Name+"' because it is an empty string.")
	}
	for _, a := range p.Attributes {
		if strings.EqualFold(a.Name, "validatenotnullorempty") && (value.IsNull(v) || value.Base(v) == any("")) {
			return invalidParam("ParameterArgumentValidationError", "Cannot validate argument on parameter '"+p.Name+"'. The argument is null or empty. Provide an argument that is not null or empty, and then try the command again.")
		}
		if !strings.EqualFold(a.Name, "validateset") {
			continue
		}
		if err := s.validateSet(ctx, p, a, v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) validateSet(ctx context.Context, p *ast.Param, a *ast.Attribute, v any) error {
	var words []string
	for _, arg := range a.Args {
		word, err := s.eval(ctx, arg)
		if err != nil {
			return err
		}
		words = append(words, value.String(word))
	}
	for _, item := range value.Each(v) {
		if word := value.String(item); !oneOf(words, word) {
			return invalidParam("ParameterArgumentValidationError", "Cannot validate argument on parameter '"+p.Name+"'. The argument \""+word+"\" does not belong to the set \""+strings.Join(words, ",")+"\" specified by the ValidateSet attribute. Supply an argument that is in the set and then try the command again.")
		}
	}
	return nil
}

func hasAttribute(p *ast.Param, name string) bool {
	return slices.ContainsFunc(p.Attributes, func(a *ast.Attribute) bool { return strings.EqualFold(a.Name, name) })
}

// attributeIs reports whether [Parameter(name)] or [Parameter(name=$true)] is there.
func attributeIs(p *ast.Param, name string) bool {
	for _, a := range p.Attributes {
		if !strings.EqualFold(a.Name, "parameter") {
			continue
		}
		v, ok := a.Named[name]
		if !ok {
			continue
		}
		variable, isVariable := v.(*ast.Variable)
		return v == nil || isVariable && strings.EqualFold(variable.Name, "true")
	}
	return false
}

// defaults gives the parameters without arguments their defaults.
func (s *Session) defaults(ctx context.Context, params []*ast.Param, bound *value.Hashtable) error {
	var missing []string
	for _, p := range params {
		if has(bound, p.Name) || attributeIs(p, "valuefrompipeline") {
			continue
		}
		if attributeIs(p, "mandatory") {
			missing = append(missing, p.Name)
			continue
		}
		if err := s.defaultOf(ctx, p); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return bindingError("MissingMandatoryParameter", "Cannot process command because of one or more missing mandatory parameters: "+strings.Join(missing, " ")+".")
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
