package interp

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Func is a static method, a constructor or a static property.
type Func func(ctx context.Context, s *Session, args []any) (any, error)

// InstanceFunc is a method or property of the values of a type. Properties get no args.
type InstanceFunc func(ctx context.Context, s *Session, self any, args []any) (any, error)

// Type is a .NET type: what scripts can do with it and with its values. What is missing
// ends the run with an *unknown.Error. Members are found in any case.
type Type struct {
	Name    string   // full name, System.IO.File
	Aliases []string // other names in scripts: int
	New     Func     // constructor
	Statics map[string]Func
	// Values are static properties, and Setters set those that can be set.
	Values  map[string]Func
	Setters map[string]func(ctx context.Context, s *Session, v any) error
	// Methods and Properties are those of its values.
	Methods    map[string]InstanceFunc
	Properties map[string]InstanceFunc
	// Enum has the names of an enumeration.
	Enum *value.EnumType
	// Convert is the cast to the type; nil for value.Convert.
	Convert func(ctx context.Context, s *Session, v any) (any, error)
}

// EnumType is the type of an enumeration.
func EnumType(e value.EnumType, aliases ...string) Type {
	return Type{Name: e.Name, Aliases: aliases, Enum: &e}
}

// types is the registry of types by all their names in lower case.
type types map[string]*Type

func (t types) add(typ Type) {
	own := &typ
	own.Statics = lowerKeys(typ.Statics)
	own.Values = lowerKeys(typ.Values)
	own.Setters = lowerKeys(typ.Setters)
	own.Methods = lowerKeys(typ.Methods)
	own.Properties = lowerKeys(typ.Properties)
	for _, name := range append([]string{typ.Name}, typ.Aliases...) {
		t[strings.ToLower(name)] = own
	}
}

func lowerKeys[T any](m map[string]T) map[string]T {
	lower := make(map[string]T, len(m))
	for name, v := range m {
		lower[strings.ToLower(name)] = v
	}
	return lower
}

// find is a type by a name as scripts write it, with or without System.
func (t types) find(name string) (*Type, bool) {
	name = strings.ToLower(name)
	if typ, ok := t[name]; ok {
		return typ, true
	}
	typ, ok := t["system."+name]
	return typ, ok
}

// resolve is the full name of a type as scripts write it.
func (i *Interpreter) resolve(name string) (string, error) {
	if elem, isArray := strings.CutSuffix(name, "[]"); isArray {
		full, err := i.resolve(elem)
		return full + "[]", err
	}
	if generic, args, ok := strings.Cut(name, "["); ok {
		return "", unknown.New("the type [%s[%s]", generic, args)
	}
	if typ, ok := i.types.find(name); ok {
		return typ.Name, nil
	}
	for _, full := range []string{name, "System." + name} {
		if known, ok := value.KnownException(full); ok {
			return known, nil
		}
	}
	return "", unknown.New("the type [%s]", name)
}

// typeOf is the registered type of a full name; the arguments of generic types do not
// count.
func (i *Interpreter) typeOf(fullName string) (*Type, bool) {
	if strings.HasSuffix(fullName, "[]") {
		return i.types.find("System.Array")
	}
	generic, _, _ := strings.Cut(fullName, "[")
	return i.types.find(generic)
}

// convert casts a value to a type.
func (s *Session) convert(ctx context.Context, v any, fullName string) (any, error) {
	if elem, isArray := strings.CutSuffix(fullName, "[]"); isArray {
		return s.convertArray(ctx, v, elem)
	}
	typ, ok := s.interp.typeOf(fullName)
	switch {
	case ok && typ.Enum != nil:
		return typ.Enum.Convert(v)
	case ok && typ.Convert != nil:
		return typ.Convert(ctx, s, v)
	case fullName == "System.DateTime":
		return s.convertDate(v)
	}
	return value.Convert(v, fullName)
}

// convertArray casts to arrays whose elements only the registry can convert.
func (s *Session) convertArray(ctx context.Context, v any, elem string) (any, error) {
	typ, ok := s.interp.typeOf(elem)
	if !ok || typ.Enum == nil && typ.Convert == nil || value.IsNull(v) {
		return value.Convert(v, elem+"[]")
	}
	out := &value.Array{Elem: elem}
	for _, item := range value.Each(v) {
		converted, err := s.convert(ctx, item, elem)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, converted)
	}
	return out, nil
}

// convertDate knows the zone of the machine.
func (s *Session) convertDate(v any) (any, error) {
	if text, ok := value.Base(v).(string); ok {
		if date, ok := value.ParseDate(text, s.Now().Location()); ok {
			return date, nil
		}
	}
	return value.Convert(v, "System.DateTime")
}

// Convert casts a value to a type by its full name.
func (s *Session) Convert(ctx context.Context, v any, fullName string) (any, error) {
	return s.convert(ctx, v, fullName)
}

// AppendTo is a sink that adds to a list.
func AppendTo(items *[]any) Sink {
	return func(_ context.Context, v any) error {
		*items = append(*items, v)
		return nil
	}
}

// Resolve is the full name of a type as scripts write it.
func (i *Interpreter) Resolve(name string) (string, error) { return i.resolve(name) }
