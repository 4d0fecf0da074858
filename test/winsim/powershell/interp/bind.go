package interp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// cmdletStage is a cmdlet in a pipeline.
type cmdletStage struct {
	s     *Session
	call  *Call
	piped bool
}

func (s *Session) newCmdletStage(ctx context.Context, c *Cmdlet, name string, args arguments, piped bool, out Sink, place ast.Extent) (stage, error) {
	call := &Call{Session: s, Cmdlet: c, Name: name, fixed: map[string]any{}, bound: map[string]any{}, out: out, place: place}
	if err := call.bind(ctx, args, piped); err != nil {
		return nil, err
	}
	return &cmdletStage{s: s, call: call, piped: piped}, nil
}

func (c *cmdletStage) begin(ctx context.Context) error {
	c.call.reset()
	if c.call.Cmdlet.Begin == nil {
		return nil
	}
	return c.call.Cmdlet.Begin(ctx, c.call)
}

func (c *cmdletStage) process(ctx context.Context, v any) error {
	c.call.reset()
	c.call.Input, c.call.Piped = v, true
	if err := c.call.bindInput(ctx, v); err != nil {
		return err
	}
	c.s.okay = true
	return c.run(ctx)
}

func (c *cmdletStage) run(ctx context.Context) error {
	if c.call.Cmdlet.Run == nil {
		return nil
	}
	return c.call.Cmdlet.Run(ctx, c.call)
}

func (c *cmdletStage) end(ctx context.Context) error {
	if !c.piped {
		c.s.okay = true
		if err := c.run(ctx); err != nil {
			return err
		}
	}
	if c.call.Cmdlet.End == nil {
		return nil
	}
	c.call.reset()
	return c.call.Cmdlet.End(ctx, c.call)
}

// StopUpstream is the error with which a cmdlet says that it needs no more input.
func (c *Call) StopUpstream() error { return &stopUpstream{by: c} }

func (c *Call) reset() {
	c.bound = maps.Clone(c.fixed)
	c.Input, c.Piped = nil, false
}

// bind binds the arguments of the command line: those with names, then by position.
func (c *Call) bind(ctx context.Context, args arguments, piped bool) error {
	var values []argument
	for i := 0; i < len(args.list); i++ {
		arg := args.list[i]
		if arg.name == "" {
			values = append(values, arg)
			continue
		}
		used, err := c.bindNamed(ctx, arg, args.list[i+1:])
		if err != nil {
			return err
		}
		i += used
	}
	if err := c.bindPositions(ctx, values); err != nil {
		return err
	}
	return c.complete(piped)
}

// bindNamed binds -name, and returns how many of the following arguments it took.
func (c *Call) bindNamed(ctx context.Context, arg argument, rest []argument) (int, error) {
	if name, isSwitch, ok := commonParameter(arg.name); ok {
		return c.bindCommon(name, isSwitch, arg, rest)
	}
	p, err := c.Cmdlet.parameter(arg.name)
	if err != nil {
		return 0, err
	}
	if strings.EqualFold(p.Type, "switch") {
		on := !arg.given || value.Truth(arg.value)
		if strings.EqualFold(p.Name, "whatif") && on {
			return 0, unknown.New("-WhatIf")
		}
		c.fixed[strings.ToLower(p.Name)] = value.Switch(on)
		return 0, nil
	}
	if _, twice := c.fixed[strings.ToLower(p.Name)]; twice {
		return 0, bindingError("ParameterAlreadyBound", "Cannot bind parameter because parameter '"+p.Name+"' is specified more than once. To provide multiple values to parameters that can accept multiple values, use the array syntax. For example, \"-parameter value1,value2,value3\".")
	}
	taken, used, err := takeValue(p.Name, arg, rest)
	if err != nil {
		return 0, err
	}
	return used, c.give(ctx, p, taken, c.fixed)
}

// takeValue is the value of a parameter: its own, or the next argument.
func takeValue(name string, arg argument, rest []argument) (any, int, error) {
	if arg.given {
		return arg.value, 0, nil
	}
	if len(rest) > 0 && rest[0].name == "" {
		return rest[0].value, 1, nil
	}
	return nil, 0, bindingError("MissingArgument", "Missing an argument for parameter '"+name+"'. Specify a parameter of a type that fits and try again.")
}

