package value

import (
	"context"
	"slices"
	"strings"
)

// CustomObject is the type of [pscustomobject].
const CustomObject = "System.Management.Automation.PSCustomObject"

// Object is a value with properties and methods: a custom object, what a cmdlet
// returns, or an instance of a .NET class.
type Object struct {
	Type string // full name
	// Supertypes are the full names of what the type derives from and implements.
	Supertypes []string
	// Base is the value that properties were added to, such as a string of
	// Get-Content; nil for others.
	Base any
	// Complete says that the object has no other properties than these, so that any
	// other is $null. The properties of other objects are those that the simulator
	// models: using any other is an error that names it.
	Complete bool
	// Text is what the object is as text; nil for the name of its type.
	Text func() string
	// Items are its elements where it is a collection; nil for others.
	Items func() []any
	// Data is for those who made the object.
	Data any

	properties []*Property
	methods    map[string]Method
}

// Property is a named value of an object.
type Property struct {
	Name  string
	Value any
	Get   func() (any, error) // computes the value, where it is not nil
	Set   func(v any) error   // checks and keeps a new value, where it is not nil
	// ReadOnly says that scripts cannot set it.
	ReadOnly bool
	// Note says that it was added to the object and is none of its type's.
	Note bool
}

// Method is a method of an object. Errors that are no *Exception end the run.
type Method func(ctx context.Context, args []any) (any, error)

// P is a property with a value.
func P(name string, v any) *Property { return &Property{Name: name, Value: v} }

// NewObject is an object of a type, with the properties that are modelled.
func NewObject(typeName string, properties ...*Property) *Object {
	return &Object{Type: typeName, properties: properties}
}

// NewCustom is a [pscustomobject] with exactly these properties.
func NewCustom(properties ...*Property) *Object {
	for _, p := range properties {
		p.Note = true
	}
	return &Object{Type: CustomObject, Complete: true, properties: properties}
}

// Method gives the object a method, and returns the object.
func (o *Object) Method(name string, m Method) *Object {
	if o.methods == nil {
		o.methods = map[string]Method{}
	}
	o.methods[strings.ToLower(name)] = m
	return o
}

// FindMethod is a method by its name in any case.
func (o *Object) FindMethod(name string) (Method, bool) {
	m, ok := o.methods[strings.ToLower(name)]
	return m, ok
}

// Properties are the properties in order.
func (o *Object) Properties() []*Property { return o.properties }

// Find is a property by its name in any case; nil if there is none.
func (o *Object) Find(name string) *Property {
	i := slices.IndexFunc(o.properties, func(p *Property) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return nil
	}
	return o.properties[i]
}

// Add adds a property, or replaces the one of its name.
func (o *Object) Add(p *Property) {
	for i, old := range o.properties {
		if strings.EqualFold(old.Name, p.Name) {
			o.properties[i] = p
			return
		}
	}
	o.properties = append(o.properties, p)
}

// Remove removes a property, if it is there.
func (o *Object) Remove(name string) {
	o.properties = slices.DeleteFunc(o.properties, func(p *Property) bool { return strings.EqualFold(p.Name, name) })
}

// Read is the value of a property.
func (p *Property) Read() (any, error) {
	if p.Get != nil {
		return p.Get()
	}
	return p.Value, nil
}

// Property is the value of a property by name; nil where there is none.
func (o *Object) Property(name string) any {
	p := o.Find(name)
	if p == nil {
		return nil
	}
	v, err := p.Read()
	if err != nil {
		return nil
	}
	return v
}

// Clone is a copy of the object with properties of its own.
func (o *Object) Clone() *Object {
	c := *o
	c.properties = nil
	for _, p := range o.properties {
		own := *p
		c.properties = append(c.properties, &own)
	}
	return &c
}

// Decorate is a value to which properties can be added: itself if it is an object,
// else a new one around it.
func Decorate(v any) *Object {
	if o, ok := v.(*Object); ok {
		return o
	}
	return &Object{Type: TypeName(v), Base: v}
}

// Is reports whether a value is of a type, by its full name.
func Is(v any, typeName string) bool {
	own := TypeName(v)
	if own == "" {
		return false
	}
	if strings.EqualFold(own, typeName) || strings.EqualFold(typeName, "System.Object") {
		return true
	}
	if strings.EqualFold(typeName, "System.Management.Automation.PSObject") {
		_, object := v.(*Object)
		return object
	}
	return slices.ContainsFunc(supertypes(v), func(super string) bool { return strings.EqualFold(super, typeName) })
}

func supertypes(v any) []string {
	switch v := Base(v).(type) {
	case *Array:
		return append(arrayTypes(), covariant(v.Elem)...)
	case *Bytes:
		return arrayTypes()
	case *List:
		return []string{"System.Collections.IList", "System.Collections.IEnumerable", "System.Collections.ICollection"}
	case *Hashtable:
		return []string{"System.Collections.IDictionary", "System.Collections.IEnumerable", "System.Collections.ICollection"}
	case string:
		return []string{"System.IConvertible", "System.IComparable", "System.Collections.IEnumerable"}
	case Enum:
		return []string{"System.Enum", "System.ValueType"}
	case Type:
		return []string{"System.Type"}
	case *Exception:
		return ExceptionTypes(v.Type)
	case *Object:
		return v.Supertypes
	case bool, int16, uint16, int32, int64, uint32, uint64, uint8, float64, Char, DateTime, TimeSpan, GUID:
		return []string{"System.ValueType"}
	}
	return nil
}

func arrayTypes() []string {
	return []string{"System.Array", "System.Collections.IList", "System.Collections.IEnumerable", "System.Collections.ICollection"}
}

// covariant is the type that an array of references is of, besides its own.
func covariant(elem string) []string {
	switch elem {
	case "System.Int32", "System.Int64", "System.UInt32", "System.UInt64", "System.Boolean", "System.Char", "System.Double":
		return nil
	}
	return []string{"System.Object[]"}
}
