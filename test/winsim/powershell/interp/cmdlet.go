package interp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Cmdlet is a command written in Go. It has the parameters that are modelled: the use of
// any other, or of a short form, ends the run with an *unknown.Error.
type Cmdlet struct {
	Name       string
	Aliases    []string
	Parameters []Parameter
	// Confirms says that it has -WhatIf and -Confirm.
	Confirms bool
	// Begin is called once before any input, and End once after all of it. Both may
	// be nil.
	Begin, End func(ctx context.Context, c *Call) error
	// Run is called for each object of the pipeline, with the parameters that take
	// it, or once where nothing is piped in. It may be nil.
	Run func(ctx context.Context, c *Call) error
}

// Parameter is a parameter of a cmdlet.
type Parameter struct {
	Name    string
	Aliases []string
	// Type is a type as scripts write it: string, int, switch, string[], hashtable.
	// Empty is object.
	Type      string
	Position  int // from 1; 0 for a parameter that must be named
	Mandatory bool
	Pipeline  bool // takes objects of the pipeline
	ByName    bool // takes the property of its name, or alias, of objects of the pipeline
	Remaining bool // takes all arguments that are left over
	// Values are the words that it may have, in any case; nil for any.
	Values []string
}

// Call is one use of a cmdlet.
type Call struct {
	Session *Session
	Cmdlet  *Cmdlet
	Name    string // as the script wrote it
	// Input is the object of the pipeline in Run, where Piped is set.
	Input any
	Piped bool
	// State is for the cmdlet, from Begin to End.
	State any

	fixed  map[string]any // by name in lower case, from the command line
	bound  map[string]any // those of this object of the pipeline too
	common common
	out    Sink
	place  ast.Extent
}

// common are the parameters that all cmdlets have.
type common struct {
	errorAction, warningAction string // in lower case; empty for what the variable says
	verbose                    bool
}

// Sink takes an object of a pipeline.
type Sink func(ctx context.Context, v any) error

// Has reports whether a parameter was given.
func (c *Call) Has(name string) bool {
	_, ok := c.bound[strings.ToLower(name)]
	return ok
}

// Value is what was given for a parameter; nil where nothing was.
func (c *Call) Value(name string) any { return c.bound[strings.ToLower(name)] }

// String is a parameter of the type string.
func (c *Call) String(name string) string { return value.String(c.Value(name)) }

// Strings is a parameter of the type string[].
func (c *Call) Strings(name string) []string {
	var all []string
	if value.IsNull(c.Value(name)) {
		return nil
	}
	for _, item := range value.Each(c.Value(name)) {
		all = append(all, value.String(item))
	}
	return all
}

// Bool is a switch or a parameter of the type bool.
func (c *Call) Bool(name string) bool { return value.Truth(c.Value(name)) }

// Int is a parameter of a type of whole numbers; 0 where it was not given.
func (c *Call) Int(name string) int64 {
	n, _ := value.Integer(value.Base(c.Value(name)))
	return n
}

// Block is a parameter of the type scriptblock; nil where it was not given.
func (c *Call) Block(name string) *Block {
	b, _ := value.Base(c.Value(name)).(*Block)
	return b
}

// Confirm is the value of -Confirm; false where it was not given.
func (c *Call) Confirm() bool { return c.Bool("Confirm") }

// WriteObject writes one object, an array too, as one.
func (c *Call) WriteObject(ctx context.Context, v any) error {
	return c.out(ctx, v)
}

// WriteAll writes the elements of an array one by one, or any other value itself.
func (c *Call) WriteAll(ctx context.Context, v any) error {
	for _, item := range value.Each(v) {
		if err := c.WriteObject(ctx, item); err != nil {
			return err
		}
	}
	return nil
}

// WriteError reports an error that does not end the cmdlet. If it returns an error,
// because the script asked errors to stop it, the cmdlet must return that at once.
func (c *Call) WriteError(ctx context.Context, r *value.ErrorRecord) error {
	return c.Session.writeError(ctx, c.fill(r), c.errorAction())
}

// Terminate is the error to return for one that ends the cmdlet.
func (c *Call) Terminate(r *value.ErrorRecord) error {
	return &Throw{Record: c.fill(r), Statement: true}
}

func (c *Call) errorAction() string {
	if c.common.errorAction != "" {
		return c.common.errorAction
	}
	// Functions of modules see only the global preference.
	if _, noun, _ := strings.Cut(c.Cmdlet.Name, "-"); slices.ContainsFunc([]string{"Net", "ScheduledTask", "Mp", "Hns", "Volume", "WindowsFeature"},
		func(of string) bool { return strings.HasPrefix(noun, of) }) {
		return strings.ToLower(value.String(c.Session.global.vars["erroractionpreference"].value))
	}
	return c.Session.errorPreference()
}

// fill adds to an error what is known of the command.
func (c *Call) fill(r *value.ErrorRecord) *value.ErrorRecord {
	r.Activity = cmp.Or(r.Activity, c.Cmdlet.Name)
	if r.Place.Line == 0 {
		r.Place = placeOf(c.place)
		r.Place.Command = c.Name
	}
	return r
}

// NewError is an error record. The id is without the name of the class, which is
// joined to it: "PathNotFound,Microsoft.PowerShell.Commands.GetItemCommand".
func NewError(e *value.Exception, id, category string, target any) *value.ErrorRecord {
	return &value.ErrorRecord{Exception: e, ID: id, Category: category, Target: target}
}

// parameter is the parameter of a name or alias.
func (c *Cmdlet) parameter(name string) (*Parameter, error) {
	for i := range c.Parameters {
		p := &c.Parameters[i]
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		for _, alias := range p.Aliases {
			if strings.EqualFold(alias, name) {
				return p, nil
			}
		}
	}
	if c.Confirms && (strings.EqualFold(name, "WhatIf") || strings.EqualFold(name, "Confirm")) {
		return &Parameter{Name: name, Type: "switch"}, nil
	}
	return nil, unknown.New("the parameter -%s of %s", name, c.Name)
}