func bindingError(id, message string) error {
	e := value.NewException("System.Management.Automation.ParameterBindingException", message)
	return &Throw{Record: &value.ErrorRecord{Exception: e, ID: id, Category: "InvalidArgument"}, Statement: true}
}

// commonParameter is the full name of a parameter that all cmdlets have.
func commonParameter(name string) (full string, isSwitch, ok bool) {
	name = strings.ToLower(name)
	for _, p := range []struct {
		full, short string
		isSwitch    bool
	}{
		{"erroraction", "ea", false}, {"warningaction", "wa", false}, {"informationaction", "infa", false},
		{"errorvariable", "ev", false}, {"outvariable", "ov", false}, {"verbose", "vb", true}, {"debug", "db", true},
	} {
		if name == p.full || name == p.short {
			return p.full, p.isSwitch, true
		}
	}
	return "", false, false
}

func (c *Call) bindCommon(name string, isSwitch bool, arg argument, rest []argument) (int, error) {
	if isSwitch {
		c.common.verbose = name == "verbose" && (!arg.given || value.Truth(arg.value))
		return 0, nil
	}
	v, used, err := takeValue(name, arg, rest)
	if err != nil {
		return 0, err
	}
	text := value.String(v)
	switch name {
	case "erroraction":
		c.common.errorAction, err = action(text)
	case "warningaction":
		c.common.warningAction, err = action(text)
	case "errorvariable", "outvariable":
		return 0, unknown.New("the parameter -%s", name)
	}
	return used, err
}

func action(text string) (string, error) {
	switch lower := strings.ToLower(text); lower {
	case "stop", "continue", "silentlycontinue", "ignore":
		return lower, nil
	}
	return "", unknown.New("the action %q", text)
}

// bindPositions gives values without names to the parameters that take them.
func (c *Call) bindPositions(ctx context.Context, values []argument) error {
	for i, arg := range values {
		p := c.nextPosition()
		if p == nil {
			return c.bindRemaining(ctx, values[i:])
		}
		if err := c.give(ctx, p, arg.value, c.fixed); err != nil {
			return err
		}
	}
	return nil
}

// nextPosition is the first parameter by position that has no value yet.
func (c *Call) nextPosition() *Parameter {
	var next *Parameter
	for i := range c.Cmdlet.Parameters {
		p := &c.Cmdlet.Parameters[i]
		if _, taken := c.fixed[strings.ToLower(p.Name)]; p.Position == 0 || taken || p.Remaining {
			continue
		}
		if next == nil || p.Position < next.Position {
			next = p
		}
	}
	return next
}

func (c *Call) bindRemaining(ctx context.Context, values []argument) error {
	for i := range c.Cmdlet.Parameters {
		p := &c.Cmdlet.Parameters[i]
		if !p.Remaining {
			continue
		}
		all := value.NewArray()
		for _, arg := range values {
			all.Items = append(all.Items, arg.value)
		}
		if len(all.Items) == 1 {
			return c.give(ctx, p, all.Items[0], c.fixed)
		}
		return c.give(ctx, p, all, c.fixed)
	}
	return unknown.New("the argument %q of %s by its position", value.String(values[0].value), c.Cmdlet.Name)
}

// give converts a value to the type of a parameter and binds it.
func (c *Call) give(ctx context.Context, p *Parameter, v any, into map[string]any) error {
	typeName := cmp.Or(p.Type, "object")
	full, err := c.Session.interp.resolve(typeName)
	if err != nil {
		return err
	}
	if err := c.check(p, v, full); err != nil {
		return err
	}
	converted, err := c.Session.convert(ctx, v, full)
	if err != nil {
		return c.transformation(p, v, full, err)
	}
	if err := c.validate(p, converted); err != nil {
		return err
	}
	into[strings.ToLower(p.Name)] = converted
	return nil
}

// check refuses nothing where something must be.
func (c *Call) check(p *Parameter, v any, full string) error {
	if full == "System.String" {
		if _, isArray := value.Items(v); isArray {
			return c.invalid("CannotConvertArgument", "Cannot convert '"+value.TypeName(v)+"' to the type 'System.String' required by parameter '"+p.Name+"'. Specified method is not supported.")
		}
	}
	if !p.Mandatory || !strings.HasPrefix(full, "System.String") {
		return nil
	}
	if value.IsNull(v) {
		return c.invalid("ParameterArgumentValidationErrorNullNotAllowed", "Cannot bind argument to parameter '"+p.Name+"' because it is null.")
	}
	if value.Base(v) == any("") {
		return c.invalid("ParameterArgumentValidationErrorEmptyStringNotAllowed", "Cannot bind argument to parameter '"+p.Name+"' because it is an empty string.")
	}
	return nil
}

func (c *Call) invalid(id, message string) error {
	e := value.NewException("System.Management.Automation.ParameterBindingValidationException", message)
	return &Throw{Record: c.fill(&value.ErrorRecord{Exception: e, ID: id, Category: "InvalidData"}), Statement: true}
}

func (c *Call) transformation(p *Parameter, v any, full string, err error) error {
	e, ok := asException(err)
	if !ok {
		return err
	}
	x := value.NewException("System.Management.Automation.ParameterBindingException", "Cannot bind parameter '"+p.Name+"'. "+e.Message)
	x.Inner = e
	return &Throw{Record: c.fill(&value.ErrorRecord{Exception: x, ID: "CannotConvertArgumentNoMessage", Category: "InvalidArgument", Target: nil}), Statement: true}
}

// validate checks the words that a parameter may have.
func (c *Call) validate(p *Parameter, v any) error {
	if p.Values == nil {
		return nil
	}
	for _, item := range value.Each(v) {
		word := value.String(item)
		if !oneOf(p.Values, word) {
			return c.invalid("ParameterArgumentValidationError", "Cannot validate argument on parameter '"+p.Name+"'. The argument \""+word+"\" does not belong to the set \""+strings.Join(p.Values, ",")+"\" specified by the ValidateSet attribute. Supply an argument that is in the set and then try the command again.")
		}
	}
	return nil
}

func oneOf(words []string, word string) bool {
	return slices.ContainsFunc(words, func(each string) bool { return strings.EqualFold(each, word) })
}

// complete checks that what must be given was given.
func (c *Call) complete(piped bool) error {
	var missing []string
	takes := false
	for _, p := range c.Cmdlet.Parameters {
		_, given := c.fixed[strings.ToLower(p.Name)]
		if (p.Pipeline || p.ByName) && !given {
			takes = true
		}
		if p.Mandatory && !given && !(piped && (p.Pipeline || p.ByName)) {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return bindingError("MissingMandatoryParameter", "Cannot process command because of one or more missing mandatory parameters: "+strings.Join(missing, " ")+".")
	}
	if piped && !takes {
		return unknown.New("what %s does with objects of the pipeline", c.Cmdlet.Name)
	}
	return nil
}

// bindInput binds an object of the pipeline: to parameters that take it whole, then by
// the names of its properties.
func (c *Call) bindInput(ctx context.Context, v any) error {
	bound := false
	for i := range c.Cmdlet.Parameters {
		p := &c.Cmdlet.Parameters[i]
		if _, given := c.fixed[strings.ToLower(p.Name)]; given {
			continue
		}
		done, err := c.bindOne(ctx, p, v)
		if err != nil {
			return err
		}
		bound = bound || done
	}
	for _, p := range c.Cmdlet.Parameters {
		if p.Mandatory && !c.Has(p.Name) {
			return c.invalid("InputObjectNotBound", "The input object cannot be bound to any parameters for the command either because the command does not take pipeline input or the input and its properties do not match any of the parameters that take pipeline input.")
		}
	}
	if !bound {
		return unknown.New("what %s does with a %s of the pipeline", c.Cmdlet.Name, value.TypeName(v))
	}
	return nil
}

func (c *Call) bindOne(ctx context.Context, p *Parameter, v any) (bool, error) {
	if p.ByName {
		if o, ok := v.(*value.Object); ok {
			for _, name := range append([]string{p.Name}, p.Aliases...) {
				if property := o.Find(name); property != nil {
					item, err := property.Read()
					if err != nil {
						return false, err
					}
					return true, c.give(ctx, p, item, c.bound)
				}
			}
		}
	}
	if !p.Pipeline {
		return false, nil
	}
	if _, isObject := v.(*value.Object); isObject && p.ByName && strings.HasPrefix(strings.ToLower(p.Type), "string") {
		return false, nil
	}
	return true, c.give(ctx, p, v, c.bound)
}
